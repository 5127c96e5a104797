"""The forms of the page: clock, dials, faults, held requests."""

from typing import Any

from emulator.contract import OPERATIONS
from emulator.dials import TOLD
from emulator.faults import KINDS
from emulator.money import dumps
from emulator.offers import PLANS
from emulator.page_parts import choice, field, fold, form, section, table
from emulator.world import World

JsonObject = dict[str, Any]
# What a fault may say beside its operation and kind, and what that means.
_MORE = {
    "match": "Path has",
    "count": "How often",
    "probability": "Chance",
    "skip": "Let through first",
    "latencyMs": "Latency (ms)",
    "status": "Status",
    "retryAfter": "Retry after (s)",
    "afterBytes": "After bytes",
    "event": "Event id",
    "share": "Share of events",
    "afterEvents": "After events",
}


def clock(state: JsonObject, *, token: str) -> str:
    return section(
        "clock",
        "Clock",
        '<div class="row">',
        form("clock", field("advanceS", "Jump by (s)"), token=token, button="Jump"),
        form(
            "clock", field("speed", "Speed", value=state["speed"]), token=token, button="Set speed"
        ),
        "</div>",
        fold("Start over", form("reset", token=token, button="Forget everything")),
    )


def dials(world: World, *, token: str) -> str:
    """The plan alone, because it turns others; then the rest, each with what it means."""
    now = vars(world.dials)
    fields = [
        field(name, name, value=_shown(value), hint=TOLD[name])
        for name, value in now.items()
        if name != "plan"
    ]
    plan = choice("plan", "plan", PLANS, chosen=world.dials.plan)
    return section(
        "dials",
        "Dials",
        form("plan", plan, token=token, button="Set plan"),
        form("dials", *fields, token=token, button="Turn dials", kind="grid"),
    )


def faults(world: World, *, token: str) -> str:
    active = [
        (one.id, one.operation, one.kind, one.match, one.count, one.hits)
        for one in world.faults.active
    ]
    held = [(one.seq, one.fault_id) for one in world.faults.held]
    operations = ["*", *sorted(operation.name for operation in OPERATIONS)]
    kinds = [(f"{kind}: {effect}").replace("`", "") for kind, effect in KINDS.items()]
    more = "".join(field(name, label) for name, label in _MORE.items())
    more += choice("when", "Hold", ("before", "after"))
    return section(
        "faults",
        "Faults",
        table(("Id", "Operation", "Kind", "Path has", "How often", "Struck"), active),
        form(
            "faults",
            choice("operation", "Operation", operations),
            choice("kind", "Kind", KINDS),
            f'<details><summary>More</summary><div class="grid">{more}</div></details>',
            token=token,
            button="Set fault",
        ),
        form("clear", field("id", "Fault (empty: all)"), token=token, button="Clear"),
        fold("What each kind does", "<ul>" + "".join(f"<li>{one}</li>" for one in kinds) + "</ul>"),
        "<h3>Held requests</h3>",
        table(("Seq", "Fault"), held),
        form("release", token=token, button="Release all"),
    )


def _shown(value: Any) -> Any:
    return dumps(value) if isinstance(value, dict) else value
