"""The fleet page: head, money, counts, squares, rows and events are patched as they change.

What is sent knows no viewer. Only answers and the open peek are fetched, because they are long.
"""

from collections.abc import Sequence
from typing import Any, Final

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from fleets.live.channels import Change
from fleets.live.fragments import MAX_PARTIALS, Hint, Partial, Piece, register
from fleets.models import Fleet
from fleets.selectors.agents import (
    BARS_ABOVE,
    MachineCells,
    agent_rows,
    agent_tabs,
    machine_cells,
)
from fleets.selectors.fleet_detail import (
    answered_words,
    failed_count,
    fleet_head,
    launch_url,
)
from fleets.selectors.fleet_events import IN_PANEL, event_page
from fleets.selectors.fleet_spend import spend_card
from fleets.selectors.machines import machine_rows
from fleets.selectors.operation_lines import operation_lines
from fleets.selectors.results import shared_failure
from fleets.templatetags.agent_grid import grid_legend, machine_figure, state_bars
from fleets.templatetags.icons import icon

PAGE: Final = "fleet_detail"
_PARTS: Final = "fleets/_fleet_parts.html"
_TAB: Final = Hint("fleet-tab")
_HEAD_PARTS: Final = ("fleet-title", "fleet-meta", "fleet-state")


def fleet_changes(topic: str, changes: Sequence[Change]) -> Sequence[Piece]:
    """Everything of one fleet's page that these changes touch."""
    if topic.startswith("tree:"):
        # Each page shows its own part of the tree.
        return [Hint("fleet-tree")]
    fleet = (
        Fleet.objects.select_related("team", "owner", "parent")
        .filter(public_id=topic.partition(":")[2])
        .first()
    )
    if fleet is None:
        return []
    here = reverse("fleets:fleet_detail", args=[fleet.public_id])
    kinds = {change["kind"] for change in changes}
    pieces: list[Piece] = []
    if "head" in kinds:
        pieces += _head(fleet, here)
    if "events" in kinds:
        pieces += _events(fleet, here)
    if "operations" in kinds:
        lines = {"operations": operation_lines(fleet)}
        pieces.append(_part("fleet-operations", lines))
    pieces += _machines(fleet, here, _ids(changes, "machines"))
    pieces += _agents(fleet, here, _ids(changes, "agents"), room=MAX_PARTIALS - len(pieces))
    return pieces


def _head(fleet: Fleet, here: str) -> list[Piece]:
    head = fleet_head(fleet, now=timezone.now())
    context = {"head": head, "spend": spend_card(fleet), "here": here}
    state = {"title": head.title, "favicon": head.favicon, "summary": head.summary}
    page_state = render_to_string("includes/_page_state.html", {"page_state": state})
    pieces: list[Piece] = [_part(name, context) for name in _HEAD_PARTS]
    pieces.append(Partial("page-state", page_state))
    if head.is_gone:
        # The only time they change: nothing is left to act on.
        acts = {**context, "fleet": fleet, "launch_url": launch_url(fleet)}
        pieces.append(
            Partial("fleet-acts", render_to_string("fleets/_fleet_acts.html", acts).strip())
        )
    return pieces + _counts(fleet)


def _counts(fleet: Fleet) -> list[Piece]:
    tabs = agent_tabs(fleet)
    failed = failed_count(fleet)
    cause = {"failed": failed, "text": shared_failure(fleet) if failed > 1 else ""}
    numbers = {f"count-{tab.key}": tab.count for tab in tabs}
    numbers["count-all"] = numbers["tab-agents"] = fleet.agents_total
    numbers["tab-machines"] = fleet.machines_total
    pieces: list[Piece] = [_part("fleet-cause", {"cause": cause})]
    pieces += [Partial(target, _number(target, count)) for target, count in numbers.items()]
    answered = format_html('<span class="n" id="tab-results">{}</span>', answered_words(fleet))
    pieces.append(Partial("tab-results", answered))
    if fleet.agents_total > BARS_ABOVE:
        bars = format_html('<div class="mt" id="fleet-bars">{}</div>', state_bars(tabs))
        pieces.append(Partial("fleet-bars", bars))
    else:
        legend = format_html(
            '<p class="legend" id="fleet-legend">{}<span>by machine; agents on one machine can '
            "read each other's files</span></p>",
            grid_legend(tabs),
        )
        pieces.append(Partial("fleet-legend", legend))
    return pieces


def _number(target: str, count: int) -> str:
    if count:
        return format_html('<span class="n" id="{}">{}</span>', target, f"{count:,}")
    return format_html('<span class="n" id="{}" data-zero>0</span>', target)


def _events(fleet: Fleet, here: str) -> list[Piece]:
    newest = {"events": event_page(fleet, limit=IN_PANEL), "here": here}
    news = format_html(
        '<div id="event-news"><a class="newrows" href="{}?tab=events">{}New events, show</a></div>',
        here,
        icon("arrow-up"),
    )
    return [_part("fleet-events", newest), Partial("event-news", news)]


def _machines(fleet: Fleet, here: str, pks: list[int]) -> list[Piece]:
    if not pks:
        return []
    if len(pks) > MAX_PARTIALS // 2:
        return [_TAB]
    return [
        Partial(
            f"machine-{row.pk}",
            render_to_string("fleets/_machine_row.html", {"row": row, "here": here}),
        )
        for row in machine_rows(fleet, pks)
    ]


def _agents(fleet: Fleet, here: str, pks: list[int], *, room: int) -> list[Piece]:
    """Rows and squares of the agents that changed; too many make each page fetch its own."""
    if not pks:
        return []
    hints: list[Piece] = [Hint("fleet-results"), *(Hint(f"peek-{pk}") for pk in pks)]
    if len(pks) > room:
        return [_TAB, *hints]
    figures = machine_cells(fleet, pks) if fleet.agents_total <= BARS_ABOVE else []
    if len(pks) + len(figures) > room:
        return [_TAB, *hints]
    rows: list[Piece] = [
        Partial(
            f"agent-{row.pk}",
            render_to_string("fleets/_agent_row.html", {"row": row, "here": here}),
        )
        for row in agent_rows(fleet, pks)
    ]
    return [*rows, *(_figure(machine) for machine in figures), *hints]


def _figure(machine: MachineCells) -> Partial:
    return Partial(f"cells-{machine.pk}", machine_figure(machine))


def _part(name: str, context: dict[str, Any]) -> Partial:
    return Partial(name, render_to_string(f"{_PARTS}#{name}", context))


def _ids(changes: Sequence[Change], kind: str) -> list[int]:
    found = [pk for change in changes if change["kind"] == kind for pk in change["ids"]]
    return list(dict.fromkeys(found))


register(PAGE, fleet_changes)
