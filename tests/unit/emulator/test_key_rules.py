"""What a child key inherits, what its parent admits, and keys that are rotated."""

from typing import Any

import pytest

from tests.unit.emulator.bench import Bench, Reply


@pytest.fixture
def bench() -> Bench:
    return Bench(failure_share=0.0)


def mint(bench: Bench, *, key: str, **body: Any) -> Reply:
    return bench.call("POST", "/id/v1/keys", {"name": "child", **body}, key=key)


def row(bench: Bench, key_id: str) -> Any:
    return bench.call("GET", f"/id/v1/keys/{key_id}").json["data"]


def test_child_inherits_product_models_and_rate(bench: Bench) -> None:
    rules = {"product": "sandbox", "allowedModels": ["gpt-4.1"], "rpmLimit": 60}
    above = bench.call("POST", "/id/v1/keys", {"name": "parent", **rules}).json["data"]
    child = row(bench, mint(bench, key=above["key"]).json["data"]["id"])
    assert {name: child[name] for name in rules} == rules


@pytest.mark.parametrize(
    "wider",
    [{"product": "router"}, {"allowedModels": ["gpt-4.1", "gpt-5.5"]}, {"rpmLimit": 61}],
)
def test_child_may_have_less_but_never_more(bench: Bench, wider: dict[str, Any]) -> None:
    rules = {"product": "sandbox", "allowedModels": ["gpt-4.1", "gpt-4.1-mini"], "rpmLimit": 60}
    above = bench.call("POST", "/id/v1/keys", {"name": "parent", **rules}).json["data"]
    assert mint(bench, key=above["key"], **wider).status == 400
    less = mint(bench, key=above["key"], allowedModels=["gpt-4.1"], rpmLimit=10).json["data"]
    assert row(bench, less["id"])["rpmLimit"] == 10
    if "product" not in wider:
        path = f"/id/v1/keys/{less['id']}"
        assert bench.call("PATCH", path, {**wider, "name": "new"}).status == 400
        assert row(bench, less["id"])["name"] == "child"


def test_thirty_cents_admit_two_children_of_twelve_and_refuse_the_third(bench: Bench) -> None:
    parent_id, secret = bench.mint(0.3)
    first = bench.mint(0.12, key=secret)
    bench.mint(0.12, key=secret)
    assert mint(bench, key=secret, budgetUsd=0.12).status == 402
    assert bench.call("DELETE", f"/id/v1/keys/{first[0]}").status == 200
    assert str(row(bench, parent_id)["budgetRemaining"]) == "0.18"
    assert mint(bench, key=secret, budgetUsd=0.12).status == 201


def test_deleted_child_returns_only_what_it_had_not_spent(bench: Bench) -> None:
    parent_id, secret = bench.mint(0.5)
    bench.fleet(key=secret, defaults={"resources": {"cpuCores": 0.001, "memoryMB": 1}})
    _child_id, child = bench.mint(0.12, key=secret)
    (box,) = bench.fleet(key=child, fleet_id="fleet-b", parent={"fleetId": "fleet-a"})
    bench.dispatch(box, "s", "Read it. [[ok]]", key=child)
    bench.finish_turns()
    assert bench.execution("s").status == "completed"
    bench.call("DELETE", "/sandbox/v1/fleets/fleet-b")
    bench.run_for(5)
    ledger = bench.world.ledger
    parent = ledger.keys[parent_id]
    assert parent.reserved_nusd == 0
    assert parent.spent_nusd >= bench.execution("s").cost_nusd > 0
    assert ledger.remaining(parent) == 500_000_000 - parent.spent_nusd


def test_rotated_key_hands_over_what_is_left(bench: Bench) -> None:
    key_id, secret = bench.mint(1)
    (box,) = bench.fleet(key=secret)
    bench.dispatch(box, "s", "Read it. [[ok]]", key=secret)
    bench.finish_turns()
    left = row(bench, key_id)["budgetRemaining"]
    data = bench.call("POST", f"/id/v1/keys/{key_id}/rotate").json["data"]
    assert data["revokedKeyId"] == key_id
    fresh = data["newKey"]
    assert row(bench, fresh["id"])["budgetRemaining"] == left
    assert row(bench, key_id)["revokedAt"] is not None
    assert bench.call("GET", "/sandbox/v1/fleets", key=secret).status == 401
    assert bench.dispatch(box, "s", key=fresh["key"], turn_id="t2").status == 202
    bench.run_for(60)
    assert row(bench, fresh["id"])["budgetSpent"] > 0
    bench.call("DELETE", "/sandbox/v1/fleets/fleet-a")
    bench.run_for(5)
    assert row(bench, fresh["id"])["revokedAt"] is not None


def test_key_with_live_children_and_the_account_key_are_not_rotated(bench: Bench) -> None:
    key_id, secret = bench.mint(1)
    bench.mint(0.1, key=secret)
    assert bench.call("POST", f"/id/v1/keys/{key_id}/rotate").status == 409
    assert bench.call("POST", "/id/v1/keys/key-account/rotate").status == 400
    assert bench.call("GET", "/sandbox/v1/fleets", key=secret).status == 200
