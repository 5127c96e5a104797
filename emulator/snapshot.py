"""The world as control shows it: exact integers of nanodollars, nothing secret."""

from decimal import Decimal
from typing import Any

from emulator.entities import Execution, Machine, Spawner
from emulator.world import World

JsonObject = dict[str, Any]


def state(world: World) -> JsonObject:
    """Everything that exists, deleted things included with their last status."""
    now_ms = world.now_ms()
    world.ledger.accrue(now_ms)
    account = world.account
    return {
        "nowMs": now_ms,
        "speed": Decimal(str(world.clock.speed)),
        "seed": world.config.seed,
        "dials": dials(world),
        "account": {"keyId": account.id, "spentNusd": account.spent_nusd},
        "fleets": [_fleet(world, fleet_id) for fleet_id in world.fleets],
        "sandboxes": [_machine(machine) for machine in world.machines.values()],
        "keys": [_key(world, key_id) for key_id in world.ledger.keys],
        "spawners": [_spawner(spawner) for spawner in world.spawners.values()],
        "executions": [_execution(execution) for execution in world.executions.values()],
    }


def _machine(machine: Machine) -> JsonObject:
    return {
        "sandboxId": machine.id,
        "fleetId": machine.fleet_id or None,
        "machineId": machine.machine_id,
        "status": machine.status,
        "deleting": machine.deleting,
    }


def _spawner(spawner: Spawner) -> JsonObject:
    return {
        "spawnerId": spawner.id,
        "sandboxId": spawner.sandbox_id,
        "executionId": spawner.execution_id,
        "isRunning": spawner.is_running,
        "calls": spawner.calls,
        "children": spawner.made,
    }


def _execution(execution: Execution) -> JsonObject:
    return {
        "executionId": execution.id,
        "sandboxId": execution.sandbox_id,
        "sessionId": execution.session_id,
        "turnId": execution.turn_id,
        "keyId": execution.key_id,
        "traceId": execution.trace_id,
        "harness": execution.harness,
        "model": execution.model,
        "profile": execution.profile,
        "status": execution.status,
        "errorCode": execution.error_code,
        "costNusd": execution.cost_nusd,
        "startedMs": execution.started_ms,
        "endedMs": execution.ended_ms,
        "outside": execution.outside,
    }


def _fleet(world: World, fleet_id: str) -> JsonObject:
    fleet = world.fleets[fleet_id]
    return {
        "fleetId": fleet.id,
        "status": fleet.status,
        "keyId": fleet.key_id,
        "parent": fleet.parent,
        "idempotencyKey": fleet.idempotency_key,
        "sandboxIds": fleet.machine_ids,
    }


def _key(world: World, key_id: str) -> JsonObject:
    key = world.ledger.keys[key_id]
    return {
        "keyId": key.id,
        "name": key.name,
        "parentKeyId": key.parent_id,
        "budgetNusd": key.budget_nusd,
        "spentNusd": key.spent_nusd,
        "ownSpentNusd": key.own_spent_nusd,
        "reservedNusd": key.reserved_nusd,
        "heldNusd": key.held_nusd,
        "remainingNusd": world.ledger.remaining(key),
        "outsideNusd": key.outside_nusd,
        "revokedMs": key.revoked_ms,
    }


def dials(world: World) -> JsonObject:
    return {name: _exact(value) for name, value in vars(world.dials).items()}


def _exact(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _exact(one) for name, one in value.items()}
    return value if isinstance(value, int | str) else Decimal(str(value))


def ledger(world: World, *, key_id: str | None, since_ms: int) -> JsonObject:
    """Entries that end at or after `since_ms`, oldest first."""
    world.ledger.accrue(world.now_ms())
    entries = [
        {
            "seq": entry.seq,
            "atMs": entry.at_ms,
            "untilMs": entry.until_ms,
            "heldMs": entry.held_ms,
            "keyId": entry.key_id,
            "kind": entry.kind,
            "amountNusd": entry.amount_nusd,
            "ref": entry.ref,
            "outsideOf": entry.outside_of,
        }
        for entry in world.ledger.entries
        if key_id in (None, entry.key_id) and max(entry.at_ms, entry.until_ms or 0) >= since_ms
    ]
    return {"entries": entries}


def left(world: World) -> JsonObject:
    """What contract 10, row 33 calls "left"."""
    return {
        "fleets": [fleet.id for fleet in world.fleets.values() if fleet.status != "deleted"],
        "sandboxes": [one.id for one in world.machines.values() if one.status != "deleted"],
        "keys": [
            key.id
            for key in world.ledger.keys.values()
            if key.revoked_ms is None and key.parent_id is not None
        ],
    }
