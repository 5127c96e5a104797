"""Progress in one line: state, how many agents are done, what it has cost, how long it goes on."""

import time
from typing import Final

from django.utils import timezone

from fleets.domain.money import show_limit, show_per_hour, show_used
from fleets.domain.numbers import counted, show_count, show_duration_s
from fleets.domain.status import Pattern
from fleets.management.fleet_commands.console import Console
from fleets.models import Fleet
from fleets.selectors.fleet_detail import afterwards_words, machine_nusd_per_hour
from fleets.selectors.fleet_report import wall_s

# A log is read later: it needs no line for every agent of ten thousand.
LINE_EVERY_S: Final = 2.0


def status_line(fleet: Fleet) -> str:
    """The line for one moment."""
    if fleet.pattern == Pattern.MACHINES:
        return _machines_line(fleet)
    ended = fleet.tasks_total - fleet.tasks_queued - fleet.tasks_running
    parts = [
        fleet.state.replace("_", " "),
        f"{show_count(ended)} of {_total(fleet)} done",
    ]
    if fleet.tasks_running:
        parts.append(f"{show_count(fleet.tasks_running)} at work")
    if fleet.tasks_failed:
        parts.append(f"{show_count(fleet.tasks_failed)} failed")
    return " · ".join([*parts, *_cost_and_time(fleet)])


def _machines_line(fleet: Fleet) -> str:
    """Of a fleet without agents: what runs, and what it costs."""
    rate = machine_nusd_per_hour(fleet) * fleet.machines_running
    parts = [
        fleet.state.replace("_", " "),
        f"{show_count(fleet.machines_running)} of {counted(fleet.machines_total, 'machine')} run",
        show_per_hour(rate),
        afterwards_words(fleet),
    ]
    return " · ".join([*parts, *_cost_and_time(fleet)])


def _cost_and_time(fleet: Fleet) -> tuple[str, str]:
    spent = show_used(fleet.spent_nusd)
    if fleet.budget_nusd is not None:
        spent = f"{spent} of {show_limit(fleet.budget_nusd)}"
    return spent, show_duration_s(int(wall_s(fleet, now=timezone.now())))


def _total(fleet: Fleet) -> str:
    if fleet.pattern == Pattern.POOL:
        return counted(fleet.tasks_total, "task")
    return f"{show_count(fleet.agents_total)} agents"


class Progress:
    """Shows a fleet's progress: written over on a terminal, a line per change elsewhere."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last: tuple[str, int, int] | None = None
        self._at = 0.0

    def show(self, fleet: Fleet) -> None:
        """Show one look at the fleet, if it is worth a line."""
        if self._console.is_terminal:
            self._console.status(status_line(fleet))
            return
        seen = (fleet.state, fleet.tasks_queued, fleet.tasks_running + fleet.machines_running)
        has_new_state = self._last is None or self._last[0] != fleet.state
        is_due = time.monotonic() - self._at >= LINE_EVERY_S
        if seen == self._last or not (has_new_state or is_due):
            return
        self._console.status(status_line(fleet))
        self._last, self._at = seen, time.monotonic()
