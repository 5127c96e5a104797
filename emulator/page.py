"""The emulator's own page: what there is, what arrived, which faults are set, and the clock.

For people who develop against it. Rendered here, without scripts; behind `--control` like the rest.
"""

from typing import Any

from emulator import snapshot
from emulator.clock import iso
from emulator.contract import OPERATIONS
from emulator.faults import KINDS
from emulator.page_parts import choice, field, form, table, text, usd
from emulator.world import World

JsonObject = dict[str, Any]
LATEST = 100


def render(world: World, *, token: str, problem: str | None = None) -> str:
    """The whole page; call it under the world's lock."""
    state = snapshot.state(world)
    parts = [
        "" if problem is None else f"<p role=alert>{text(problem)}</p>",
        _clock(state, token=token),
        _faults(world, token=token),
        _things(state),
        _journal(world),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Emulator</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="stylesheet" href="/_emulator/page.css"></head><body><main>'
        "<h1>Emulator</h1><p>A stand-in for the platform; nothing here is real money. "
        f'<a href="/_emulator/">Read again</a></p>{"".join(parts)}</main></body></html>'
    )


def _clock(state: JsonObject, *, token: str) -> str:
    speed = state["speed"]
    dials = [(name, value) for name, value in state["dials"].items()]
    return (
        f"<h2>Clock</h2><p>{text(iso(state['nowMs']))}, at {text(speed)} times the pace of real "
        f"time; seed {text(state['seed'])}.</p>"
        + form("clock", field("advanceS", "Jump by (s)"), token=token, button="Jump")
        + form("clock", field("speed", "Speed", value=speed), token=token, button="Set speed")
        + table("Dials", ("Dial", "Value"), dials)
    )


def _faults(world: World, *, token: str) -> str:
    active = [
        (one.id, one.operation, one.kind, one.match, one.count, one.hits)
        for one in world.faults.active
    ]
    held = [(one.seq, one.fault_id) for one in world.faults.held]
    operations = ["*", *sorted(operation.name for operation in OPERATIONS)]
    return (
        table("Faults", ("Id", "Operation", "Kind", "Path has", "Count", "Struck"), active)
        + form(
            "faults",
            choice("operation", "Operation", operations),
            choice("kind", "Kind", KINDS),
            field("match", "Path has"),
            field("count", "Count", kind="number"),
            token=token,
            button="Set fault",
        )
        + form("clear", field("id", "Fault (empty: all)"), token=token, button="Clear")
        + table("Held requests", ("Seq", "Fault"), held)
        + form("release", token=token, button="Release all")
    )


def _things(state: JsonObject) -> str:
    fleets = [
        (one["fleetId"], one["status"], one["keyId"], len(one["sandboxIds"]))
        for one in state["fleets"][-LATEST:]
    ]
    boxes = [
        (one["sandboxId"], one["fleetId"], one["machineId"], one["status"])
        for one in state["sandboxes"][-LATEST:]
    ]
    amounts = ("budgetNusd", "spentNusd", "reservedNusd", "heldNusd", "remainingNusd")
    keys = [
        (one["keyId"], one["name"], one["parentKeyId"], *(usd(one[name]) for name in amounts))
        for one in state["keys"][-LATEST:]
    ]
    turns = [
        (one["sessionId"], one["turnId"], one["sandboxId"], one["status"], one["errorCode"],
         usd(one["costNusd"]), iso(one["startedMs"]))
        for one in state["executions"][-LATEST:]
    ]  # fmt: skip
    money = ("Budget", "Spent", "Reserved", "Held", "Remaining")
    turn_heads = ("Session", "Turn", "Sandbox", "Status", "Error", "Cost", "Started")
    return (
        table("Fleets", ("Fleet", "Status", "Key", "Machines"), reversed(fleets))
        + table("Sandboxes", ("Sandbox", "Fleet", "Machine", "Status"), reversed(boxes))
        + table("Keys", ("Key", "Name", "Parent", *money), reversed(keys))
        + table("Turns", turn_heads, reversed(turns))
    )


def _journal(world: World) -> str:
    latest = list(world.journal.entries)[-LATEST:]
    rows = [
        (one.seq, iso(one.at_ms), one.operation, f"{one.method} {one.path}", one.status,
         one.key_id, one.fault, one.body[:200])
        for one in reversed(latest)
    ]  # fmt: skip
    heads = ("Seq", "Time", "Operation", "Request", "Status", "Key", "Fault", "Body")
    return table(f"Journal, the latest {LATEST}", heads, rows)
