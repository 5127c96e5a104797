"""Ids that we choose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain import ids
from fleets.domain.errors import InvalidInput


@given(st.binary(min_size=6, max_size=20))
def test_a_new_fleet_id_is_one_the_platform_takes(random_bytes: bytes) -> None:
    ident = ids.new_fleet_id(random_bytes)
    assert ids.OUR_FLEET_ID.fullmatch(ident)
    assert ids.is_fleet_id(ident)


def test_too_few_random_bytes_make_no_fleet_id() -> None:
    with pytest.raises(ValueError, match="6 random bytes"):
        ids.new_fleet_id(b"12345")


@pytest.mark.parametrize("text", ["", "Fleet", "-a", "capabilities", "a" * 64, "a\n", "a/b"])
def test_what_is_no_fleet_id_is_refused_at_its_place(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        ids.check_fleet_id(text, place="fleet")
    assert caught.value.problems[0].place == "fleet"


def test_a_fleet_id_of_the_platform_is_taken_as_it_is() -> None:
    assert ids.check_fleet_id("agent-demo-1", place="fleet") == "agent-demo-1"


def test_turns_and_attempts_count_from_one() -> None:
    assert ids.turn_id(3, 2) == "t3-2"
    with pytest.raises(ValueError, match="count from 1"):
        ids.turn_id(0, 1)


def test_sessions_are_unique_over_fleets_and_agents() -> None:
    sessions = {
        ids.session_id(fleet, agent)
        for fleet in ("fleet-000000000001", "fleet-000000000002")
        for agent in ids.agent_ids(20)
    }
    assert len(sessions) == 40


def test_a_session_needs_an_agent_id_that_fits_into_a_path() -> None:
    with pytest.raises(ValueError, match="agent id"):
        ids.session_id("fleet-000000000001", "a/b")


def test_an_idempotency_key_is_the_same_for_the_same_row_and_attempt() -> None:
    assert ids.idempotency_key("fleet", 7) == ids.idempotency_key("fleet", 7)
    assert ids.idempotency_key("fleet", 7) != ids.idempotency_key("fleet", 7, attempt=2)
    assert ids.idempotency_key("fleet", 7) != ids.idempotency_key("key", 7)


@pytest.mark.parametrize("count", [0, -1, 10_001])
def test_agents_are_one_to_ten_thousand(count: int) -> None:
    with pytest.raises(ValueError, match="10,000 agents"):
        ids.agent_ids(count)
