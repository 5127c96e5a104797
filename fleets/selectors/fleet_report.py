"""All of one fleet for a report: its agents with what they answered, its machines, its money."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import OuterRef, QuerySet, Subquery, Sum

from fleets.domain.status import OperationKind, OperationState, OutcomeReason, Pattern
from fleets.models import Agent, Fleet, Machine, Operation, Run, Task, Turn
from fleets.selectors.run_time import run_time
from fleets.selectors.task_report import TaskReport, task_reports

MOST_FLEETS: Final = 500
RESPONSE_CHARS: Final = 200_000


@dataclass(frozen=True, slots=True)
class AgentReport:
    """One agent. None is unknown, or not there yet. Money in nanodollars, of all its turns."""

    agent_id: str
    machine_id: str
    sandbox_id: str | None
    session_id: str
    state: str
    verdict: str | None
    verdict_reason: str | None
    response: str | None
    trace_id: str | None
    cost_nusd: int | None
    error: str | None


@dataclass(frozen=True, slots=True)
class MachineReport:
    """One machine with the ids of its agents; `status` is the platform's own word."""

    machine_id: str
    sandbox_id: str | None
    status: str | None
    agents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FleetReport:
    """A fleet at one moment. `requests` counts the calls of its newest run, None without one.

    `tasks` are those of a pool, empty elsewhere: there each agent has its own.
    """

    fleet: Fleet
    wall_s: float
    requests: int | None
    agents: tuple[AgentReport, ...]
    tasks: tuple[TaskReport, ...]
    machines: tuple[MachineReport, ...]


def fleet_report(fleet: Fleet, *, now: datetime, newest_run_only: bool = False) -> FleetReport:
    """Everything of one fleet, or only what its newest run works on. Four queries, six for a
    pool.
    """
    run = Run.objects.filter(fleet=fleet).order_by("-number").first()
    agents = list(
        Agent.objects.filter(fleet=fleet).select_related("machine").order_by("position", "pk")
    )
    is_pool = fleet.pattern == Pattern.POOL
    tasks = {values["agent_id"]: values for values in _tasks(run)} if run and not is_pool else {}
    since = None
    if run is not None and newest_run_only:
        agents = agents if is_pool else [agent for agent in agents if agent.pk in tasks]
        since = run.created_at
    return FleetReport(
        fleet=fleet,
        wall_s=wall_s(fleet, now=now, since=since),
        requests=run.requests if run else None,
        agents=tuple(_agent(agent, tasks.get(agent.pk, {})) for agent in agents),
        tasks=task_reports(fleet, newest_run_only=newest_run_only),
        machines=_machines(fleet, agents),
    )


def wall_s(fleet: Fleet, *, now: datetime, since: datetime | None = None) -> float:
    """Seconds from the order (of the fleet, or a later one) to the end of the work, or to now."""
    return round(run_time(fleet, since=since).seconds(now=now), 3)


def agent_states(fleet: Fleet) -> dict[str, str]:
    """State of each agent by its id, in order. One query."""
    rows = Agent.objects.filter(fleet=fleet).order_by("position", "pk")
    return dict(rows.values_list("agent_id", "state"))


def newest_run_states(fleet: Fleet) -> list[str]:
    """State of each task of the newest run. One query."""
    newest = Run.objects.filter(fleet=fleet).order_by("-number").values("pk")[:1]
    return list(Task.objects.filter(run=Subquery(newest)).values_list("state", flat=True))


def agents_cost_nusd(fleet: Fleet) -> int | None:
    """What the agents' turns cost together, machines not counted; None when nothing is known."""
    total: int | None = Agent.objects.filter(fleet=fleet).aggregate(n=Sum("cost_nusd"))["n"]
    return total


def listed_fleets(*, with_deleted: bool = False) -> Sequence[Fleet]:
    """The newest fleets with owner and team, at most `MOST_FLEETS`. One query."""
    fleets = Fleet.objects.select_related("owner", "team").order_by("-created_at", "-pk")
    if not with_deleted:
        fleets = fleets.filter(deleted_at__isnull=True)
    return list(fleets[:MOST_FLEETS])


def launch_refusal(fleet: Fleet) -> str:
    """Why the platform has no such fleet although its launch was ordered; "" if that is not so."""
    if fleet.created_on_platform_at is not None:
        return ""
    failed = Operation.objects.filter(
        fleet=fleet, kind=OperationKind.LAUNCH, state=OperationState.FAILED
    ).first()
    return failed.sentence if failed else ""


def was_stopped_by_budget(fleet: Fleet) -> bool:
    """Whether work was refused, or not begun, for want of budget."""
    return fleet.stop_reason == OutcomeReason.BUDGET or fleet.tasks_budget > 0


def _tasks(run: Run) -> "QuerySet[Any, Any]":
    latest = Turn.objects.filter(task=OuterRef("pk")).order_by("-attempt").values("trace_id")[:1]
    tasks = Task.objects.filter(run=run).annotate(trace=Subquery(latest))
    return tasks.values("agent_id", "response", "error", "trace", "verdict", "verdict_reason")


def _agent(agent: Agent, task: dict[str, Any]) -> AgentReport:
    return AgentReport(
        agent_id=agent.agent_id,
        machine_id=agent.machine.machine_id,
        sandbox_id=agent.machine.sandbox_id or None,
        session_id=agent.session_id,
        state=agent.state,
        verdict=task.get("verdict") or None,
        verdict_reason=task.get("verdict_reason") or None,
        response=(task.get("response") or "")[:RESPONSE_CHARS] or None,
        trace_id=task.get("trace") or None,
        cost_nusd=agent.cost_nusd,
        error=task.get("error") or None,
    )


def _machines(fleet: Fleet, agents: Sequence[Agent]) -> tuple[MachineReport, ...]:
    places: dict[int, list[str]] = {}
    for agent in agents:
        places.setdefault(agent.machine_id, []).append(agent.agent_id)
    return tuple(
        MachineReport(
            machine_id=machine.machine_id,
            sandbox_id=machine.sandbox_id or None,
            status=machine.status or None,
            agents=tuple(places.get(machine.pk, ())),
        )
        for machine in Machine.objects.filter(fleet=fleet).order_by("position", "pk")
    )
