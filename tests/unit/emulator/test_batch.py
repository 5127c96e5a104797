"""Batches: joined, replayed, cancelled, retried; what they leave behind."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from emulator.resources.batch_body import machines_for, read_items
from tests.unit.emulator.bench import Bench, Reply, read_frames

PATH = "/sandbox/v1/sandboxes/batch/run"


@pytest.fixture
def bench() -> Bench:
    return Bench(failure_share=0.0)


def body_of(tasks: int = 2, *, prompt: str = "Read it. [[ok]]", **more: Any) -> dict[str, Any]:
    return {
        "tasks": [{"id": f"t{number}", "message": prompt} for number in range(tasks)],
        "backends": [{"id": "mini", "type": "opencode", "model": "gpt-4.1-mini"}],
        **more,
    }


def run(bench: Bench, body: dict[str, Any], *, key: str | None = "k") -> Reply:
    headers = {} if key is None else {"Idempotency-Key": key}
    return bench.call("POST", PATH, body, headers=headers)


def test_every_task_runs_on_every_backend_and_the_machines_go(bench: Bench) -> None:
    backends = [
        {"id": "mini", "type": "opencode", "model": "gpt-4.1-mini"},
        {"id": "nano", "type": "opencode", "model": "gpt-4.1-nano"},
    ]
    frames = read_frames(run(bench, body_of(backends=backends)).text)
    names = [name for name, _data in frames]
    assert names[0] == "batch.started"
    assert names.count("task.started") == names.count("task.completed") == 4
    kind, last = frames[-1]
    assert (kind, last["totalSuccess"], last["totalFailure"]) == ("batch.completed", 4, 0)
    pairs = {(row["taskId"], row["backendId"]) for row in last["results"]}
    assert pairs == {(task, one["id"]) for task in ("t0", "t1") for one in backends}
    assert last["costUsd"] == sum(row["costUsd"] for row in last["results"]) > Decimal("0.001")
    assert [data["#"] for _name, data in frames] == [str(n + 1) for n in range(len(frames))]
    bench.run_for(5)
    assert all(one.status == "deleted" for one in bench.world.machines.values())


def test_the_same_key_and_body_replays_and_another_body_is_refused(bench: Bench) -> None:
    first = run(bench, body_of())
    turns = len(bench.world.executions)
    assert run(bench, body_of()).text == first.text
    assert len(bench.world.executions) == turns
    assert run(bench, body_of(3)).status == 409


def test_bill_is_that_of_the_key_that_signed(bench: Bench) -> None:
    key_id, secret = bench.mint(1)
    last = read_frames(bench.call("POST", PATH, body_of(), key=secret).text)[-1][1]
    key = bench.world.ledger.keys[key_id]
    calls = sum(row.amount_nusd for row in bench.world.ledger.entries
                if row.kind == "settle" and row.key_id == key_id)  # fmt: skip
    assert Decimal(calls) / 10**9 == last["costUsd"]
    assert key.spent_nusd > calls


def test_batch_without_a_key_is_cancelled_when_its_caller_leaves(bench: Bench) -> None:
    for key, left in ((None, "cancelled"), ("k", "running")):
        headers = {} if key is None else {"Idempotency-Key": key}
        bench.call("POST", PATH, body_of(), headers=headers, leaves=True)
        batch = list(bench.world.batches.values())[-1]
        assert batch.status == left
    bench.run_while(lambda: batch.status == "running")
    assert batch.events[-1][1]["totalSuccess"] == 2


def test_cancel_keeps_what_was_completed_and_ends_the_rest(bench: Bench) -> None:
    body = body_of(3, prompt="Read it. [[ok]] [[slow 30]]", scalingMode="cheapest")
    bench.call("POST", PATH, body, headers={"Idempotency-Key": "k"}, leaves=True)
    (batch,) = bench.world.batches.values()
    bench.run_while(lambda: batch.items[0]["state"] != "completed")
    path = f"/sandbox/v1/sandboxes/batch/{batch.id}"
    for _time in range(2):
        reply = bench.call("DELETE", path)
        assert reply.json == {
            "batchId": batch.id, "status": "cancelled", "totalSuccess": 1, "totalFailure": 2,
        }  # fmt: skip
    frames = read_frames(run(bench, body).text)
    assert [data["errorCode"] for name, data in frames if name == "task.failed"] == [
        "CANCELLED"
    ] * 2
    assert bench.call("DELETE", "/sandbox/v1/sandboxes/batch/nobody").status == 404


def test_turn_that_ends_before_its_first_call_is_tried_once_more(bench: Bench) -> None:
    frames = read_frames(run(bench, body_of(1, prompt="Read it. [[fail harness]]")).text)
    failed = frames[-2][1]
    assert (frames[-2][0], failed["errorCode"]) == ("task.failed", "HARNESS_START_FAILED")
    assert (failed["retries"], frames[-1][1]["totalFailure"]) == (1, 1)
    assert len(bench.world.executions) == 2
    asks = read_frames(run(bench, body_of(1, prompt="[[ask plan]] Read."), key="other").text)
    assert asks[-2][1]["errorCode"] == "awaiting_plan_decision"
    assert asks[-2][1]["retries"] == 0


def test_tasks_whose_machines_all_failed_fail(bench: Bench) -> None:
    bench.world.dials.machine_failure_share = 1.0
    last = read_frames(run(bench, body_of()).text)[-1][1]
    assert {row["errorCode"] for row in last["results"]} == {"SANDBOX_FAILED"}


def test_restart_goes_on_with_a_keyed_batch_and_cancels_another(tmp_path: Path) -> None:
    state = tmp_path / "state.sqlite3"
    first = Bench(failure_share=0.0, state=state)
    body = body_of(prompt="Read it. [[ok]] [[slow 60]]")
    for key in ("k", "other"):
        first.call("POST", PATH, body, headers={"Idempotency-Key": key}, leaves=True)
    first.run_for(20)
    keyed, other = first.world.batches.values()
    other.idempotency_key = None
    first.world.touch(other)
    first.world.close()
    second = Bench(clock=first.clock, failure_share=0.0, state=state)
    frames = read_frames(run(second, body).text)
    assert frames[-1][1]["totalSuccess"] == 2
    assert [name for name, _data in frames].count("task.started") == 2
    assert second.world.batches[other.id].status == "cancelled"
    assert keyed.status == "running"
    second.world.close()


@pytest.mark.parametrize(("mode", "machines"), [("fastest", 9), ("balanced", 3), ("cheapest", 1)])
def test_scaling_mode_decides_how_many_machines(mode: str, machines: int) -> None:
    items = read_items(body_of(9))
    assert machines_for(items, mode=mode) == ["mini"] * machines
    assert len(machines_for(read_items(body_of(40)), mode="fastest")) == 10


def test_old_body_without_backends_is_read() -> None:
    body = {"tasks": [{"id": "a", "message": "m"}], "backend": {"type": "codex"}}
    (item,) = read_items(body)
    assert item["backend"] == {"id": "default", "type": "codex"}
    assert item["timeoutMs"] == 300_000


@pytest.mark.parametrize(
    "change",
    [
        {"tasks": []},
        {"tasks": [{"id": "a", "message": "m"}] * 2},
        {"tasks": [{"id": "a"}]},
        {"backends": [{"id": "b", "type": "abacus"}]},
        {"backends": []},
        {"backend": {"type": "codex"}},
        {"scalingMode": "slow"},
        {"timeoutMs": 0},
        {"colour": 1},
    ],
)
def test_body_is_strict(bench: Bench, change: dict[str, Any]) -> None:
    assert run(bench, {**body_of(), **change}).status == 400
    assert bench.world.batches == {} == bench.world.machines
