"""The tasks of a pool for a report: who took each, where it was said, what came of it."""

from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery, Sum

from fleets.domain.status import Pattern
from fleets.models import Fleet, Run, Task, Turn
from fleets.selectors.newest_tasks import newest_tasks


@dataclass(frozen=True, slots=True)
class TaskReport:
    """One task. `task_id` "": a prompt to one agent, no part of the list. Money in nanodollars."""

    position: int
    task_id: str
    agent_id: str | None
    session_id: str | None
    state: str
    reason: str | None
    verdict: str | None
    verdict_reason: str | None
    response: str | None
    trace_id: str | None
    cost_nusd: int | None
    error: str | None


def task_reports(fleet: Fleet, *, newest_run_only: bool = False) -> tuple[TaskReport, ...]:
    """Every task as it stood last, or those of the newest run; none where it is no pool."""
    if fleet.pattern != Pattern.POOL:
        return ()
    run = Run.objects.filter(fleet=fleet).order_by("-number").first()
    tasks = Task.objects.filter(run=run) if newest_run_only else newest_tasks(fleet, run)
    return tuple(_report(values) for values in _values(tasks.order_by("position")))


def task_states(fleet: Fleet) -> dict[str, str]:
    """State of each task of the newest run by its place. One query."""
    newest = Run.objects.filter(fleet=fleet).order_by("-number").values("pk")[:1]
    rows = Task.objects.filter(run=Subquery(newest)).order_by("position")
    return {str(position): state for position, state in rows.values_list("position", "state")}


def _values(tasks: "QuerySet[Task]") -> "QuerySet[Any, Any]":
    turns = Turn.objects.filter(task=OuterRef("pk"))
    latest = turns.order_by("-attempt")
    cost = turns.order_by().values("task").annotate(total=Sum("cost_nusd")).values("total")
    return tasks.annotate(
        trace=Subquery(latest.values("trace_id")[:1]),
        session=Subquery(latest.values("session_id")[:1]),
        cost=Subquery(cost),
    ).values(
        "position", "name", "agent__agent_id", "session", "state", "reason", "response", "trace",
        "cost", "error", "verdict", "verdict_reason",
    )  # fmt: skip


def _report(values: dict[str, Any]) -> TaskReport:
    return TaskReport(
        position=values["position"],
        task_id=values["name"],
        agent_id=values["agent__agent_id"],
        session_id=values["session"] or None,
        state=values["state"],
        reason=values["reason"] or None,
        verdict=values["verdict"] or None,
        verdict_reason=values["verdict_reason"] or None,
        response=values["response"] or None,
        trace_id=values["trace"] or None,
        cost_nusd=values["cost"],
        error=values["error"] or None,
    )
