"""JSON lines while a fleet works: agent.started, agent.finished, fleet.finished.

In a pool the lines are of its tasks: task.started, task.finished.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.utils import timezone

from fleets.domain.status import TERMINAL_TASKS, Pattern, TaskState
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.documents import (
    agent_document,
    report_document,
    task_document,
)
from fleets.models import Fleet
from fleets.selectors.fleet_report import FleetReport, agent_states, fleet_report
from fleets.selectors.task_report import task_states

_STARTED: Final = ("fleetId", "taskId", "agentId", "machineId", "sandboxId", "sessionId")


@dataclass(frozen=True, slots=True)
class _Piece:
    """An agent, or a task of a pool, as it stands: `key` tells it from the others."""

    kind: str
    key: str
    state: str
    document: dict[str, Any]


class Events:
    """Writes each line once. What never began has no line that it started."""

    def __init__(self, console: Console, *, newest_run_only: bool = False) -> None:
        self._console = console
        self._newest_run_only = newest_run_only
        self._started: set[str] = set()
        self._finished: set[str] = set()
        self._last: dict[str, str] = {}

    def look(self, fleet: Fleet) -> None:
        """Write what is new since the last look."""
        is_pool = fleet.pattern == Pattern.POOL
        states = task_states(fleet) if is_pool else agent_states(fleet)
        if states == self._last:
            return
        self._last = states
        self._write(fleet_report(fleet, now=timezone.now(), newest_run_only=self._newest_run_only))

    def end(self, report: FleetReport) -> None:
        """The last lines: what is still open, and the fleet's own."""
        self._write(report, is_last=True)
        summary = report_document(report)
        for name in ("agents", "tasks", "machines"):
            summary.pop(name, None)
        self._line("fleet.finished", summary)

    def _write(self, report: FleetReport, *, is_last: bool = False) -> None:
        fleet_id = report.fleet.public_id
        for piece in _pieces(report):
            document: dict[str, Any] = {"fleetId": fleet_id, **piece.document}
            if piece.key not in self._started and _has_begun(piece.state):
                self._started.add(piece.key)
                told: dict[str, Any] = {
                    name: document[name] for name in _STARTED if name in document
                }
                self._line(f"{piece.kind}.started", told)
            is_over = TaskState(piece.state) in TERMINAL_TASKS or is_last
            if is_over and piece.key not in self._finished:
                self._finished.add(piece.key)
                self._line(f"{piece.kind}.finished", document)

    def _line(self, kind: str, document: dict[str, Any]) -> None:
        self._console.line({"type": kind, "at": timezone.now().isoformat(), **document})


def _pieces(report: FleetReport) -> Iterator[_Piece]:
    if report.tasks:
        for task in report.tasks:
            yield _Piece("task", str(task.position), task.state, task_document(task))
        return
    for agent in report.agents:
        yield _Piece("agent", agent.agent_id, agent.state, agent_document(agent))


def _has_begun(state: str) -> bool:
    return state not in {TaskState.QUEUED, TaskState.NOT_STARTED}
