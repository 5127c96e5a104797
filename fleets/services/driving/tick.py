"""One tick of a run: read what may have changed, write it, begin what is allowed, write that.

Two rounds of HTTP (three when turns are overdue) and five short transactions, whatever the number
of agents.
"""

from datetime import timedelta
from typing import Final

import structlog
from django.db import transaction
from django.utils import timezone

from fleets import dispatch
from fleets.models import Fleet
from fleets.services.driving import lease
from fleets.services.driving.last_reading import read_last
from fleets.services.driving.tick_beginning import begin
from fleets.services.driving.tick_closing import close
from fleets.services.driving.tick_reading import abort_overdue, read, write_reading
from fleets.services.driving.tick_under_way import Tick, must_hold
from fleets.services.driving.view import load
from fleets.services.stop_refs import stops_above

log = structlog.get_logger(__name__)

# How long a run rests while an operation stops its fleet.
STOPPING_S: Final = 1.0
LONGEST_REPAIR_S: Final = 60


def tick_run(run_pk: int, *, owner: str) -> bool:
    """Work on a run once, if it is due and free. True when it was worked on."""
    run = lease.claim(run_pk, owner=owner, now=timezone.now())
    if run is None:
        return False
    structlog.contextvars.bind_contextvars(fleet=run.fleet.public_id, run=run.number)
    tick = Tick(view=load(run), owner=owner)
    try:
        _work(tick)
    except lease.LeaseLost:
        log.warning("lease_lost", run=run_pk)
    except Exception as error:
        # An error of our own: slower and slower, so that it harms no other run, and never given up.
        log.exception("tick_broke", run=run_pk)
        _give_back_broken(tick, error)
    return True


def _work(tick: Tick) -> None:
    if _is_being_stopped(tick.view.fleet):
        # The operation that stops the fleet reads and writes its turns itself.
        _give_back(tick, after_s=STOPPING_S)
        return
    news = read(tick)
    epoch = tick.view.fleet.epoch
    with transaction.atomic():
        must_hold(tick)
        if tick.view.fleet.epoch == epoch:
            # Otherwise a stop was ordered: whether a turn ended before it must be asked anew.
            write_reading(tick, news)
    abort_overdue(tick)
    begin(tick)
    last = read_last(tick)
    with transaction.atomic():
        must_hold(tick)
        after_s = close(tick, last=last)
    _give_back(tick, after_s=after_s)


def _is_being_stopped(fleet: Fleet) -> bool:
    return stops_above(fleet).exists()


def _give_back(tick: Tick, *, after_s: float | None) -> None:
    run_pk = tick.view.run.pk
    with transaction.atomic():
        due = None if after_s is None else timezone.now() + timedelta(seconds=after_s)
        lease.give_back(run_pk, owner=tick.owner, next_tick_at=due)
        if after_s is not None:
            dispatch.run_due(run_pk, in_s=after_s)


def _give_back_broken(tick: Tick, error: Exception) -> None:
    run = tick.view.run
    words = f"Fleetdash met an error of its own ({type(error).__name__}); trying again."
    Fleet.objects.filter(pk=run.fleet_id).update(last_error=words)
    failures = run.failures + 1
    due = timezone.now() + timedelta(seconds=min(LONGEST_REPAIR_S, 2**failures))
    lease.give_back(run.pk, owner=tick.owner, next_tick_at=due, failures=failures)
