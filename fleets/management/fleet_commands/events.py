"""JSON lines while a fleet works: agent.started, agent.finished, fleet.finished."""

from typing import Any

from django.utils import timezone

from fleets.domain.status import TERMINAL_TASKS, TaskState
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.documents import agent_document, report_document
from fleets.models import Fleet
from fleets.selectors.fleet_report import FleetReport, agent_states, fleet_report


class Events:
    """Writes each line once. An agent that never began has no `agent.started`."""

    def __init__(self, console: Console, *, newest_run_only: bool = False) -> None:
        self._console = console
        self._newest_run_only = newest_run_only
        self._started: set[str] = set()
        self._finished: set[str] = set()
        self._last: dict[str, str] = {}

    def look(self, fleet: Fleet) -> None:
        """Write what is new since the last look."""
        states = agent_states(fleet)
        if states == self._last:
            return
        self._last = states
        self._write(fleet_report(fleet, now=timezone.now(), newest_run_only=self._newest_run_only))

    def end(self, report: FleetReport) -> None:
        """The last lines: agents still open, and the fleet's own."""
        self._write(report, is_last=True)
        summary = report_document(report)
        del summary["agents"], summary["machines"]
        self._line("fleet.finished", summary)

    def _write(self, report: FleetReport, *, is_last: bool = False) -> None:
        fleet_id = report.fleet.public_id
        for agent in report.agents:
            document = {"fleetId": fleet_id, **agent_document(agent)}
            if agent.agent_id not in self._started and _has_begun(agent.state):
                self._started.add(agent.agent_id)
                names = ("fleetId", "agentId", "machineId", "sandboxId", "sessionId")
                self._line("agent.started", {name: document[name] for name in names})
            is_over = TaskState(agent.state) in TERMINAL_TASKS or is_last
            if is_over and agent.agent_id not in self._finished:
                self._finished.add(agent.agent_id)
                self._line("agent.finished", document)

    def _line(self, kind: str, document: dict[str, Any]) -> None:
        self._console.line({"type": kind, "at": timezone.now().isoformat(), **document})


def _has_begun(state: str) -> bool:
    return state not in {TaskState.QUEUED, TaskState.NOT_STARTED}
