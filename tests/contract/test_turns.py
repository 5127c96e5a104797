"""Turns: dispatch, admission, replay, results, abort (contract 3)."""

import uuid

import pytest

from fleets.platform_api.errors import NotFound
from fleets.platform_api.reading import TurnReading, read_turn
from fleets.platform_api.types import AbortAnswer, EventRead, Receipt, SessionRow, TurnResult
from tests.contract.platform import FleetUnderTest, Platform

PROMPT = "Say hello in one sentence. [[ok]]"


@pytest.mark.from_source
def test_a_detached_turn_answers_a_receipt_and_runs_on(platform: Platform) -> None:
    """Contract 3.3, 10 row 13."""

    async def act(fleet: FleetUnderTest) -> tuple[Receipt, SessionRow]:
        receipt = await fleet.dispatch("agent-1", "t1-1", PROMPT)
        return receipt, await fleet.finished("agent-1")

    receipt, row = platform.with_fleet(act)
    assert receipt.admitted
    assert receipt.dispatched
    assert not receipt.already_existed
    assert receipt.session_id == "agent-1"
    assert (row.status, row.latest_execution_id) == ("completed", receipt.execution_id)
    assert row.latest_turn_id == "t1-1"


@pytest.mark.from_source
def test_the_same_turn_again_is_the_same_execution(platform: Platform) -> None:
    """Contract 3.3: `dispatched:false`, `alreadyExisted:true`, same `executionId`."""

    async def act(fleet: FleetUnderTest) -> tuple[Receipt, Receipt, Receipt]:
        first = await fleet.dispatch("agent-1", "t1-1", PROMPT)
        early = await fleet.dispatch("agent-1", "t1-1", PROMPT)
        await fleet.finished("agent-1")
        return first, early, await fleet.dispatch("agent-1", "t1-1", PROMPT)

    first, *repeats = platform.with_fleet(act)
    for repeat in repeats:
        assert (repeat.dispatched, repeat.already_existed, repeat.admitted) == (False, True, True)
        assert repeat.execution_id == first.execution_id


@pytest.mark.from_source
def test_a_turn_beside_an_active_one_is_not_admitted(platform: Platform) -> None:
    """Contract 3.3: `dispatched:false` with a different `executionId`: nothing ran."""

    async def act(fleet: FleetUnderTest) -> tuple[Receipt, Receipt, TurnResult | None]:
        first = await fleet.dispatch("agent-1", "t1-1", "Take your time. [[ok]] [[slow 5]]")
        second = await fleet.dispatch("agent-1", "t2-1", PROMPT)
        await fleet.account.sessions.abort(fleet.sandbox_id, "agent-1")
        await fleet.finished("agent-1")
        missed = await fleet.account.sessions.turn(fleet.sandbox_id, "agent-1", "t2-1")
        return first, second, missed

    first, second, missed = platform.with_fleet(act)
    assert not second.admitted
    assert second.execution_id == first.execution_id
    assert missed is None


@pytest.mark.our_choice
def test_a_finished_turn_is_found_by_its_id_and_a_miss_is_nothing(platform: Platform) -> None:
    """Contract 3.3, 10 row 12."""

    async def act(fleet: FleetUnderTest) -> tuple[TurnResult | None, TurnResult | None]:
        await fleet.dispatch("agent-1", "t1-1", PROMPT)
        await fleet.finished("agent-1")
        found = await fleet.account.sessions.turn(fleet.sandbox_id, "agent-1", "t1-1")
        return found, await fleet.account.sessions.turn(fleet.sandbox_id, "agent-1", "t9-1")

    found, missed = platform.with_fleet(act)
    assert found is not None
    assert found.success
    assert missed is None


@pytest.mark.our_choice
def test_events_result_and_session_list_tell_the_same_story(platform: Platform) -> None:
    """Contract 3.4, 3.5, 10 rows 12 and 12a."""

    async def act(
        fleet: FleetUnderTest,
    ) -> tuple[EventRead, TurnResult | None, SessionRow]:
        receipt = await fleet.dispatch("agent-1", "t1-1", PROMPT)
        read = await fleet.frames("agent-1", execution_id=receipt.execution_id)
        result = await fleet.account.sessions.result(
            fleet.sandbox_id, "agent-1", execution_id=receipt.execution_id
        )
        return read, result, await fleet.row("agent-1")

    read, result, row = platform.with_fleet(act)
    reading = read_turn(read.events)
    assert read.complete
    assert result is not None
    assert (reading.outcome_type, result.success, row.status) == ("completed", True, "completed")
    assert reading.final_text == result.response
    assert reading.usage == result.usage == row.token_usage
    assert reading.trace_id == result.trace_id == row.trace_id
    assert reading.cost_usd is None or reading.cost_usd == result.cost_usd == row.cost_usd
    assert len(reading.tool_calls) == len(result.tool_calls)


@pytest.mark.from_source
def test_a_running_turn_has_no_result_yet(platform: Platform) -> None:
    """Contract 10 row 12: 404 while it runs; it shows as nothing."""

    async def act(fleet: FleetUnderTest) -> TurnResult | None:
        await fleet.dispatch("agent-1", "t1-1", "Take your time. [[ok]] [[slow 5]]")
        result = await fleet.account.sessions.result(fleet.sandbox_id, "agent-1")
        await fleet.account.sessions.abort(fleet.sandbox_id, "agent-1")
        return result

    assert platform.with_fleet(act) is None


@pytest.mark.from_source
def test_an_abort_cancels_once_and_says_so(platform: Platform) -> None:
    """Contract 3.1, 3.4: a second call gives false; the status is then `cancelled`."""

    async def act(fleet: FleetUnderTest) -> tuple[AbortAnswer, AbortAnswer, SessionRow]:
        await fleet.dispatch("agent-1", "t1-1", "Take your time. [[ok]] [[slow 20]]")
        first = await fleet.account.sessions.abort(fleet.sandbox_id, "agent-1")
        row = await fleet.finished("agent-1")
        return first, await fleet.account.sessions.abort(fleet.sandbox_id, "agent-1"), row

    first, second, row = platform.with_fleet(act)
    assert (first.cancelled, second.cancelled) == (True, False)
    assert row.status == "cancelled"


@pytest.mark.from_source
def test_an_abort_of_an_unknown_session_had_nothing_to_cancel(platform: Platform) -> None:
    """Contract 3.1: 404 = nothing to cancel."""

    async def act(fleet: FleetUnderTest) -> AbortAnswer:
        return await fleet.account.sessions.abort(fleet.sandbox_id, uuid.uuid4().hex)

    assert not platform.with_fleet(act).cancelled


@pytest.mark.from_source
def test_the_state_of_a_session_names_its_active_execution(platform: Platform) -> None:
    """Contract 3.1: nested under `data` or `session`."""

    async def act(fleet: FleetUnderTest) -> None:
        receipt = await fleet.dispatch("agent-1", "t1-1", "Take your time. [[ok]] [[slow 20]]")
        running = await fleet.account.sessions.state(fleet.sandbox_id, "agent-1")
        assert running.active_execution_id == receipt.execution_id
        await fleet.account.sessions.abort(fleet.sandbox_id, "agent-1")
        await fleet.finished("agent-1")
        ended = await fleet.account.sessions.state(fleet.sandbox_id, "agent-1")
        assert ended.active_execution_id is None
        with pytest.raises(NotFound):
            await fleet.account.sessions.state(fleet.sandbox_id, uuid.uuid4().hex)

    platform.with_fleet(act)


@pytest.mark.our_choice
def test_a_machines_session_list_has_a_row_per_agent_and_pages(platform: Platform) -> None:
    """Contract 10 row 12a."""

    async def act(fleet: FleetUnderTest) -> None:
        for number in (1, 2, 3):
            await fleet.dispatch(f"agent-{number}", f"t{number}-1", PROMPT)
        pages = [
            await fleet.account.sessions.list(fleet.sandbox_id, limit=2, offset=offset)
            for offset in (0, 2)
        ]
        names = [row.session_id for page in pages for row in page.sessions]
        assert sorted(names) == ["agent-1", "agent-2", "agent-3"]
        assert {page.total for page in pages} == {3}

    platform.with_fleet(act)


@pytest.mark.emulator_only
@pytest.mark.parametrize("kind", ["harness", "tool", "model"])
def test_a_failed_turn_says_why_in_every_read(platform: Platform, kind: str) -> None:
    """Contract 3.4, 3.5, 11: a harness can fail before its first model call, with no tokens."""

    async def act(fleet: FleetUnderTest) -> tuple[TurnReading, TurnResult | None, SessionRow]:
        await fleet.dispatch("agent-1", "t1-1", f"Try it. [[fail {kind}]]")
        read = await fleet.frames("agent-1")
        result = await fleet.account.sessions.result(fleet.sandbox_id, "agent-1")
        return read_turn(read.events), result, await fleet.row("agent-1")

    reading, result, row = platform.with_fleet(act)
    assert result is not None
    assert (reading.outcome_type, result.success, row.status) == ("failed", False, "failed")
    assert reading.error == result.error == row.failure_reason
    assert reading.error_code == result.error_code == row.failure_code
    assert (reading.model_calls == 0) is (kind == "harness")
