"""Ends a run."""

from datetime import datetime

from fleets.domain.status import Pattern, TaskState
from fleets.live import publish
from fleets.live.channels import fleet_topic
from fleets.models import Agent, Fleet, Machine, Run, Task
from fleets.services.driving.stopping import idle_agents
from fleets.services.driving.view import READY
from fleets.services.fleet_state import recount


def end_run_if_done(run: Run, fleet: Fleet, *, now: datetime) -> bool:
    """End the run once none of its tasks can change any more; whether it has ended.

    Runs in the caller's transaction, which holds the fleet's row; fleet and counters are saved.
    """
    is_open = Task.objects.filter(run=run, state__in=[TaskState.QUEUED, TaskState.RUNNING]).exists()
    if is_open or _is_being_made(fleet):
        return False
    Run.objects.filter(pk=run.pk, ended_at__isnull=True).update(ended_at=now, next_tick_at=None)
    if fleet.pattern == Pattern.POOL:
        _let_idle_ones_rest(fleet, now=now)
    if fleet.cancel_requested_at:
        fleet.cancel_confirmed_at = fleet.cancel_confirmed_at or now
    recount(fleet, now=now)
    return True


def _is_being_made(fleet: Fleet) -> bool:
    """Whether a fleet without agents is not there yet: making its machines is all its work."""
    is_stopped = fleet.cancel_requested_at or fleet.delete_requested_at or fleet.deleted_at
    if fleet.pattern != Pattern.MACHINES or is_stopped:
        return False
    waiting = Machine.objects.filter(
        fleet=fleet, status=READY, gone_at__isnull=True, needs_preparation=True
    ).filter(prepared_at__isnull=True, preparation_error="")
    return fleet.settled_at is None or waiting.exists()


def _let_idle_ones_rest(fleet: Fleet, *, now: datetime) -> None:
    """Agents of a pool that waited for a task to the end: the others have done them all."""
    pks = idle_agents(fleet)
    Agent.objects.filter(pk__in=pks).update(
        state=TaskState.NOT_STARTED, last_event="no task was left for it", last_event_at=now
    )
    if pks:
        publish(fleet_topic(fleet.public_id), {"kind": "agents", "ids": pks})
