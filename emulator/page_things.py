"""What exists: fleets, sandboxes, keys, turns, and what the account keeps."""

from typing import Any

from emulator.batches import counts
from emulator.clock import iso
from emulator.page_parts import section, table, usd
from emulator.world import World

JsonObject = dict[str, Any]
LATEST = 100
_AMOUNTS = ("budgetNusd", "spentNusd", "reservedNusd", "heldNusd", "remainingNusd", "outsideNusd")
_MONEY = ("Budget", "Spent", "Reserved", "Held", "Remaining", "Outside")


def things(world: World, state: JsonObject) -> str:
    """The latest of each, the newest first."""
    return _fleets(state) + _keys(state) + _turns(state) + _account(world, state)


def _latest(rows: list[Any]) -> list[Any]:
    return list(reversed(rows[-LATEST:]))


def _fleets(state: JsonObject) -> str:
    fleets = [
        (one["fleetId"], one["status"], (one["parent"] or {}).get("fleetId"), one["keyId"],
         len(one["sandboxIds"]))
        for one in _latest(state["fleets"])
    ]  # fmt: skip
    boxes = [
        (one["sandboxId"], one["fleetId"], one["machineId"],
         "deleting" if one["deleting"] and one["status"] != "deleted" else one["status"])
        for one in _latest(state["sandboxes"])
    ]  # fmt: skip
    return section(
        "fleets",
        "Fleets and sandboxes",
        table(("Fleet", "Status", "Parent", "Key", "Machines"), fleets),
        table(("Sandbox", "Fleet", "Machine", "Status"), boxes),
    )


def _keys(state: JsonObject) -> str:
    rows = [
        (one["keyId"], one["name"], one["parentKeyId"],
         "revoked" if one["revokedMs"] is not None else "live",
         *(usd(one[name]) for name in _AMOUNTS))
        for one in _latest(state["keys"])
    ]  # fmt: skip
    heads = ("Key", "Name", "Parent", "State", *_MONEY)
    return section("keys", "Keys", table(heads, rows, numbers=len(_MONEY)))


def _turns(state: JsonObject) -> str:
    rows = [
        (one["sessionId"], one["turnId"], one["sandboxId"], one["status"], one["errorCode"],
         _time(one["startedMs"]), usd(one["costNusd"]))
        for one in _latest(state["executions"])
    ]  # fmt: skip
    left_behind = [
        (one["spawnerId"], one["sandboxId"], "running" if one["isRunning"] else "ended",
         one["calls"], one["children"])
        for one in _latest(state["spawners"])
    ]  # fmt: skip
    heads = ("Session", "Turn", "Sandbox", "Status", "Error", "Started", "Cost")
    return section(
        "turns",
        "Turns",
        table(heads, rows, numbers=1),
        "<h3>Left behind by agents</h3>",
        table(("Process", "Sandbox", "State", "Calls", "Children"), left_behind, numbers=2),
    )


def _account(world: World, state: JsonObject) -> str:
    batches = [
        (one.id, one.status, len(one.items), *counts(one), _time(one.created_ms))
        for one in _latest(list(world.batches.values()))
    ]
    profiles = [
        (one.id, one.revisions[-1]["revision"], _time(one.revisions[-1]["atMs"]))
        for one in world.profiles.values()
        if not one.is_deleted
    ]
    secrets = [
        (one.id, _time(one.updated_ms)) for one in world.secrets.values() if not one.is_deleted
    ]
    return section(
        "account",
        "Account",
        "<h3>Batches</h3>",
        table(("Batch", "Status", "Items", "Completed", "Failed", "Began"), batches),
        "<h3>Saved profiles</h3>",
        table(("Profile", "Head", "Saved"), profiles),
        "<h3>Secrets</h3>",
        table(("Name", "Written"), secrets),
    )


def _time(at_ms: int) -> str:
    return iso(at_ms)[11:23]
