"""Ends a run."""

from datetime import datetime

from fleets.domain.status import TaskState
from fleets.models import Fleet, Run, Task
from fleets.services.fleet_state import recount


def end_run_if_done(run: Run, fleet: Fleet, *, now: datetime) -> bool:
    """End the run once none of its tasks can change any more; whether it has ended.

    Runs in the caller's transaction, which holds the fleet's row; fleet and counters are saved.
    """
    is_open = Task.objects.filter(run=run, state__in=[TaskState.QUEUED, TaskState.RUNNING]).exists()
    if is_open:
        return False
    Run.objects.filter(pk=run.pk, ended_at__isnull=True).update(ended_at=now, next_tick_at=None)
    if fleet.cancel_requested_at:
        fleet.cancel_confirmed_at = fleet.cancel_confirmed_at or now
    recount(fleet, now=now)
    return True
