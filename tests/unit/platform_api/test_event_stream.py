"""Frames as they come: each once, nothing invented, a stream's end is not a turn's end."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from fleets.platform_api import sse
from fleets.platform_api.errors import ConnectFailed, PlatformSurprise, ServerFault
from fleets.platform_api.types import EventRead, StreamEvent
from tests.unit.platform_api.wire import Wire, answer, events, wire

RESULT = 'id: 3\nevent: result\ndata: {"outcome": {"type": "completed"}}'
DONE = 'id: 4\nevent: done\ndata: {"outcome": {"type": "completed"}}'
START = 'id: 1\nevent: start\ndata: {"id": "r"}'
STATUS = 'id: 2\nevent: status\ndata: {"status": "started"}'


def read(line: Wire, *, since: str | None = None, idle_s: float = 5.0) -> EventRead:
    return line.run(
        lambda client: client.sessions.read_events("s", "a", since=since, idle_s=idle_s)
    )


class Slow(httpx.AsyncByteStream):
    """Sends its pieces, then hangs or breaks."""

    def __init__(self, *pieces: bytes, error: Exception | None = None) -> None:
        self.pieces, self.error = pieces, error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            yield piece
        if self.error is not None:
            raise self.error
        await asyncio.Event().wait()


def stream(*pieces: bytes, error: Exception | None = None) -> Wire:
    headers = {"content-type": "text/event-stream"}
    return wire(httpx.Response(200, headers=headers, stream=Slow(*pieces, error=error)))


def ids(found: EventRead) -> list[str | None]:
    return [event.id for event in found.events]


def test_a_whole_turn_is_complete_and_ends_at_done() -> None:
    found = read(wire(events(START, STATUS, RESULT, DONE)))
    assert (ids(found), found.complete, found.last_id) == (["1", "2", "3", "4"], True, "4")
    assert found.ended_by == "terminal"


def test_a_stream_that_ends_without_a_terminal_frame_is_incomplete() -> None:
    said_completed = 'id: 2\nevent: status\ndata: {"status": "completed"}'
    found = read(wire(events(START, said_completed)))
    assert (found.complete, found.ended_by, found.last_id) == (False, "end", "2")


@pytest.mark.parametrize("kind", ["result", "done", "error"])
def test_only_result_done_and_error_are_terminal(kind: str) -> None:
    assert StreamEvent("1", kind, {"x": 1}, "").is_terminal
    assert not StreamEvent("1", kind, {}, "").is_terminal


def test_frames_sent_twice_arrive_once() -> None:
    found = read(wire(events(START, START, STATUS, START, RESULT, STATUS, DONE)))
    assert ids(found) == ["1", "2", "3", "4"]


@pytest.mark.parametrize("since", ["2", "3"])
def test_an_inclusive_cursor_does_no_harm(since: str) -> None:
    found = read(wire(events(STATUS, RESULT, DONE)), since=since)
    assert ids(found) == [str(number) for number in range(int(since) + 1, 5)]


def test_a_read_without_news_keeps_the_cursor() -> None:
    assert read(wire(events(STATUS)), since="2").last_id == "2"


def test_frames_without_an_id_do_not_take_over_the_last_one() -> None:
    beat = 'event: heartbeat\ndata: {"n": %d}'
    found = read(wire(events(START, beat % 1, beat % 2, STATUS, DONE)))
    assert ids(found) == ["1", None, None, "2", "4"]


def test_frames_without_data_and_comments_are_dropped() -> None:
    found = read(wire(events(": hello", "event: ping", "id: 9", START, DONE)))
    assert [event.type for event in found.events] == ["start", "done"]


def test_a_type_in_the_data_only_is_taken_from_there() -> None:
    found = read(wire(events('data: {"type": "session.idle", "properties": {}}', DONE)))
    assert found.events[0].type == "session.idle"


@pytest.mark.parametrize("text", ["{", "[1]", '"x"', "NaN", "nul"])
def test_a_frame_that_is_no_object_is_kept_and_ends_nothing(text: str) -> None:
    found = read(wire(events(START, f"id: 2\nevent: result\ndata: {text}")))
    assert (found.events[1].data, found.events[1].raw, found.complete) == ({}, text, False)


def test_expired_events_are_reported() -> None:
    warning = 'event: warning\ndata: {"code": "EVENTS_EXPIRED", "message": "too old"}'
    found = read(wire(events(warning, RESULT, DONE)), since="1")
    assert (found.expired, found.complete) == (True, True)


def test_a_quiet_stream_is_left_when_idle() -> None:
    found = read(stream(f"{START}\n\n".encode()), idle_s=0.01)
    assert (ids(found), found.complete, found.ended_by) == (["1"], False, "idle")


def test_after_the_result_a_missing_done_is_not_waited_for_long() -> None:
    found = read(stream(f"{START}\n\n{RESULT}\n\n".encode()), idle_s=60)
    assert (ids(found), found.complete) == (["1", "3"], True)


def test_a_stream_cut_within_a_frame_is_incomplete_without_the_half_frame() -> None:
    half = f"{START}\n\n{RESULT[:40]}".encode()
    found = read(stream(half, error=httpx.ReadError("cut")))
    assert (ids(found), found.complete, found.ended_by) == (["1"], False, "broken")


def test_a_stream_that_breaks_before_its_first_frame_raises() -> None:
    with pytest.raises(ConnectFailed):
        read(stream(error=httpx.ReadError("cut")))


def test_a_stream_is_not_opened_twice_by_itself() -> None:
    line = wire(answer(503))
    with pytest.raises(ServerFault):
        read(line)
    assert len(line.requests) == 1


def test_an_answer_that_is_no_stream_is_a_surprise() -> None:
    with pytest.raises(PlatformSurprise):
        read(wire(answer(200, {"data": {}})))


def test_a_frame_that_never_ends_cannot_fill_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "FRAME_LIMIT", 1000)
    with pytest.raises(PlatformSurprise):
        read(stream(b"data: ", *[b"x" * 100] * 20))


def test_many_frames_in_one_piece_are_not_one_long_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "FRAME_LIMIT", 1000)
    many = [f'id: {n}\nevent: status\ndata: {{"n": {n}}}' for n in range(1, 200)]
    pieces = [f"{frame}\n\n".encode() for frame in [*many, 'id: 200\nevent: done\ndata: {"a": 1}']]
    assert len(read(stream(*pieces)).events) == 200


def test_an_iterator_stops_when_asked() -> None:
    line = wire(events(START, STATUS, RESULT, DONE))
    found = line.run(
        lambda client: _types(
            client.sessions.events("s", "a", stop_when=lambda event: event.type == "status")
        )
    )
    assert found == ["start", "status"]


async def _types(stream: AsyncIterator[StreamEvent]) -> list[str]:
    return [event.type async for event in stream]
