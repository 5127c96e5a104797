"""Turns: dispatch, admission, attached runs, results, abort (contract 3)."""

import uuid
from contextlib import aclosing

import pytest

from fleets.platform_api.errors import WrongState
from fleets.platform_api.reading import TurnReading, read_turn
from fleets.platform_api.types import (
    AbortAnswer,
    EventRead,
    Receipt,
    SessionRow,
    SessionState,
    StreamEvent,
    TurnResult,
)
from tests.contract.machines import BACKEND, MachineUnderTest
from tests.contract.platform import Platform

PROMPT = "Say hello in one sentence. [[ok]]"
LONG = "Count from one to five hundred, one number a line. [[ok]] [[slow 200]]"
ENDED_WELL = {"completed", "idle", "terminal"}


async def attached(
    made: MachineUnderTest, session_id: str, turn_id: str, prompt: str
) -> list[StreamEvent]:
    stream = made.signed.sessions.stream(
        made.sandbox_id, session_id=session_id, turn_id=turn_id, prompt=prompt, backend=BACKEND
    )
    async with aclosing(stream):
        return [event async for event in stream]


@pytest.mark.from_source
@pytest.mark.covers("sessions.dispatch")
def test_a_detached_turn_answers_a_receipt_and_runs_on(platform: Platform) -> None:
    """Contract 3.3."""

    async def act(made: MachineUnderTest) -> tuple[Receipt, SessionState]:
        receipt = await made.dispatch("agent-1", "t1-1", PROMPT)
        return receipt, await made.ended("agent-1")

    receipt, state = platform.with_machine(act)
    assert receipt.admitted
    assert receipt.dispatched
    assert not receipt.already_existed
    assert receipt.session_id == "agent-1"
    assert state.status in ENDED_WELL
    assert state.latest_execution_id in {receipt.execution_id, None}


@pytest.mark.from_source
@pytest.mark.covers("sessions.dispatch")
def test_the_same_turn_again_is_the_same_execution(platform: Platform) -> None:
    """Contract 3.3: `dispatched:false`, `alreadyExisted:true`, same `executionId`."""

    async def act(made: MachineUnderTest) -> tuple[Receipt, Receipt]:
        first = await made.dispatch("agent-1", "t1-1", PROMPT)
        await made.ended("agent-1")
        return first, await made.dispatch("agent-1", "t1-1", PROMPT)

    first, repeat = platform.with_machine(act)
    assert (repeat.dispatched, repeat.already_existed, repeat.admitted) == (False, True, True)
    assert repeat.execution_id == first.execution_id


@pytest.mark.our_choice
@pytest.mark.covers("sessions.dispatch")
def test_the_same_turn_while_it_runs_is_the_same_execution_too(platform: Platform) -> None:
    """Contract 10 row 13: 3.3 tells only what a finished turn answers."""

    async def act(made: MachineUnderTest) -> tuple[Receipt, Receipt]:
        first = await made.dispatch("agent-1", "t1-1", LONG)
        early = await made.dispatch("agent-1", "t1-1", LONG)
        await made.account.sessions.abort(made.sandbox_id, "agent-1")
        return first, early

    first, early = platform.with_machine(act)
    assert (early.admitted, early.dispatched) == (True, False)
    assert early.execution_id == first.execution_id


@pytest.mark.from_source
@pytest.mark.covers("sessions.dispatch", "sessions.abort")
def test_a_turn_beside_an_active_one_is_not_admitted(platform: Platform) -> None:
    """Contract 3.3: `dispatched:false` with a different `executionId`: nothing ran."""

    async def act(made: MachineUnderTest) -> tuple[Receipt, Receipt]:
        first = await made.dispatch("agent-1", "t1-1", LONG)
        second = await made.dispatch("agent-1", "t2-1", PROMPT)
        await made.account.sessions.abort(made.sandbox_id, "agent-1")
        await made.ended("agent-1")
        return first, second

    first, second = platform.with_machine(act)
    assert not second.admitted
    assert second.active_execution_id == first.execution_id


@pytest.mark.from_source
@pytest.mark.covers("sessions.run")
def test_a_blocking_run_answers_with_the_result(platform: Platform) -> None:
    """Contract 3.1: `{data: {outcome, finalText, tokenUsage, …}}`."""

    async def act(made: MachineUnderTest) -> TurnResult:
        return await made.signed.sessions.run(
            made.sandbox_id, session_id="s", turn_id="t1-1", prompt=PROMPT, backend=BACKEND
        )

    result = platform.with_machine(act)
    assert (result.status, result.success) == ("completed", True)
    assert result.response
    assert result.usage is not None
    assert result.usage.total_tokens


@pytest.mark.from_source
@pytest.mark.covers("sessions.dispatch")
def test_an_attached_run_streams_until_done(platform: Platform) -> None:
    """Contract 3.1, 3.5: ids from one; `result`, then `done` as the last."""

    async def act(made: MachineUnderTest) -> list[StreamEvent]:
        return await attached(made, "s", "t1-1", PROMPT)

    events = platform.with_machine(act)
    assert events[0].type == "start"
    assert [event.type for event in events][-2:] == ["result", "done"]
    assert [event.id for event in events] == [str(n + 1) for n in range(len(events))]
    reading = read_turn(events)
    assert (reading.ended, reading.outcome_type) == (True, "completed")
    assert reading.final_text
    assert reading.execution_id


@pytest.mark.from_source
@pytest.mark.covers("sessions.dispatch", "sessions.state")
def test_a_stream_that_its_caller_drops_stops_the_turn(platform: Platform) -> None:
    """Contract 3.3."""

    async def act(made: MachineUnderTest) -> SessionState:
        stream = made.signed.sessions.stream(
            made.sandbox_id, session_id="s", turn_id="t1-1", prompt=LONG, backend=BACKEND
        )
        async with aclosing(stream):
            async for event in stream:
                if event.type == "execution.started":
                    break
        return await made.ended("s")

    assert platform.with_machine(act).status not in {"running", "completed"}


@pytest.mark.our_choice
@pytest.mark.covers("sessions.dispatch")
def test_an_attached_run_beside_an_active_turn_is_409(platform: Platform) -> None:
    """Contract 3.3 leaves open how an attached run says that it was not admitted."""

    async def act(made: MachineUnderTest) -> None:
        await made.dispatch("s", "t1-1", LONG)
        with pytest.raises(WrongState):
            await attached(made, "s", "t2-1", PROMPT)
        await made.account.sessions.abort(made.sandbox_id, "s")

    platform.with_machine(act)


@pytest.mark.our_choice
@pytest.mark.covers("sessions.turn")
def test_a_finished_turn_is_found_by_its_id_and_a_miss_is_nothing(platform: Platform) -> None:
    """Contract 3.3, 10 row 12."""

    async def act(made: MachineUnderTest) -> tuple[TurnResult | None, TurnResult | None]:
        await made.dispatch("agent-1", "t1-1", PROMPT)
        await made.ended("agent-1")
        found = await made.account.sessions.turn(made.sandbox_id, "agent-1", "t1-1")
        return found, await made.account.sessions.turn(made.sandbox_id, "agent-1", "t9-1")

    found, missed = platform.with_machine(act)
    assert found is not None
    assert found.success
    assert missed is None


@pytest.mark.our_choice
@pytest.mark.covers("sessions.result", "sessions.events", "sessions.list")
def test_events_result_and_session_list_tell_the_same_story(platform: Platform) -> None:
    """Contract 3.4, 3.5, 10 rows 12 and 12a."""

    async def act(made: MachineUnderTest) -> tuple[EventRead, TurnResult | None, SessionRow]:
        receipt = await made.dispatch("agent-1", "t1-1", PROMPT)
        read = await made.frames("agent-1", execution_id=receipt.execution_id)
        result = await made.account.sessions.result(
            made.sandbox_id, "agent-1", execution_id=receipt.execution_id
        )
        return read, result, await made.finished("agent-1")

    read, result, row = platform.with_machine(act)
    reading = read_turn(read.events)
    assert read.complete
    assert result is not None
    assert (reading.outcome_type, result.success, row.status) == ("completed", True, "completed")
    assert reading.final_text == result.response
    assert reading.usage == result.usage == row.token_usage
    assert reading.trace_id == result.trace_id == row.trace_id
    assert reading.cost_usd is None or reading.cost_usd == result.cost_usd == row.cost_usd
    assert len(reading.tool_calls) == len(result.tool_calls)


@pytest.mark.our_choice
@pytest.mark.covers("sessions.result")
def test_a_running_turn_has_no_result_yet(platform: Platform) -> None:
    """Contract 10 row 12: 404 while it runs; it shows as nothing."""

    async def act(made: MachineUnderTest) -> TurnResult | None:
        await made.dispatch("agent-1", "t1-1", LONG)
        result = await made.account.sessions.result(made.sandbox_id, "agent-1")
        await made.account.sessions.abort(made.sandbox_id, "agent-1")
        return result

    assert platform.with_machine(act) is None


@pytest.mark.from_source
@pytest.mark.covers("sessions.abort", "sessions.state")
def test_an_abort_cancels_once_and_says_so(platform: Platform) -> None:
    """Contract 3.1, 3.4: a second call gives false; the status is then `cancelled`."""

    async def act(made: MachineUnderTest) -> tuple[AbortAnswer, AbortAnswer, SessionState]:
        await made.dispatch("agent-1", "t1-1", LONG)
        first = await made.account.sessions.abort(made.sandbox_id, "agent-1")
        state = await made.ended("agent-1")
        return first, await made.account.sessions.abort(made.sandbox_id, "agent-1"), state

    first, second, state = platform.with_machine(act)
    assert (first.cancelled, second.cancelled) == (True, False)
    assert state.status in {"cancelled", "aborted"}


@pytest.mark.from_source
@pytest.mark.covers("sessions.abort")
def test_an_abort_of_an_unknown_session_had_nothing_to_cancel(platform: Platform) -> None:
    """Contract 3.1: 404 = nothing to cancel."""

    async def act(made: MachineUnderTest) -> AbortAnswer:
        return await made.account.sessions.abort(made.sandbox_id, uuid.uuid4().hex)

    assert not platform.with_machine(act).cancelled


@pytest.mark.emulator_only
@pytest.mark.covers("sessions.result", "sessions.events", "sessions.list")
@pytest.mark.parametrize("kind", ["harness", "tool", "model"])
def test_a_failed_turn_says_why_in_every_read(platform: Platform, kind: str) -> None:
    """Contract 3.4, 3.5, 11: a harness can fail before its first model call, with no tokens."""

    async def act(made: MachineUnderTest) -> tuple[TurnReading, TurnResult | None, SessionRow]:
        await made.dispatch("agent-1", "t1-1", f"Try it. [[fail {kind}]]")
        read = await made.frames("agent-1")
        result = await made.account.sessions.result(made.sandbox_id, "agent-1")
        return read_turn(read.events), result, await made.row("agent-1")

    reading, result, row = platform.with_machine(act)
    assert result is not None
    assert (reading.outcome_type, result.success, row.status) == ("failed", False, "failed")
    assert reading.error == result.error == row.failure_reason
    assert reading.error_code == result.error_code == row.failure_code
    assert (reading.model_calls == 0) is (kind == "harness")
