"""The agent grid: one picture per machine, a square of 24 px per agent, and bars for huge fleets.

Built in Python: a template loop over a thousand cells takes longer than the queries behind it.
"""

from collections.abc import Sequence
from typing import Final

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from fleets.selectors.agents import Cell, CountTab, MachineCells
from fleets.templatetags.money import memory
from fleets.templatetags.states import LOOKS, look

register = template.Library()

CELL: Final = 24
STEP: Final = 27
# Ten squares fit on a phone of 320 px.
PER_LINE: Final = 10


@register.simple_tag
def machine_figure(machine: MachineCells) -> SafeString:
    """One machine with its agents; each square is a link with letter, colour and name."""
    lines = max(1, -(-len(machine.cells) // PER_LINE))
    width = STEP * min(PER_LINE, max(1, len(machine.cells))) - (STEP - CELL)
    height = STEP * lines - (STEP - CELL)
    return format_html(
        '<figure id="cells-{}"><figcaption>{} · {}</figcaption>'
        '<svg width="{}" height="{}" viewBox="0 0 {} {}" role="group" aria-label="Agents on {}">'
        "{}</svg></figure>",
        machine.pk,
        machine.machine_id,
        memory(machine.memory_planned_mib),
        width,
        height,
        width,
        height,
        machine.machine_id,
        _cells(machine.cells),
    )


def _cells(cells: Sequence[Cell]) -> SafeString:
    drawn: list[str] = []
    for index, cell in enumerate(cells):
        shown = look(cell.state)
        line, column = divmod(index, PER_LINE)
        x, y = column * STEP, line * STEP
        name = escape(cell.agent_id)
        drawn.append(
            f'<a class="cell" data-state="{shown.css}" href="?agent={name}"'
            f' hx-get="?agent={name}" aria-label="{name}: {escape(shown.label.lower())}">'
            f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}"/>'
            f'<text x="{x + CELL // 2}" y="{y + 16.5}">{escape(shown.letter)}</text></a>'
        )
    return mark_safe("".join(drawn))  # noqa: S308  # every value above is escaped or a number


@register.simple_tag
def state_bars(tabs: Sequence[CountTab]) -> SafeString:
    """All agents of a huge fleet as one bar, each state as wide as its share."""
    whole = sum(tab.count for tab in tabs) or 1
    begin = 0.0
    parts: list[str] = []
    for tab in tabs:
        if not tab.count:
            continue
        width = tab.count * 100 / whole
        css = look(tab.state).css
        parts.append(
            f'<rect class="seg" data-state="{css}" x="{begin:.3f}%" width="{width:.3f}%"'
            ' height="100%"/>'
        )
        begin += width
    words = ", ".join(f"{tab.count:,} {tab.label.lower()}" for tab in tabs if tab.count)
    return format_html(
        '<svg class="bars" role="img" aria-label="{}">{}</svg>',
        words or "no agents yet",
        mark_safe("".join(parts)),  # noqa: S308  # numbers and words of our own table
    )


@register.simple_tag
def grid_legend(tabs: Sequence[CountTab]) -> SafeString:
    """What the letters mean, for the states that are there."""
    parts = [
        format_html(
            '<span data-state="{}"><b>{}</b> {}</span>',
            LOOKS[tab.state].css,
            LOOKS[tab.state].letter,
            tab.label.lower(),
        )
        for tab in tabs
        if tab.count
    ]
    return mark_safe("".join(parts))  # noqa: S308  # made by format_html
