"""Recounts a fleet and derives its state; the one place that writes either."""

from collections import Counter
from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef

from fleets.domain.answer_check import WAITING_VERDICTS, Verdict
from fleets.domain.status import (
    Afterwards,
    FleetFacts,
    FleetState,
    OutcomeReason,
    Pattern,
    StateCounts,
    TaskState,
    fleet_state,
)
from fleets.live import publish
from fleets.models import Agent, Fleet, Machine, Run, Task
from fleets.selectors.newest_tasks import newest_tasks
from fleets.services.tree_counts import recount_tree

COUNT_FIELDS = {
    "tasks_queued": "queued",
    "tasks_running": "running",
    "tasks_waiting": "waiting",
    "tasks_completed": "completed",
    "tasks_failed": "failed",
    "tasks_budget": "budget_exhausted",
    "tasks_cancelled": "cancelled",
    "tasks_timed_out": "timed_out",
    "tasks_not_started": "not_started",
    "tasks_unknown": "unknown",
}


def newest_run(fleet: Fleet) -> Run | None:
    """The last run: at most this one is open, and the fleet's counters show its tasks first."""
    return Run.objects.filter(fleet=fleet).order_by("-number").first()


def has_work(fleet: Fleet) -> bool:
    """Whether the fleet has tasks that may still be begun or run: it has an open run."""
    run = newest_run(fleet)
    return run is not None and run.ended_at is None and fleet.delete_requested_at is None


def recount(fleet: Fleet, *, now: datetime) -> FleetState:
    """Recount the fleet's tasks and machines, derive its state, store both, tell watchers.

    Runs in the caller's transaction, which holds the fleet's row (`lock`).
    """
    run = newest_run(fleet)
    counts = _task_counts(fleet, run)
    living = Machine.objects.filter(fleet=fleet, gone_at__isnull=True)
    fleet.machines_running = living.filter(status="running").count()
    fleet.machines_total = Machine.objects.filter(fleet=fleet).count()
    state = fleet_state(_facts(fleet, run, counts))
    for column, name in COUNT_FIELDS.items():
        setattr(fleet, column, getattr(counts, name))
    fleet.tasks_total = counts.total
    _count_verdicts(fleet, run)
    if state != fleet.state:
        fleet.state = state
        fleet.state_since = now
    _note_end_of_work(fleet, run, now=now)
    fleet.save()
    recount_tree(fleet)
    publish("fleets", {"kind": "fleet", "ids": [fleet.pk]})
    publish(f"fleet:{fleet.public_id}", {"kind": "head"})
    return state


def lock(fleet_pk: int) -> Fleet:
    """The fleet's row, locked until the end of the transaction."""
    return (
        Fleet.objects.select_for_update(of=("self",)).select_related("connection").get(pk=fleet_pk)
    )


def _task_counts(fleet: Fleet, run: Run | None) -> StateCounts:
    """Tasks of the newest run, and the last one of every agent that the run leaves alone; in a
    pool every task as it stood last.
    """
    if run is None:
        return StateCounts()
    tasks = Task.objects.filter(run=run).order_by()
    if fleet.pattern == Pattern.POOL:
        states = newest_tasks(fleet, run).values_list("state").annotate(n=Count("pk"))
        return StateCounts.from_mapping({TaskState(state): n for state, n in states})
    counts = Counter[TaskState]()
    for state, n in tasks.values_list("state").annotate(n=Count("pk")):
        counts[TaskState(state)] += n
    if run.number > 1:
        others = Agent.objects.filter(
            Exists(Task.objects.filter(agent=OuterRef("pk"))), fleet=run.fleet_id
        ).exclude(Exists(tasks.filter(agent=OuterRef("pk"))))
        for state, n in others.order_by().values_list("state").annotate(n=Count("pk")):
            counts[TaskState(state)] += n
    return StateCounts.from_mapping(counts)


def _count_verdicts(fleet: Fleet, run: Run | None) -> None:
    if not fleet.checks_answers:
        return
    judged = newest_tasks(fleet, run).exclude(verdict="").values_list("verdict")
    counted = dict(judged.annotate(n=Count("pk")))
    fleet.answers_accepted = counted.get(Verdict.ACCEPTED, 0)
    fleet.answers_refused = counted.get(Verdict.REFUSED, 0)
    fleet.answers_waiting = sum(counted.get(verdict, 0) for verdict in WAITING_VERDICTS)


def _facts(fleet: Fleet, run: Run | None, counts: StateCounts) -> FleetFacts:
    is_found = fleet.found_at is not None
    is_bare = fleet.pattern == Pattern.MACHINES
    cancel_is_open = bool(fleet.cancel_requested_at and not fleet.cancel_confirmed_at)
    return FleetFacts(
        counts=counts,
        creating=fleet.settled_at is None and not fleet.cancel_requested_at,
        deleting=fleet.delete_requested_at is not None or _is_deleted_elsewhere(fleet),
        gone=fleet.deleted_at is not None,
        cancelling=cancel_is_open,
        cancelled=bool(fleet.cancel_confirmed_at)
        and ((counts.cancelled + counts.not_started) > 0 or _is_known_by_machines(fleet, counts)),
        held=fleet.held_at is not None or fleet.cut_off_requested_at is not None,
        budget_stopped=fleet.stop_reason == OutcomeReason.BUDGET,
        run_ended=run is not None and run.ended_at is not None,
        found=is_found,
        only_machines=is_bare,
        none_made=is_bare and not _was_any_made(fleet),
        platform_status=fleet.platform_status,
        machines_running=fleet.machines_running,
    )


def _is_known_by_machines(fleet: Fleet, counts: StateCounts) -> bool:
    """Whether no task of it is known, and its machines tell how it is."""
    is_such = fleet.found_at is not None or fleet.pattern == Pattern.MACHINES
    return is_such and not counts.total


def _was_any_made(fleet: Fleet) -> bool:
    return Machine.objects.filter(fleet=fleet, running_since__isnull=False).exists()


def _is_deleted_elsewhere(fleet: Fleet) -> bool:
    return fleet.found_at is not None and fleet.platform_status == "deleting"


def _note_end_of_work(fleet: Fleet, run: Run | None, *, now: datetime) -> None:
    """C6: once the last task has ended, the machines get their date."""
    if run is None or run.ended_at is None or fleet.delete_requested_at:
        return
    if fleet.work_ended_at is not None:
        return
    fleet.work_ended_at = now
    fleet.cleanup_due_at = cleanup_due(fleet, now=now)


def cleanup_due(fleet: Fleet, *, now: datetime) -> datetime | None:
    """When the machines go by the fleet's own rule; None when they are kept."""
    if fleet.after == Afterwards.KEEP:
        return None
    return now + timedelta(seconds=fleet.after_delay_s)
