"""The emulator's own page: what there is, what arrived, which faults are set, and the clock.

For people who develop against it. Rendered here, without scripts; behind `--control` like the rest.
"""

from emulator import snapshot
from emulator.clock import iso
from emulator.page_controls import clock, dials, faults
from emulator.page_journal import journal
from emulator.page_parts import text, usd
from emulator.page_things import things
from emulator.world import World

_PLACES = (
    ("clock", "Clock"),
    ("dials", "Dials"),
    ("faults", "Faults"),
    ("fleets", "Fleets"),
    ("keys", "Keys"),
    ("turns", "Turns"),
    ("account", "Account"),
    ("journal", "Journal"),
)


def render(world: World, *, token: str, problem: str | None = None) -> str:
    """The whole page; call it under the world's lock."""
    state = snapshot.state(world)
    links = "".join(f'<a href="#{name}">{label}</a>' for name, label in _PLACES)
    running = sum(one["status"] == "running" for one in state["executions"])
    boxes = sum(one["status"] == "running" for one in state["sandboxes"])
    told = (
        f"{text(iso(state['nowMs']))} at {text(state['speed'])} times real time; seed "
        f"{text(state['seed'])}; {running} turns and {boxes} sandboxes run; "
        f"{text(usd(state['account']['spentNusd']))} spent"
    )
    parts = [
        "" if problem is None else f"<p role=alert>{text(problem)}</p>",
        clock(state, token=token),
        dials(world, token=token),
        faults(world, token=token),
        things(world, state),
        journal(world),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Emulator</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="stylesheet" href="/_emulator/page.css"></head><body><header>'
        f'<h1>Emulator</h1><nav aria-label="On this page">{links}</nav>'
        '<a class="again" href="/_emulator/">Read again</a></header><main>'
        f"<p>A stand-in for the platform; nothing here is real money. {told}.</p>"
        f"{''.join(parts)}</main></body></html>"
    )
