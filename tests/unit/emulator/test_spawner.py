"""A process that goes on after its agent was interrupted: only the key stops it."""

from pathlib import Path

import pytest

from emulator.entities import Spawner
from tests.unit.emulator.bench import Bench, HandClock

PROMPT = "Read it. [[ok]] [[slow 600]] [[spawn {children}]]"


@pytest.fixture
def bench() -> Bench:
    return Bench(failure_share=0.0)


def spawned(bench: Bench, *, budget_usd: float = 3, children: int = 0) -> tuple[str, str, Spawner]:
    """(key id, sandbox id, the process) of a fleet whose only agent left one behind."""
    key_id, secret = bench.mint(budget_usd)
    # Machines cost next to nothing here, so that the budget is for calls and children.
    tiny = {"resources": {"cpuCores": 0.001, "memoryMB": 1024}}
    (box,) = bench.fleet(key=secret, defaults=tiny)
    bench.dispatch(box, "agent-1", PROMPT.format(children=children), key=secret)
    bench.run_while(lambda: not bench.world.spawners)
    (spawner,) = bench.world.spawners.values()
    return key_id, box, spawner


def cancel(bench: Bench, box: str) -> None:
    path = f"/sandbox/v1/sandboxes/{box}/runtime/agents/sessions/agent-1/abort"
    assert bench.call("POST", path, {}).json["data"]["cancelled"] is True


def test_cancel_ends_the_turn_and_not_the_process(bench: Bench) -> None:
    key_id, box, spawner = spawned(bench)
    bench.run_for(5)
    cancel(bench, box)
    spent, calls = bench.world.ledger.keys[key_id].spent_nusd, spawner.calls
    bench.run_for(60)
    assert bench.execution("agent-1").status == "cancelled"
    assert spawner.is_running
    assert spawner.calls >= calls + 29
    assert bench.world.ledger.keys[key_id].spent_nusd > spent


def test_cut_off_ends_it_once_the_call_in_flight_is_settled(bench: Bench) -> None:
    key_id, box, spawner = spawned(bench)
    bench.run_for(5)
    cancel(bench, box)
    assert bench.call("PATCH", f"/id/v1/keys/{key_id}", {"budgetUsd": 0}).status == 200
    cut_ms = bench.clock.at_ms
    bench.run_for(60)
    assert not spawner.is_running
    key = bench.world.ledger.keys[key_id]
    assert key.held_nusd == 0
    late = [
        row
        for row in bench.world.ledger.entries
        if row.key_id == key_id and row.at_ms > cut_ms and row.kind == "settle"
    ]
    assert len(late) == 1
    assert (late[0].held_ms or 0) <= cut_ms


def test_end_of_the_machine_ends_it_too(bench: Bench) -> None:
    key_id, box, spawner = spawned(bench)
    bench.call("DELETE", f"/sandbox/v1/sandboxes/{box}")
    bench.run_for(10)
    assert not spawner.is_running
    assert bench.world.ledger.keys[key_id].held_nusd == 0


def test_thirty_cents_admit_two_children_and_no_third(bench: Bench) -> None:
    key_id, box, spawner = spawned(bench, budget_usd=0.3, children=3)
    cancel(bench, box)
    bench.run_for(60)
    children = bench.call("GET", "/sandbox/v1/fleets?parentFleetId=fleet-a").json["fleets"]
    assert len(children) == spawner.made == 2
    assert all(one["status"] == "running" for one in children)
    assert children[0]["parent"] == {"fleetId": "fleet-a", "agentId": "agent-1"}
    key = bench.world.ledger.keys[key_id]
    assert [one.name for one in bench.world.ledger.descendants(key_id)] == ["spawned"] * 2
    assert key.reserved_nusd <= 240_000_000
    assert bench.world.ledger.raw_remaining(key) >= 0


def test_children_are_found_and_deleted_with_their_parent(bench: Bench) -> None:
    spawned(bench, children=2)
    bench.run_for(20)
    bench.call("DELETE", "/sandbox/v1/fleets/fleet-a")
    bench.run_for(10)
    left = bench.call("GET", "/_emulator/left", key=None).json
    assert left == {"fleets": [], "sandboxes": [], "keys": []}
    (shown,) = bench.call("GET", "/_emulator/state", key=None).json["spawners"]
    assert (shown["isRunning"], shown["children"]) == (False, 2)


def test_it_goes_on_after_a_restart(tmp_path: Path) -> None:
    before = Bench(state=tmp_path / "world.db", failure_share=0.0)
    spawned(before)
    before.run_for(10)
    before.world.close()
    later = HandClock(before.clock.at_ms + 3_600_000)
    after = Bench(state=tmp_path / "world.db", clock=later, failure_share=0.0)
    (spawner,) = after.world.spawners.values()
    calls = spawner.calls
    after.run_for(20)
    assert spawner.calls == calls + 10
    after.world.close()
