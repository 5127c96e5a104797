"""The seal on a stream's address, and places in the stream."""

import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st

from fleets.live.channels import Position, decode, encode, parse_position
from fleets.live.hub import merged
from fleets.live.tokens import Ticket, fits_session, seal, session_mark, unseal

TICKET = Ticket("fleet", ("fleet:a", "fleets"), 7, rights_number=3, session=session_mark("key"))


def test_a_sealed_ticket_opens_to_the_same() -> None:
    assert unseal(seal(TICKET)) == TICKET


def test_a_changed_ticket_does_not_open() -> None:
    sealed = seal(TICKET)
    assert unseal(sealed[:-2] + "zz") is None
    assert unseal("") is None


def test_an_old_ticket_does_not_open() -> None:
    with time_machine.travel("2026-11-27T12:00:00Z", tick=False):
        sealed = seal(TICKET)
    with time_machine.travel("2026-11-29T12:00:00Z", tick=False):
        assert unseal(sealed) is None


def test_a_ticket_fits_only_the_session_it_was_written_for() -> None:
    assert fits_session(TICKET, "key")
    assert not fits_session(TICKET, "other")


def test_a_ticket_does_not_show_the_session_key() -> None:
    assert "key" not in TICKET.session


@given(st.from_regex(r"[0-9a-f]{10}", fullmatch=True), st.integers(0), st.integers(0))
def test_a_position_reads_back(epoch: str, milliseconds: int, sequence: int) -> None:
    place = Position(epoch, f"{milliseconds}-{sequence}")
    assert parse_position(str(place)) == place


@pytest.mark.parametrize("text", ["", "abc", "-1-0", "abc-x-0", "abc-1-x", "--"])
def test_what_is_no_position_is_none(text: str) -> None:
    assert parse_position(text) is None


def test_positions_are_ordered_by_number_and_not_by_letter() -> None:
    assert Position("e", "9-2").order < Position("e", "10-0").order


def test_an_entry_reads_back() -> None:
    fields = encode("fleets", ({"kind": "fleet", "ids": [1]},))
    raw = {name.encode(): value.encode() for name, value in fields.items()}
    assert decode(raw) == ("fleets", [{"kind": "fleet", "ids": [1]}])


def test_equal_changes_are_rendered_once() -> None:
    head, agent = {"kind": "head"}, {"kind": "agents", "ids": [7]}
    gathered = merged([("a", [head]), ("b", [head]), ("a", [head, agent])])
    assert gathered == {"a": [head, agent], "b": [head]}
