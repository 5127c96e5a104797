"""Agents that ask, and what becomes of the answer."""

from typing import Any

import pytest

from tests.unit.emulator.bench import Bench

OUTCOMES = {
    "question": "awaiting_question",
    "approval": "blocked_on_approval",
    "plan": "awaiting_plan_decision",
}


@pytest.fixture
def bench() -> Bench:
    return Bench(failure_share=0.0)


def asked(bench: Bench, kind: str = "question") -> str:
    (box,) = bench.fleet()
    bench.dispatch(box, "s", f"Change it. [[ask {kind}]]")
    bench.finish_turns()
    return f"/sandbox/v1/sandboxes/{box}/runtime/agents/sessions/s"


def outstanding(bench: Bench, base: str) -> Any:
    return bench.call("GET", f"{base}/interactions").json["data"]["interactions"]


@pytest.mark.parametrize("kind", OUTCOMES)
def test_turn_ends_in_its_waiting_outcome(bench: Bench, kind: str) -> None:
    base = asked(bench, kind)
    result = bench.call("GET", f"{base}/result").json
    assert (result["success"], result["status"]) == (False, OUTCOMES[kind])
    (request,) = outstanding(bench, base)
    assert result[kind] == request
    state = bench.call("GET", base).json["data"]
    assert state["outstandingInteractions"] == [request]
    assert state["terminalReason"] == OUTCOMES[kind]
    assert bench.execution("s").cost_nusd > 0
    assert bench.world.account.held_nusd == 0


def test_stream_shows_the_request_before_the_outcome(bench: Bench) -> None:
    base = asked(bench, "plan")
    frames = bench.frames(bench.execution("s").sandbox_id, "s")
    names = [name for name, _data in frames]
    assert names.index("interaction") < names.index("plan.submitted") < names.index("result")
    assert dict(frames)["result"]["outcome"] == {"type": "awaiting_plan_decision"}
    assert dict(frames)["interaction"]["request"]["id"] == outstanding(bench, base)[0]["id"]


def test_answer_counts_once(bench: Bench) -> None:
    base = asked(bench)
    body = {"id": outstanding(bench, base)[0]["id"], "outcome": "accepted", "data": "Both"}
    statuses = [bench.call("POST", f"{base}/interactions", body).status for _ in range(2)]
    assert statuses == [200, 200]
    other = {**body, "outcome": "declined"}
    assert bench.call("POST", f"{base}/interactions", other).status == 409
    assert outstanding(bench, base) == []


def test_wrong_answers_are_refused(bench: Bench) -> None:
    base = asked(bench)
    wanted = outstanding(bench, base)[0]["id"]
    reply = bench.call("POST", f"{base}/interactions", {"id": wanted, "outcome": "maybe"})
    assert (reply.status, reply.json["code"]) == (400, "INVALID_INTERACTION_ANSWER")
    nobody = {"id": "int_nobody", "outcome": "accepted"}
    assert bench.call("POST", f"{base}/interactions", nobody).status == 404
    assert len(outstanding(bench, base)) == 1


def test_next_turn_withdraws_what_nobody_answered(bench: Bench) -> None:
    base = asked(bench)
    (request,) = outstanding(bench, base)
    box = bench.execution("s").sandbox_id
    bench.dispatch(box, "s", "Go on. [[ok]]", turn_id="t2")
    bench.finish_turns()
    assert outstanding(bench, base) == []
    cancelled = dict(bench.frames(box, "s"))["interaction.cancel"]
    assert cancelled["id"] == request["id"]
    assert bench.call("GET", f"{base}/result").json["status"] == "success"
