"""Reads an ended turn's frames to their end, and again where some of them did not come.

A stream may be cut, fall silent or leave frames out; what it has is kept for minutes (contract 10,
row 14), so that the transcript need not lack what one more request brings.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import PlatformError
from fleets.platform_api.sse import StreamEvent
from fleets.platform_api.types import EventRead
from fleets.services.event_store import event_number

# Again for as long as it helps, so many times at most, and twice in vain or after a long silence:
# what has not come by then is not waited for, the result object stands for it.
MOST_READS: Final = 10
MOST_IN_VAIN: Final = 2
IDLE_S: Final = 2.0
MAX_S: Final = 8.0


@dataclass(frozen=True, slots=True)
class Stretch:
    """The execution whose frames are wanted."""

    sandbox_id: str
    session_id: str
    execution_id: str | None


async def read_whole(client: PlatformClient, what: Stretch) -> EventRead:
    """All frames of an ended execution in their order, as far as the platform gives them.

    Raises PlatformError when the first read brings nothing; later ones only add to it.
    """
    found = await _read(client, what, since=None)
    in_vain = 0
    for _repeat in range(MOST_READS - 1):
        last = _whole_up_to(found.events)
        if in_vain == MOST_IN_VAIN or not _lacks(found, last=last):
            break
        try:
            more = await _read(client, what, since=str(last) if last else None)
        except PlatformError:
            in_vain += 1
            continue
        found = _joined(found, more)
        in_vain += more.ended_by == "idle" or _whole_up_to(found.events) == last
    return found


async def _read(client: PlatformClient, what: Stretch, *, since: str | None) -> EventRead:
    return await client.sessions.read_events(
        what.sandbox_id,
        what.session_id,
        execution_id=what.execution_id,
        since=since,
        idle_s=IDLE_S,
        max_s=MAX_S,
    )


def _lacks(read: EventRead, *, last: int) -> bool:
    """Whether another read could bring more; not where frames are gone, or came for very long."""
    if read.expired or read.ended_by == "time":
        return False
    return not read.complete or last < max(_numbers(read.events), default=0)


def _whole_up_to(events: Iterable[StreamEvent]) -> int:
    """The number up to which no frame is missing."""
    here = _numbers(events)
    last = 0
    while last + 1 in here:
        last += 1
    return last


def _joined(first: EventRead, second: EventRead) -> EventRead:
    """Both reads as one: each numbered frame once, in the order of the numbers."""
    known = _numbers(first.events)
    new = [event for event in second.events if event_number(event) not in {None, *known}]
    events = sorted((*first.events, *new), key=lambda event: event_number(event) or 0)
    complete = first.complete or second.complete
    return replace(
        first,
        events=tuple(events),
        complete=complete,
        expired=first.expired or second.expired,
        last_id=second.last_id or first.last_id,
        ended_by="terminal" if complete else second.ended_by,
    )


def _numbers(events: Iterable[StreamEvent]) -> set[int]:
    return {number for event in events if (number := event_number(event)) is not None}
