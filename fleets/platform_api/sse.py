"""Event stream frames (contract 3.5): httpx-sse parses, this adds what a dashboard needs."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import httpx
from httpx_sse import EventSource, ServerSentEvent

from fleets.platform_api.failures import read_json

# Contract 3.5 bounds a frame at 1 MiB of UTF-8; what goes far beyond is not one of their frames.
FRAME_LIMIT = 4 * 1024 * 1024
# A turn is over on these only; the native echoes (`status` completed) promise nothing.
TERMINAL_TYPES = frozenset({"result", "done", "error"})


class FrameTooLong(httpx.StreamError):
    """A frame that does not end within `FRAME_LIMIT` bytes."""


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One frame. `id` is None where the frame brought none; `data` is {} where it was no object."""

    id: str | None
    type: str
    data: Mapping[str, Any]
    raw: str

    @property
    def is_terminal(self) -> bool:
        return self.type in TERMINAL_TYPES and bool(self.data)


class _MeteredStream(httpx.AsyncByteStream):
    """Counts the bytes since the last whole frame, so that an endless line cannot fill memory."""

    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream
        self.since_frame = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self.since_frame += len(chunk)
            if self.since_frame > FRAME_LIMIT:
                raise FrameTooLong("a frame that does not end")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def read_frames(response: httpx.Response, /) -> AsyncGenerator[StreamEvent, None]:
    """The frames of an open event stream in order of delivery, those without data left out."""
    assert isinstance(response.stream, httpx.AsyncByteStream)
    metered = _MeteredStream(response.stream)
    response.stream = metered
    async with aclosing(EventSource(response).aiter_sse()) as events:
        previous: ServerSentEvent | None = None
        async for event in events:
            metered.since_frame = 0
            if not event.data:
                continue  # httpx-sse also reports events that the standard drops
            yield _frame(event, previous)
            previous = event


def _frame(event: ServerSentEvent, previous: ServerSentEvent | None) -> StreamEvent:
    # httpx-sse keeps the last id for frames without one. The same id with another content is
    # such a frame; with the same content it is a frame sent twice.
    inherited = previous is not None and event.id == previous.id and event.data != previous.data
    data = _data(event.data)
    kind = event.event
    if kind == "message" and isinstance(data.get("type"), str):
        kind = data["type"]  # the session bus names its frames in the data only
    return StreamEvent(
        id=None if inherited or not event.id else event.id, type=kind, data=data, raw=event.data
    )


def _data(text: str) -> Mapping[str, Any]:
    try:
        data = read_json(text)
    except ValueError:
        return {}
    return data if isinstance(data, Mapping) else {}


class SeenIds:
    """Drops frames that were delivered before, by id (contract 10 row 14).

    `since` is the cursor the stream was opened with. Whether the platform reads it as exclusive is
    disputed, so what is not beyond it is dropped too. Ids count within one execution: one
    instance per execution.
    """

    def __init__(self, *, since: str | None = None) -> None:
        self._seen: set[str] = set() if since is None else {since}
        self._cursor = event_number(since)

    def is_new(self, event: StreamEvent) -> bool:
        if event.id is None:
            return True
        number = event_number(event.id)
        if self._cursor is not None and number is not None and number <= self._cursor:
            return False
        if event.id in self._seen:
            return False
        self._seen.add(event.id)
        return True


def event_number(event_id: str | None, /) -> int | None:
    """The number that an event's id is, at most 18 digits of it; None for another id."""
    if event_id is None or not event_id.isascii() or not event_id.isdigit():
        return None
    return int(event_id[:18])
