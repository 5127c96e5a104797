"""`fleet show`: one fleet as it stands."""

from typing import Any, Final

from django.utils import timezone

from fleets.domain.money import show, show_limit, show_remaining, show_used
from fleets.domain.status import Pattern
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.documents import report_document
from fleets.management.fleet_commands.finding import find_fleet, page_of
from fleets.management.fleet_commands.people import actor_of
from fleets.management.fleet_commands.progress import status_line
from fleets.selectors.answers import verdict_words
from fleets.selectors.fleet_report import AgentReport, FleetReport, MachineReport, fleet_report
from fleets.selectors.task_report import TaskReport

_RESPONSE_SHOWN: Final = 80
_TASK_HEAD: Final = ("TASK", "AGENT", "STATE", "TRACE", "COST", "ANSWER")
_MACHINE_HEAD: Final = ("MACHINE", "STATE", "SANDBOX")
_HEAD: Final = ("AGENT", "MACHINE", "STATE", "SESSION", "TRACE", "COST", "ANSWER")


def show_fleet(console: Console, options: dict[str, Any]) -> int:
    """Print the fleet."""
    actor_of(options["username"], console=console)
    report = fleet_report(find_fleet(options["fleet"]), now=timezone.now())
    if options["json"]:
        console.document(report_document(report))
    else:
        print_report(report, console=console)
    return 0


def print_report(report: FleetReport, *, console: Console) -> None:
    """The report for people: every agent, or every task of a pool, on a line, then the fleet."""
    fleet = report.fleet
    if report.tasks:
        console.table(_TASK_HEAD, [_task_row(task) for task in report.tasks])
    elif report.fleet.pattern == Pattern.MACHINES:
        console.table(_MACHINE_HEAD, [_machine_row(machine) for machine in report.machines])
    else:
        console.table(_HEAD, [_row(agent) for agent in report.agents])
    console.result("")
    console.result(f"{fleet.name} {fleet.public_id}: {status_line(fleet)}")
    if fleet.budget_nusd is not None:
        console.result(
            f"spent {show_used(fleet.spent_nusd)} of {show_limit(fleet.budget_nusd)}, "
            f"{show_used(fleet.reserved_nusd)} reserved for children, "
            f"{show_remaining(fleet.remaining_nusd)} left"
        )
    judged = verdict_words(fleet)
    if judged:
        console.result(f"answers: {judged}")
    requests = "—" if report.requests is None else f"{report.requests:,}"
    machines = len(report.machines)
    console.result(f"{machines} {'machine' if machines == 1 else 'machines'}, {requests} requests")
    console.result(page_of(fleet))


def _row(agent: AgentReport) -> tuple[str, ...]:
    return (
        agent.agent_id,
        agent.machine_id,
        agent.state.replace("_", " "),
        agent.session_id,
        agent.trace_id or "—",
        show(agent.cost_nusd),
        _one_line(agent.response or agent.error or ""),
    )


def _machine_row(machine: MachineReport) -> tuple[str, ...]:
    return machine.machine_id, machine.status or "—", machine.sandbox_id or "—"


def _task_row(task: TaskReport) -> tuple[str, ...]:
    state = f"{task.state} ({task.reason})" if task.reason else task.state
    return (
        task.task_id or "—",
        task.agent_id or "—",
        state.replace("_", " "),
        task.trace_id or "—",
        show(task.cost_nusd),
        _one_line(task.response or task.error or ""),
    )


def _one_line(text: str) -> str:
    """The first line without control characters: the terminal must not obey what agents write."""
    lines = text.strip().splitlines()
    line = "".join(char for char in lines[0] if char.isprintable()) if lines else ""
    return line if len(line) <= _RESPONSE_SHOWN else f"{line[:_RESPONSE_SHOWN]}…"
