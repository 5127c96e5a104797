from typing import Any

import pytest

from tests.unit.emulator.bench import Bench


@pytest.fixture
def bench() -> Bench:
    return Bench()


def create(bench: Bench, body: dict[str, Any], *, idempotency_key: str | None = None) -> Any:
    headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
    return bench.call("POST", "/sandbox/v1/fleets", body, headers=headers)


def machines(count: int) -> list[dict[str, Any]]:
    return [{"machineId": f"m{number}"} for number in range(count)]


def statuses(bench: Bench, fleet_id: str = "fleet-a") -> list[str]:
    fleet = bench.call("GET", f"/sandbox/v1/fleets/{fleet_id}").json["fleet"]
    return [one["status"] for one in fleet["machines"]]


def test_machines_are_created_four_at_a_time(bench: Bench) -> None:
    create(bench, {"fleetId": "fleet-a", "machines": machines(10)})
    assert statuses(bench).count("provisioning") == 4
    assert statuses(bench).count("pending") == 6
    most = 0
    while bench.world.fleets["fleet-a"].status == "provisioning":
        most = max(most, statuses(bench).count("provisioning"))
        bench.run_for(1)
    assert most == 4
    assert statuses(bench) == ["running"] * 10


def test_idempotency_key_replays_and_names_one_body(bench: Bench) -> None:
    body = {"machines": machines(2)}
    first = create(bench, body, idempotency_key="k").json["fleet"]
    again = create(bench, body, idempotency_key="k")
    assert again.status == 201
    assert again.json["fleet"]["fleetId"] == first["fleetId"]
    other = create(bench, {"machines": machines(3)}, idempotency_key="k")
    assert (other.status, other.json["code"]) == (409, "INVALID_STATE")
    assert len(bench.world.fleets) == 1


def test_same_fleet_id_twice_is_409(bench: Bench) -> None:
    create(bench, {"fleetId": "fleet-a", "machines": machines(1)})
    assert create(bench, {"fleetId": "fleet-a", "machines": machines(1)}).status == 409


@pytest.mark.parametrize("fleet_id", ["capabilities", "Fleet", "-a", "a" * 64])
def test_forbidden_fleet_ids_are_400(bench: Bench, fleet_id: str) -> None:
    assert create(bench, {"fleetId": fleet_id, "machines": machines(1)}).status == 400


def test_delete_is_202_then_200_then_404_and_leaves_nothing(bench: Bench) -> None:
    key_id, secret = bench.mint(1)
    bench.fleet(key=secret, machines=3)
    path = "/sandbox/v1/fleets/fleet-a"
    first = bench.call("DELETE", path)
    assert (first.status, first.json["status"]) == (202, "deleting")
    bench.run_for(5)
    assert bench.call("GET", path).status == 404
    assert [bench.call("DELETE", path).status for _ in range(2)] == [200, 404]
    row = bench.call("GET", f"/id/v1/keys/{key_id}").json["data"]
    assert row["revokedAt"] is not None
    left = bench.call("GET", "/_emulator/left", key=None).json
    assert left == {"fleets": [], "sandboxes": [], "keys": []}


def test_delete_takes_the_whole_tree_children_first(bench: Bench) -> None:
    _key_id, secret = bench.mint(1)
    bench.fleet(key=secret)
    _child_id, child = bench.mint(0.3, key=secret)
    bench.fleet(key=child, fleet_id="fleet-b", parent={"fleetId": "fleet-a", "agentId": "agent-1"})
    listed = bench.call("GET", "/sandbox/v1/fleets?parentFleetId=fleet-a").json
    assert [one["fleetId"] for one in listed["fleets"]] == ["fleet-b"]
    bench.call("DELETE", "/sandbox/v1/fleets/fleet-a")
    bench.run_for(5)
    left = bench.call("GET", "/_emulator/left", key=None).json
    assert left == {"fleets": [], "sandboxes": [], "keys": []}


def test_child_of_a_budgeted_fleet_needs_a_key_of_its_own(bench: Bench) -> None:
    _key_id, secret = bench.mint(1)
    bench.fleet(key=secret)
    body = {"machines": machines(1), "parent": {"fleetId": "fleet-a"}}
    assert bench.call("POST", "/sandbox/v1/fleets", body, key=secret).status == 403
    assert bench.call("POST", "/sandbox/v1/fleets", body).status == 403


def test_running_turn_ends_when_its_fleet_is_deleted(bench: Bench) -> None:
    (box,) = bench.fleet()
    bench.dispatch(box, "s")
    bench.run_for(1)
    bench.call("DELETE", "/sandbox/v1/fleets/fleet-a")
    assert bench.execution("s").error_code == "SANDBOX_DELETED"


def test_stopped_machine_costs_nothing_and_resumes(bench: Bench) -> None:
    (box,) = bench.fleet()
    bench.call("POST", f"/sandbox/v1/sandboxes/{box}/stop")
    spent = bench.call("GET", "/id/v1/billing/balance").json["data"]["lifetimeSpent"]
    bench.run_for(60)
    assert bench.call("GET", "/id/v1/billing/balance").json["data"]["lifetimeSpent"] == spent
    bench.call("POST", f"/sandbox/v1/sandboxes/{box}/resume")
    bench.run_for(5)
    assert bench.call("GET", f"/sandbox/v1/sandboxes/{box}").json["status"] == "running"


def test_deleted_sandbox_is_404_and_absent_the_second_time(bench: Bench) -> None:
    (box,) = bench.fleet()
    path = f"/sandbox/v1/sandboxes/{box}"
    assert bench.call("DELETE", path).json["outcome"] == "destroyed"
    assert bench.call("GET", path).status == 404
    assert bench.call("DELETE", path).json["outcome"] == "already_absent"
    assert bench.call("GET", "/sandbox/v1/sandboxes").json["sandboxes"] == []


def test_machine_ends_with_its_lifetime_and_stops_when_idle(bench: Bench) -> None:
    bench.fleet(machines=1, defaults={"maxLifetimeSeconds": 100})
    bench.fleet(machines=1, fleet_id="fleet-b", defaults={"idleTimeoutSeconds": 50})
    bench.run_for(60)
    assert statuses(bench, "fleet-b") == ["stopped"]
    bench.run_for(60)
    assert statuses(bench) == ["expired"]


def test_failed_machines_are_kept_or_cleaned_up() -> None:
    for cleanup, expected in ((False, "running"), (True, "failed")):
        bench = Bench()
        bench.world.dials.machine_failure_share = 1.0
        bench.fleet(machines=2, cleanupOnFailure=cleanup)
        bench.run_for(5)
        fleet = bench.call("GET", "/sandbox/v1/fleets/fleet-a").json["fleet"]
        assert fleet["status"] == expected
        wanted = "deleted" if cleanup else "failed"
        assert {one["status"] for one in fleet["machines"]} == {wanted}


def test_create_that_could_cost_more_than_its_policy_is_refused(bench: Bench) -> None:
    body = {
        "machines": machines(2),
        "defaults": {"maxLifetimeSeconds": 3600},
        "policy": {"maxSpendUsd": 0.1},
    }
    assert create(bench, body).status == 400
    body["policy"] = {"maxSpendUsd": 0.1728}
    assert create(bench, body).status == 201
