"""Event streams: replay, cursors, expiry, cuts (contract 3.5, 10 rows 12 and 14)."""

from contextlib import aclosing

import httpx
import pytest

from fleets.platform_api.errors import PlatformUnavailable
from fleets.platform_api.reading import read_turn
from fleets.platform_api.types import EventRead, StreamEvent
from tests.contract.machines import MachineUnderTest
from tests.contract.platform import Platform

PROMPT = "Look around and say what you see. [[ok]] [[calls 4]]"


async def whole_turn(made: MachineUnderTest) -> EventRead:
    receipt = await made.dispatch("agent-1", "t1-1", PROMPT)
    return await made.frames("agent-1", execution_id=receipt.execution_id)


@pytest.mark.our_choice
@pytest.mark.covers("sessions.events")
def test_ids_count_from_one_and_result_and_done_come_last(platform: Platform) -> None:
    """Contract 3.5, read at the address of 10 row 12."""
    read = platform.with_machine(whole_turn)
    assert [event.id for event in read.events] == [str(n + 1) for n in range(len(read.events))]
    assert [event.type for event in read.events][-2:] == ["result", "done"]
    assert read.complete


@pytest.mark.our_choice
@pytest.mark.covers("sessions.events")
def test_replay_gives_the_same_frames_again(platform: Platform) -> None:
    """Contract 3.5: replay within the buffer, at the address of 10 row 12."""

    async def act(made: MachineUnderTest) -> tuple[EventRead, EventRead]:
        return await whole_turn(made), await made.frames("agent-1")

    first, second = platform.with_machine(act)
    assert first.events == second.events


@pytest.mark.our_choice
@pytest.mark.covers("sessions.events")
def test_replay_from_a_cursor_gives_the_rest_whether_exclusive_or_not(platform: Platform) -> None:
    """Contract 10 row 14: disputed; the client makes both readings the same."""

    async def act(made: MachineUnderTest) -> tuple[EventRead, list[EventRead]]:
        first = await whole_turn(made)
        cursors = ("1", "5", str(len(first.events) - 1))
        return first, [
            await made.frames("agent-1", execution_id=_execution(first), since=cursor)
            for cursor in cursors
        ]

    first, (from_one, from_five, from_last) = platform.with_machine(act)
    assert from_one.events == first.events[1:]
    assert from_five.events == first.events[5:]
    assert [event.type for event in from_last.events] == ["done"]


@pytest.mark.our_choice
@pytest.mark.covers("sessions.events")
def test_after_the_last_frame_a_stream_is_empty_and_ends(platform: Platform) -> None:
    """Contract 10 row 12: ends when the execution has ended."""

    async def act(made: MachineUnderTest) -> tuple[EventRead, EventRead]:
        first = await whole_turn(made)
        return first, await made.frames("agent-1", since=first.last_id)

    first, rest = platform.with_machine(act)
    assert (rest.events, rest.complete, rest.ended_by) == ((), False, "end")
    assert rest.last_id == first.last_id


@pytest.mark.our_choice
@pytest.mark.covers("sessions.events")
def test_two_readers_of_a_running_turn_see_the_same_frames(platform: Platform) -> None:
    """Contract 3.5: a detached turn has any number of readers (10 row 12), none stops it."""

    async def act(made: MachineUnderTest) -> tuple[list[StreamEvent], EventRead]:
        receipt = await made.dispatch("agent-1", "t1-1", f"{PROMPT} [[slow 1]]")
        stream = made.account.sessions.events(
            made.sandbox_id, "agent-1", execution_id=receipt.execution_id
        )
        early: list[StreamEvent] = []
        async with aclosing(stream):
            async for event in stream:
                early.append(event)
                if len(early) == 6:
                    break  # this reader leaves in the middle
        return early, await made.frames("agent-1", execution_id=receipt.execution_id)

    early, whole = platform.with_machine(act)
    assert list(whole.events[:6]) == early
    assert whole.complete


@pytest.mark.our_choice
@pytest.mark.covers("sessions.events")
def test_each_execution_counts_its_own_ids_and_the_latest_is_the_default(
    platform: Platform,
) -> None:
    """Contract 10 row 12."""

    async def act(made: MachineUnderTest) -> tuple[EventRead, EventRead, EventRead]:
        first = await whole_turn(made)
        receipt = await made.dispatch("agent-1", "t2-1", "And now? [[ok]]")
        named = await made.frames("agent-1", execution_id=receipt.execution_id)
        return first, named, await made.frames("agent-1")

    first, named, latest = platform.with_machine(act)
    assert named.events == latest.events
    assert (first.events[0].id, named.events[0].id) == ("1", "1")
    assert _execution(first) != _execution(named)


@pytest.mark.emulator_only
@pytest.mark.covers("sessions.events")
def test_an_expired_cursor_is_told_before_what_is_left(platform: Platform) -> None:
    """Contract 10 row 14."""

    async def act(made: MachineUnderTest) -> EventRead:
        await whole_turn(made)
        platform.control("POST", "clock", {"advanceS": 400})
        return await made.frames("agent-1", since="3")

    read = platform.with_machine(act)
    assert read.expired
    assert not read.complete
    assert read.events[0].type == "warning"


@pytest.mark.emulator_only
@pytest.mark.covers("sessions.events")
@pytest.mark.parametrize("after_bytes", [0, 300, 2500])
def test_a_stream_cut_in_the_middle_is_never_a_completed_turn(
    platform: Platform, after_bytes: int
) -> None:
    """Contract 3.5, 11: the outcome is unknown and must be read again."""

    async def act(made: MachineUnderTest) -> EventRead | PlatformUnavailable:
        whole = await whole_turn(made)
        platform.fault("sessions.events", "truncate", afterBytes=after_bytes, count=1)
        try:
            cut = await made.frames("agent-1", execution_id=_execution(whole))
        except PlatformUnavailable as error:
            return error
        rest = await made.frames("agent-1", execution_id=_execution(whole), since=cut.last_id)
        assert cut.events + rest.events == whole.events
        return cut

    found = platform.with_machine(act)
    if isinstance(found, EventRead):
        assert not found.complete
        assert found.ended_by == "broken"
    else:
        assert after_bytes < 300


@pytest.mark.emulator_only
@pytest.mark.covers("sessions.events")
def test_a_raw_stream_is_framed_as_the_contract_says(platform: Platform) -> None:
    """Contract 3.5: `id`, `event`, `data` lines and a blank one."""

    async def act(made: MachineUnderTest) -> str:
        await whole_turn(made)
        url = (
            f"{platform.urls.sandbox}/v1/sandboxes/{made.sandbox_id}"
            "/runtime/agents/sessions/agent-1/events"
        )
        headers = {"authorization": f"Bearer {platform.account_key.reveal()}"}
        async with httpx.AsyncClient(verify=False) as client:
            response = await client.get(url, headers=headers)
        assert response.headers["content-type"].startswith("text/event-stream")
        return response.text

    first, *_ = platform.with_machine(act).split("\n\n")
    lines = [line.partition(": ")[0] for line in first.splitlines()]
    assert lines == ["id", "event", "data"]


def _execution(read: EventRead) -> str:
    found = read_turn(read.events).execution_id
    assert found is not None
    return found
