"""Turns whose caller waits: as a stream, or for one answer."""

from typing import Any

import pytest

from tests.unit.emulator.bench import Bench, Reply, read_frames, turn_body


@pytest.fixture
def bench() -> Bench:
    return Bench(failure_share=0.0)


def run(bench: Bench, box: str, session: str, prompt: str, *, lane: str = "", **more: Any) -> Reply:
    body = {**turn_body(session, prompt), "detach": False, **more}
    return bench.call("POST", f"/sandbox/v1/sandboxes/{box}/runtime/agents/run{lane}", body)


def test_attached_turn_streams_its_frames_to_the_end(bench: Bench) -> None:
    (box,) = bench.fleet()
    reply = run(bench, box, "s", "Read it. [[ok]]", lane="/stream")
    assert reply.status == 200
    frames = read_frames(reply.text)
    assert [name for name, _data in frames][-2:] == ["result", "done"]
    assert frames == bench.frames(box, "s")
    assert bench.execution("s").status == "completed"


def test_repeated_attached_turn_is_replayed_after_its_cursor(bench: Bench) -> None:
    (box,) = bench.fleet()
    first = read_frames(run(bench, box, "s", "Read it.", lane="/stream").text)
    again = run(bench, box, "s", "Read it.", lane="/stream", lastEventId="4")
    assert read_frames(again.text) == first[4:]
    assert len(bench.world.executions) == 1


def test_attached_turn_beside_an_active_one_is_409(bench: Bench) -> None:
    (box,) = bench.fleet()
    bench.dispatch(box, "s", "Read it. [[slow 60]]")
    reply = run(bench, box, "s", "Another.", lane="/stream", turnId="t2")
    assert (reply.status, reply.json["currentState"]) == (409, "running")


def test_attached_turn_needs_no_turn_id(bench: Bench) -> None:
    (box,) = bench.fleet()
    body = {key: value for key, value in turn_body("s", "Read it.").items() if key != "turnId"}
    path = f"/sandbox/v1/sandboxes/{box}/runtime/agents/run/stream"
    assert bench.call("POST", path, {**body, "detach": False}).status == 200
    assert bench.call("POST", path, body).status == 400


def test_blocking_run_answers_with_the_result(bench: Bench) -> None:
    (box,) = bench.fleet()
    data = run(bench, box, "s", "Read it. [[ok]]").json["data"]
    execution = bench.execution("s")
    assert data["outcome"] == {"type": "completed"}
    assert data["finalText"] == execution.said
    assert data["metadata"]["sessionId"] == "s"


def test_blocking_run_is_cut_after_thirty_seconds_and_stops(bench: Bench) -> None:
    (box,) = bench.fleet()
    begun_ms = bench.clock.at_ms
    reply = run(bench, box, "s", "Read it. [[slow 60]]")
    assert reply.status == 500
    execution = bench.execution("s")
    assert execution.status == "cancelled"
    assert 30_000 <= (execution.ended_ms or 0) - begun_ms < 31_000


def test_blocking_run_cannot_be_detached(bench: Bench) -> None:
    (box,) = bench.fleet()
    assert run(bench, box, "s", "Read it.", detach=True).status == 400


def test_failed_run_says_why(bench: Bench) -> None:
    (box,) = bench.fleet()
    data = run(bench, box, "s", "Read it. [[fail model]]").json["data"]
    assert data["outcome"] == {"type": "failed"}
    assert data["errorCode"] == "provider_inference_unavailable"


def test_session_reads_as_messages(bench: Bench) -> None:
    (box,) = bench.fleet()
    for turn in ("t1", "t2"):
        bench.dispatch(box, "s", f"Read it, {turn}. [[ok]]", turn_id=turn)
        bench.finish_turns()
    path = f"/sandbox/v1/sandboxes/{box}/runtime/agents/sessions/s/messages"
    messages = bench.call("GET", path).json["data"]["messages"]
    assert [one["role"] for one in messages] == ["user", "assistant"] * 2
    assert "Read it, t1." in messages[0]["parts"][0]["text"]
    assert messages[3]["parts"][-1]["text"] == bench.execution("s", "t2").said
    assert messages[3]["metadata"]["completed"] is True
    last = bench.call("GET", path + "?limit=1").json["data"]["messages"]
    assert last == messages[-1:]
