"""The recorded production run, replayed through the client's own stream parser (contract 3.5)."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.connections import Timeouts
from fleets.platform_api.reading import TurnFold, TurnReading, describe_event, read_turn
from fleets.platform_api.secret import Secret
from fleets.platform_api.transport import Transport
from fleets.platform_api.types import BaseUrls, EventRead, TokenUsage

RUN: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "recorded_run_opencode.json").read_text()
)["events"]
URL = "http://platform.invalid"
pytestmark = pytest.mark.from_source


def frames(run: list[dict[str, Any]], *, newline: str = "\n") -> bytes:
    lines: list[str] = []
    for event in run:
        data = json.dumps(event["data"], ensure_ascii=False)
        lines += [f"id: {event['id']}", f"event: {event['type']}", f"data: {data}", ""]
    return (newline.join(lines) + newline).encode()


class Pieces(httpx.AsyncByteStream):
    """A stream that arrives in pieces of `size` bytes, within characters and lines."""

    def __init__(self, content: bytes, size: int) -> None:
        self.content, self.size = content, size

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self.content), self.size):
            yield self.content[start : start + self.size]


def replay(content: bytes, *, size: int = 4096) -> EventRead:
    def answer(request: httpx.Request) -> httpx.Response:
        headers = {"content-type": "text/event-stream"}
        return httpx.Response(200, headers=headers, stream=Pieces(content, size))

    async def go() -> EventRead:
        http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
        transport = Transport(http=http, timeouts=Timeouts())
        client = PlatformClient(
            BaseUrls(sandbox=URL, id=URL, router=URL), Secret("k"), transport=transport
        )
        try:
            return await client.sessions.read_events("s", "a", idle_s=5, max_s=30)
        finally:
            await transport.aclose()

    return asyncio.run(go())


def read() -> TurnReading:
    return read_turn(replay(frames(RUN)).events)


@pytest.mark.parametrize("size", [1, 7, 1000, 1_000_000])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_frame_arrives_once_in_order_and_whole(size: int, newline: str) -> None:
    found = replay(frames(RUN, newline=newline), size=size)
    assert [event.id for event in found.events] == [event["id"] for event in RUN]
    assert [event.type for event in found.events] == [event["type"] for event in RUN]
    assert [dict(event.data) for event in found.events] == [event["data"] for event in RUN]
    assert found.complete


def test_frames_delivered_twice_arrive_once() -> None:
    twice = [event for event in RUN[:-1] for _ in range(2)] + RUN[-1:]
    assert len(replay(frames(twice)).events) == len(RUN)


def test_the_text_grows_and_is_never_repeated() -> None:
    fold = TurnFold()
    grown: list[str] = []
    for event in replay(frames(RUN)).events:
        fold.add(event)
        if fold.reading().text not in grown[-1:]:
            grown.append(fold.reading().text)
    said = [
        event["data"]["part"]["text"]
        for event in RUN
        if event["type"] == "message.part.updated" and event["data"]["part"]["type"] == "text"
    ]
    assert grown == ["", *said]
    assert fold.reading().text == fold.reading().final_text == RUN[61]["data"]["finalText"]


def test_the_tokens_are_the_results() -> None:
    reading = read()
    assert reading.usage == TokenUsage(
        input_tokens=35_510,
        output_tokens=11_565,
        total_tokens=47_075,
        reasoning_tokens=7_636,
        cache_read_tokens=25_024,
        cache_write_tokens=0,
    )
    assert reading.usage_is_final


def test_the_tokens_of_the_single_steps_add_up_to_the_results() -> None:
    without_ends = [event for event in RUN if event["type"] not in {"result", "done"}]
    reading = read_turn(replay(frames(without_ends)).events)
    assert reading.usage == read().usage
    assert not reading.usage_is_final
    assert not reading.ended


def test_a_cost_of_zero_from_the_harness_is_unknown() -> None:
    assert read().cost_usd is None


def test_the_echoes_do_not_double_the_tools() -> None:
    reading = read()
    assert [call.tool for call in reading.tool_calls] == ["webfetch", "bash"]
    assert {call.status for call in reading.tool_calls} == {"completed"}
    assert reading.tool_calls[0].ended_at_ms == 1_789_257_277_618


def test_what_ran_and_how_it_ended() -> None:
    reading = read()
    assert (reading.outcome_type, reading.ended, reading.error) == ("completed", True, None)
    assert (reading.harness, reading.provider, reading.model) == (
        "opencode",
        "openai-compat",
        "glm-5.3",
    )
    assert (reading.backend_source, reading.profile_digest) == ("profile", "0b1bf898d83519d5")
    assert reading.native_session_id == "ses_f67f4b273ffeq38073UGm8RzAK"
    assert reading.execution_id == RUN[1]["data"]["executionId"]
    assert (reading.model_calls, reading.duration_ms) == (3, 138_790)


def test_the_native_words_of_completion_end_nothing() -> None:
    found = replay(frames(RUN[:61]))
    assert RUN[60]["data"]["status"] == "complete"
    assert not found.complete
    assert not read_turn(found.events).ended


def test_the_last_event_reads_like_a_person_would_say_it() -> None:
    lines = [describe_event(event) for event in replay(frames(RUN)).events]
    assert "webfetch: https://www.alignment.org/blog/can-we-efficiently-explain" in str(lines[12])
    assert str(lines[35]).startswith("bash: curl -s -o /tmp/opencode/arc-explain.html")
    assert lines[18:33] == [None] * 15  # nothing but heartbeats
    assert lines[-1] == "finished"
    assert all(len(line) <= 120 for line in lines if line is not None)
