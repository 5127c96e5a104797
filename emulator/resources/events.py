"""The event stream of one execution, with replay (contract 3.5 and 10, rows 12 and 14)."""

from collections.abc import AsyncIterator
from itertools import islice

from emulator.calls import Call, StreamAnswer
from emulator.entities import Execution, Session
from emulator.errors import not_found
from emulator.money import dumps
from emulator.resources.sessions import find_session
from emulator.store import Event
from emulator.strict import read_cursor
from emulator.waiting import frame_or_quiet
from emulator.world import World


def stream(call: Call) -> StreamAnswer:
    """From just after the cursor until the execution has ended and all was sent."""
    session = find_session(call)
    execution = _execution(call, session)
    cursor = _cursor(call)
    call.entry.execution_id = execution.id
    return StreamAnswer(frames_of(call.world, execution, cursor=cursor))


def _execution(call: Call, session: Session) -> Execution:
    wanted = call.query.get("executionId")
    if wanted is None:
        wanted = session.active_execution_id or session.execution_ids[-1]
    execution = call.world.executions.get(wanted)
    if execution is None or execution.session_key != session.id:
        raise not_found("execution", wanted)
    return execution


def _cursor(call: Call) -> int:
    """The last event that the caller has; `since`, then `lastEventId`, then the header."""
    text = (
        call.query.get("since")
        or call.query.get("lastEventId")
        or call.headers.get("last-event-id")
        or "0"
    )
    return read_cursor(text, name="since")


async def frames_of(world: World, execution: Execution, *, cursor: int) -> AsyncIterator[str]:
    """What comes after the cursor, until the execution has ended and all was sent."""
    with world.lock:
        expired = world.prune_events(execution.id)
        first = _first(world, execution)
    if expired and first > cursor + 1:
        body = {
            "code": "EVENTS_EXPIRED",
            "message": f"Events before {first} are no longer kept.",
            "sandboxId": execution.sandbox_id,
        }
        yield f"event: warning\ndata: {dumps(body)}\n\n"
    while not world.stopping.is_set():
        with world.lock:
            ended = execution.status != "running"
            batch = _after(world, execution, cursor)
        if batch:
            cursor = batch[-1].n
            yield "".join(
                f"id: {event.n}\nevent: {event.type}\ndata: {event.data}\n\n" for event in batch
            )
        elif ended:
            return
        elif not await frame_or_quiet(world, world.signal_of(execution.id)):
            yield ": keep-alive\n\n"


def _first(world: World, execution: Execution) -> int:
    buffer = world.events.get(execution.id)
    return buffer[0].n if buffer else execution.events + 1


def _after(world: World, execution: Execution, cursor: int) -> list[Event]:
    buffer = world.events.get(execution.id)
    if not buffer:
        return []
    # Ids are consecutive within the buffer, so the cursor is an index.
    return list(islice(buffer, max(0, cursor + 1 - buffer[0].n), None))
