"""Sandboxes of no fleet, keep-alive, traces, figures of fleets and of the account."""

from decimal import Decimal
from typing import Any

import pytest

from emulator.prices import PRESETS
from tests.unit.emulator.bench import Bench, Reply


@pytest.fixture
def bench() -> Bench:
    return Bench(failure_share=0.0)


def create(bench: Bench, *, keyed: str | None = None, **body: Any) -> Reply:
    headers = {} if keyed is None else {"Idempotency-Key": keyed}
    return bench.call("POST", "/sandbox/v1/sandboxes", body, headers=headers)


def test_sandbox_alone_becomes_running_and_runs_turns(bench: Bench) -> None:
    made = create(bench, name="alone")
    assert (made.status, made.json["status"]) == (201, "provisioning")
    box = made.json["id"]
    bench.run_for(10)
    assert bench.call("GET", f"/sandbox/v1/sandboxes/{box}").json["status"] == "running"
    assert bench.dispatch(box, "s").status == 202
    bench.finish_turns()
    assert bench.execution("s").status == "completed"
    assert bench.call("GET", "/sandbox/v1/fleets").json["total"] == 0


def test_sandbox_alone_is_metered_on_the_key_that_made_it(bench: Bench) -> None:
    key_id, secret = bench.mint(1)
    made = bench.call("POST", "/sandbox/v1/sandboxes", {"name": "alone"}, key=secret)
    bench.run_for(70)
    spent = bench.call("GET", f"/id/v1/keys/{key_id}").json["data"]["budgetSpent"]
    assert spent > Decimal("0.001")
    path = f"/sandbox/v1/sandboxes/{made.json['id']}"
    assert bench.call("DELETE", path).json["outcome"] == "destroyed"
    spent = bench.call("GET", f"/id/v1/keys/{key_id}").json["data"]["budgetSpent"]
    bench.run_for(60)
    assert bench.call("GET", f"/id/v1/keys/{key_id}").json["data"]["budgetSpent"] == spent


def test_keyed_create_is_made_once_and_an_unkeyed_one_each_time(bench: Bench) -> None:
    first, again = (create(bench, keyed="k", name="a") for _ in range(2))
    assert first.json["id"] == again.json["id"]
    assert create(bench, keyed="k", name="b").status == 409
    assert create(bench, name="a").json["id"] != create(bench, name="a").json["id"]
    assert len(bench.call("GET", "/sandbox/v1/sandboxes").json["sandboxes"]) == 3


@pytest.mark.parametrize(
    "body",
    [
        {"colour": "red"},
        {"image": "old", "environment": "new"},
        {"resources": {"cpu": 1}},
        {"resources": {"cpu": 1, "memoryMB": 1024}},
        {"resources": {"cpuCores": 1, "memoryMB": 0}},
        {"env": {"A": 1}},
        {"env": {"A": "x" * 120_001}},
        {"env": {"A": "x" * 100_001, "B": "x" * 100_001}},
        {"git": {"ref": "main"}},
        {"git": {"url": "https://example.org/r", "depth": -1}},
        {"egressPolicy": {"mode": "open"}},
        {"egressPolicy": {"mode": "strict", "allowDomains": ["a", 1]}},
        {"secrets": ["NOBODY"]},
        {"secrets": "some"},
        {"publicTemplateId": "nobody"},
        {"driver": {"type": "abacus"}},
        {"metadata": {"a": "x" * 65_536}},
        {"backend": {"type": "abacus"}},
        {"idleTimeoutSeconds": 0},
    ],
)
def test_create_is_strict(bench: Bench, body: dict[str, Any]) -> None:
    reply = create(bench, **body)
    assert (reply.status, reply.json["code"]) == (400, "VALIDATION_ERROR"), reply.text
    assert bench.world.machines == {}


def test_old_shapes_of_a_create_are_read(bench: Bench) -> None:
    made = create(
        bench,
        image="universal",
        resources={"cpu": 1, "memoryMb": 2048, "storageMb": 10_240},
        backend={"type": "opencode", "provider": "openai", "model": "gpt-4.1-mini",
                 "apiKey": "sk-tan-0123456789abcdef", "mode": "api"},
    )  # fmt: skip
    assert made.json["resources"] == {"cpuCores": 1, "memoryMB": 2048, "diskGB": 10}
    assert "0123456789abcdef" not in str(vars(bench.world.machines[made.json["id"]]))


def test_body_above_the_cap_is_413_and_a_left_out_field_501(bench: Bench) -> None:
    reply = create(bench, name="x" * 250_000)
    assert (reply.status, reply.json["code"]) == (413, "PAYLOAD_TOO_LARGE")
    assert create(bench, fromSnapshot="s").status == 501


def test_sandbox_above_the_ceiling_names_the_limit(bench: Bench) -> None:
    reply = create(bench, resources={"cpuCores": 64, "memoryMB": 1024})
    assert reply.status == 403
    found = {name: reply.json[name] for name in ("code", "quotaType", "current", "limit")}
    assert found == {
        "code": "QUOTA_EXCEEDED", "quotaType": "sandbox.cpuCores", "current": 64, "limit": 16,
    }  # fmt: skip


def test_stopped_sandbox_is_deleted_when_its_create_said_so(bench: Bench) -> None:
    box = create(bench, deleteAfterStoppedSeconds=60).json["id"]
    bench.run_for(10)
    assert bench.call("POST", f"/sandbox/v1/sandboxes/{box}/stop").status == 200
    bench.run_for(59)
    assert bench.world.machines[box].status == "stopped"
    bench.run_for(2)
    assert bench.call("GET", f"/sandbox/v1/sandboxes/{box}").status == 404


def test_list_is_paged_and_filtered_by_several_states(bench: Bench) -> None:
    boxes = [create(bench, name=str(number)).json["id"] for number in range(3)]
    bench.run_for(10)
    bench.call("POST", f"/sandbox/v1/sandboxes/{boxes[0]}/stop")
    bench.call("DELETE", f"/sandbox/v1/sandboxes/{boxes[1]}")

    def listed(query: str) -> list[str]:
        rows = bench.call("GET", f"/sandbox/v1/sandboxes?{query}").json["sandboxes"]
        return [row["id"] for row in rows]

    assert listed("") == [boxes[0], boxes[2]]
    assert listed("status=stopped&status=running&limit=1&offset=1") == [boxes[2]]
    assert listed("status=stopped") == [boxes[0]]
    assert bench.call("GET", "/sandbox/v1/sandboxes?status=odd").status == 400


def test_keep_alive_starts_the_idle_time_again(bench: Bench) -> None:
    box = create(bench, idleTimeoutSeconds=60).json["id"]
    path = f"/sandbox/v1/sandboxes/{box}"
    bench.run_for(50)
    assert bench.call("PATCH", path, {"idleTimeoutSeconds": 100}).status == 200
    bench.run_for(80)
    assert bench.call("GET", path).json["status"] == "running"
    bench.run_for(30)
    assert bench.call("GET", path).json["status"] == "stopped"
    assert bench.call("PATCH", path, {"idleTimeoutSeconds": 100}).status == 409
    assert bench.call("PATCH", path, {}).status == 400


def test_trace_of_a_turn_goes_from_the_api_to_the_router(bench: Bench) -> None:
    (box,) = bench.fleet()
    bench.dispatch(box, "s", "Read. [[ok]] [[calls 3]]")
    bench.finish_turns()
    path = f"/sandbox/v1/sandboxes/{box}/trace"
    trace = bench.call("GET", f"{path}?includeIntelligence=true").json["trace"]
    services = [span["service"] for span in trace["spans"]]
    assert services == ["api", "orchestrator", "runtime", "router", "router", "router"]
    parents = {span["parentSpanId"] for span in trace["spans"][1:]}
    assert parents <= {span["spanId"] for span in trace["spans"]}
    execution = bench.execution("s")
    took_ms = sum(phase["durationMs"] for phase in trace["criticalPath"]["phases"])
    assert took_ms == (execution.ended_ms or 0) - execution.started_ms
    assert bench.call("GET", f"{path}?traceId={execution.trace_id}").json["trace"] == trace
    assert bench.call("GET", f"{path}?traceId={'0' * 32}").status == 404


def test_fleet_tells_how_long_it_ran_and_what_an_hour_costs(bench: Bench) -> None:
    boxes = bench.fleet(machines=2)
    bench.run_for(100)
    bench.call("POST", f"/sandbox/v1/sandboxes/{boxes[0]}/stop")
    bench.run_for(100)
    usage = bench.call("GET", "/sandbox/v1/fleets/fleet-a/usage").json["usage"]
    ran = usage["meteredUsage"]["machineRuntimeMs"]
    assert 100_000 <= ran["m1"] <= 110_000
    assert 200_000 <= ran["m2"] <= 210_000
    assert usage["meteredUsage"]["runtimeMs"] == sum(ran.values())
    assert (usage["runningMachines"], usage["failedMachines"]) == (1, 0)
    estimate = bench.call("GET", "/sandbox/v1/fleets/fleet-a/cost").json["estimate"]
    assert estimate["hourlyUsd"] == Decimal("0.0864")


def test_fleet_capabilities_are_no_fleet(bench: Bench) -> None:
    drivers = bench.call("GET", "/sandbox/v1/fleets/capabilities").json["drivers"]
    assert {"driverType": "firecracker", "accelerators": []} in drivers


def test_account_tells_its_use_and_plan(bench: Bench) -> None:
    (box,) = bench.fleet()
    bench.dispatch(box, "s")
    bench.run_for(120)
    usage = bench.call("GET", "/sandbox/v1/usage").json["data"]
    assert (usage["sessionsCreated"], usage["messagesSent"]) == (1, 1)
    assert usage["active_sandboxes"] == 1
    assert usage["computeMs"] >= 120_000
    plan = bench.call("GET", "/sandbox/v1/usage/subscription").json["data"]
    assert plan["plan"] == "enterprise"
    assert 119 < plan["creditsAvailableUsd"] < 120


def test_shapes_and_backends_name_all_there_is(bench: Bench) -> None:
    shapes = bench.call("GET", "/sandbox/v1/shapes").json
    assert {one["name"] for one in shapes["presets"]} == set(PRESETS)
    backends = bench.call("GET", "/sandbox/v1/backends").json["backends"]
    assert len({one["type"] for one in backends}) == 16
