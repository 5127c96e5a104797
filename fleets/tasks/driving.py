"""Ticks of runs, and the reaper that replaces dead ones."""

from celery import shared_task
from django.utils import timezone

from fleets import dispatch
from fleets.services.driving import lease
from fleets.services.driving.tick import tick_run as tick
from fleets.tasks.owner import owner
from fleets.tasks.signs import counted


@shared_task(name="fleets.tick_run")
def tick_run(run_pk: int) -> None:
    """One tick of a run, unless it is not due or another tick has it."""
    with counted("tick"):
        tick(run_pk, owner=owner())


@shared_task(name="fleets.reap_runs")
def reap_runs() -> None:
    """Send again the ticks that are overdue and that nobody works on."""
    for run_pk in lease.due_runs(now=timezone.now()):
        dispatch.run_due(run_pk)
