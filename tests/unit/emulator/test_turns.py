from typing import Any

import pytest

from emulator.prices import PRESETS
from tests.unit.emulator.bench import Bench, turn_body


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_receipt_names_the_execution(bench: Bench) -> None:
    (box,) = bench.fleet()
    reply = bench.dispatch(box, "s")
    assert reply.status == 202
    assert reply.json["dispatched"] is True
    assert reply.json["alreadyExisted"] is False
    assert reply.json["status"] == "running"


def test_repeat_of_a_running_or_finished_turn_runs_nothing(bench: Bench) -> None:
    (box,) = bench.fleet()
    first = bench.dispatch(box, "s").json
    again = bench.dispatch(box, "s").json
    bench.finish_turns()
    later = bench.dispatch(box, "s").json
    for reply in (again, later):
        assert (reply["dispatched"], reply["alreadyExisted"]) == (False, True)
        assert reply["executionId"] == first["executionId"]
    assert later["status"] == "completed"
    assert len(bench.world.executions) == 1


def test_other_turn_while_one_is_active_is_not_admitted(bench: Bench) -> None:
    (box,) = bench.fleet()
    first = bench.dispatch(box, "s").json
    other = bench.dispatch(box, "s", turn_id="t2-1").json
    assert (other["dispatched"], other["alreadyExisted"]) == (False, False)
    assert other["executionId"] == first["executionId"]
    bench.finish_turns()
    assert bench.dispatch(box, "s", turn_id="t2-1").json["dispatched"] is True


def test_second_turn_continues_the_session_with_more_input(bench: Bench) -> None:
    (box,) = bench.fleet()
    for turn in ("t1-1", "t2-1"):
        bench.dispatch(box, "s", "Read. [[ok]] [[calls 3]]", turn_id=turn)
        bench.finish_turns()
    first, second = bench.execution("s", "t1-1"), bench.execution("s", "t2-1")
    assert second.context_tokens > first.context_tokens == 0


def transcript(bench: Bench) -> dict[str, Any]:
    return {
        one.session_id: (one.status, one.error_code, one.said, one.tools, one.cost_nusd)
        for one in bench.world.executions.values()
    }


def test_concurrency_changes_no_transcript_outcome_or_cost() -> None:
    together, one_by_one = Bench(failure_share=0.3), Bench(failure_share=0.3)
    for bench, waits in ((together, False), (one_by_one, True)):
        (box,) = bench.fleet(defaults={"resources": PRESETS["large"]})
        for number in range(12):
            bench.dispatch(box, f"s{number}", f"Look at part {number}.")
            if waits:
                bench.finish_turns()
        bench.finish_turns()
    assert transcript(together) == transcript(one_by_one)
    assert {one[0] for one in transcript(together).values()} == {"completed", "failed"}


def test_frames_have_the_habits_of_the_recorded_run(bench: Bench) -> None:
    (box,) = bench.fleet()
    bench.dispatch(box, "s", "Audit the invoices. [[ok]]")
    bench.finish_turns()
    frames = bench.frames(box, "s")
    assert [data["#"] for _name, data in frames] == [str(n + 1) for n in range(len(frames))]
    assert [name for name, _data in frames[:3]] == ["start", "execution.started", "trace.id"]
    tail = [data.get("status", name) for name, data in frames[-4:]]
    assert tail == ["completed", "complete", "result", "done"]
    assert all(data["sandboxId"] == box for _name, data in frames)
    texts = [
        data
        for name, data in frames
        if name == "message.part.updated" and data["part"]["type"] == "text"
    ]
    assert len({data["part"]["id"] for data in texts}) == 1
    assert len({data["part"]["messageID"] for data in texts}) > 1
    assert all(data["part"]["text"].endswith(data["delta"]) for data in texts)
    assert texts[-1]["part"]["text"] == frames[-2][1]["finalText"]
    assert "Audit the invoices" in frames[-2][1]["finalText"]


def test_tokens_of_the_steps_add_up_to_the_result(bench: Bench) -> None:
    (box,) = bench.fleet()
    bench.dispatch(box, "s")
    bench.finish_turns()
    frames = bench.frames(box, "s")
    steps = [
        data["event"]["part"]["tokens"]
        for name, data in frames
        if name == "raw" and data["event"]["type"] == "step_finish"
    ]
    usage = frames[-2][1]["tokenUsage"]
    assert usage == frames[-1][1]["tokenUsage"]
    assert usage["totalTokens"] == sum(step["total"] for step in steps)
    assert usage["outputTokens"] == sum(step["output"] + step["reasoning"] for step in steps)


def test_abort_cancels_once_and_settles_the_call_in_flight(bench: Bench) -> None:
    (box,) = bench.fleet()
    bench.dispatch(box, "s")
    bench.run_for(2)
    path = f"/sandbox/v1/sandboxes/{box}/runtime/agents/sessions/s/abort"
    first, second = bench.call("POST", path, {}), bench.call("POST", path, {})
    assert first.json["data"]["cancelled"] is True
    assert second.json["data"]["cancelled"] is False
    assert bench.sessions(box)[0]["status"] == "cancelled"
    assert bench.execution("s").cost_nusd > 0
    assert bench.world.account.held_nusd == 0
    assert bench.frames(box, "s")[-1][1]["outcome"] == {"type": "cancelled"}


def test_abort_of_an_unknown_session_is_404(bench: Bench) -> None:
    (box,) = bench.fleet()
    path = f"/sandbox/v1/sandboxes/{box}/runtime/agents/sessions/nobody/abort"
    assert bench.call("POST", path, {}).status == 404


def test_result_and_turn_are_404_while_it_runs_and_there_afterwards(bench: Bench) -> None:
    (box,) = bench.fleet()
    bench.dispatch(box, "s")
    base = f"/sandbox/v1/sandboxes/{box}/runtime/agents/sessions/s"
    assert bench.call("GET", f"{base}/result").status == 404
    assert bench.call("GET", f"{base}/turns/t1-1").status == 404
    bench.finish_turns()
    result = bench.call("GET", f"{base}/result").json
    assert result["success"] is True
    assert bench.call("GET", f"{base}/turns/t1-1").json["result"] == result
    rows = bench.call("GET", f"{base}/executions").json["data"]["executions"]
    assert rows[0]["costUsd"] == result["costUsd"]


@pytest.mark.parametrize("kind", ["harness", "tool", "model"])
def test_failed_turn_says_why(bench: Bench, kind: str) -> None:
    (box,) = bench.fleet()
    bench.dispatch(box, "s", f"Go. [[fail {kind}]]")
    bench.finish_turns()
    execution = bench.execution("s")
    assert execution.status == "failed"
    assert (execution.cost_nusd == 0) == (kind == "harness")
    assert [name for name, _data in bench.frames(box, "s")][-2:] == ["error", "done"]


def test_turn_ends_at_its_time_limit(bench: Bench) -> None:
    (box,) = bench.fleet()
    bench.dispatch(box, "s", "Go. [[slow 60]] [[ok]]", timeoutMs=5000)
    bench.finish_turns()
    execution = bench.execution("s")
    assert execution.error_code == "TIMEOUT"
    assert (execution.ended_ms or 0) - execution.started_ms == 5000


def test_replay_starts_after_the_cursor(bench: Bench) -> None:
    (box,) = bench.fleet()
    bench.dispatch(box, "s")
    bench.finish_turns()
    everything = bench.frames(box, "s")
    assert bench.frames(box, "s", "?since=10") == everything[10:]
    path = f"/sandbox/v1/sandboxes/{box}/runtime/agents/sessions/s/events"
    reply = bench.call("GET", path, headers={"Last-Event-ID": "10"})
    assert reply.text.startswith("id: 11\n")


def test_expired_events_are_announced_by_a_warning(bench: Bench) -> None:
    (box,) = bench.fleet()
    bench.dispatch(box, "s")
    bench.finish_turns()
    bench.run_for(301)
    ((name, data),) = bench.frames(box, "s")
    assert (name, data["code"]) == ("warning", "EVENTS_EXPIRED")


def test_turn_with_the_account_key_on_a_budgeted_fleet_is_403(bench: Bench) -> None:
    _key_id, secret = bench.mint(3)
    (box,) = bench.fleet(key=secret)
    assert bench.dispatch(box, "s").status == 403
    _other_id, other = bench.mint(1)
    assert bench.dispatch(box, "s", key=other).status == 403
    assert bench.dispatch(box, "s", key=secret).status == 202


def test_related_key_is_let_through_and_counted_outside(bench: Bench) -> None:
    _key_id, secret = bench.mint(3)
    (box,) = bench.fleet(key=secret)
    _child_id, child = bench.mint(1, key=secret)
    assert bench.dispatch(box, "s", key=child).status == 202
    assert bench.execution("s").outside is True


def test_turn_on_a_machine_that_does_not_run_is_409(bench: Bench) -> None:
    (box,) = bench.fleet()
    bench.call("POST", f"/sandbox/v1/sandboxes/{box}/stop")
    reply = bench.dispatch(box, "s")
    assert reply.status == 409
    assert reply.json["currentState"] == "stopped"


def test_undecodable_prompt_is_400(bench: Bench) -> None:
    (box,) = bench.fleet()
    body = turn_body("s", "x") | {"parts": [{"type": "text", "text": "not base64!"}]}
    path = f"/sandbox/v1/sandboxes/{box}/runtime/agents/run/stream"
    assert bench.call("POST", path, body).status == 400


def test_what_ended_and_was_read_leaves_nothing_behind(bench: Bench) -> None:
    (box,) = bench.fleet()
    for number in range(5):
        bench.dispatch(box, f"s{number}", "Read it. [[ok]]")
    bench.finish_turns()
    for number in range(5):
        assert bench.frames(box, f"s{number}")
    load = bench.call("GET", "/_emulator/load", key=None).json
    assert (load["waiting"], load["held"], load["routerCalls"]) == (0, 0, 0)
    bench.run_for(301)
    # The machine alone is still waited for: its idle time.
    assert bench.call("GET", "/_emulator/load", key=None).json["due"] == 1
    assert bench.world.events == {}
