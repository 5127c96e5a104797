"""The end of a tick: end the run when nothing of it is open, else say when the next one is due."""

from datetime import datetime
from typing import Final

from django.db.models import F
from django.utils import timezone

from fleets.domain.driving import read_interval_s
from fleets.models import Fleet, Run
from fleets.platform_api.types import KeyRow
from fleets.services.driving.key_row import take_key_row
from fleets.services.driving.open_turns import Openness, look
from fleets.services.driving.run_end import end_run_if_done
from fleets.services.driving.settling import unsettled_read_s
from fleets.services.driving.tick_under_way import Tick

# Nothing is open and nothing begins: held, or waiting for machines or money.
IDLE_S: Final = 2.0


def close(tick: Tick, *, last: KeyRow | None) -> float | None:
    """End the run when nothing of it is open; else the seconds until its next tick.

    `last`: the key as it was read after the last task had ended. Runs in the caller's transaction,
    which holds fleet and run.
    """
    view, now = tick.view, timezone.now()
    run, fleet = view.run, view.fleet
    if last is not None:
        take_key_row(fleet, last, now=now)
    Run.objects.filter(pk=run.pk).update(requests=F("requests") + tick.requests)
    if run.started_at is None and fleet.created_on_platform_at:
        Run.objects.filter(pk=run.pk).update(started_at=now)
        Fleet.objects.filter(pk=fleet.pk, started_at__isnull=True).update(started_at=now)
        fleet.started_at = fleet.started_at or now
    if end_run_if_done(run, fleet, now=now):
        return None
    return max(0.0, _interval_s(tick, look(run), now=now) - tick.lasted_s)


def _interval_s(tick: Tick, openness: Openness, *, now: datetime) -> float:
    """Seconds from the beginning of this tick to that of the next."""
    fleet = tick.view.fleet
    if not openness.machines:
        if fleet.settled_at is None:
            return unsettled_read_s(fleet, now=now)
        return IDLE_S
    return read_interval_s(
        youngest_turn_s=(now - (openness.youngest_at or now)).total_seconds(),
        machines=openness.machines,
        rate_per_minute=fleet.connection.rate_per_minute,
        is_cut_short=tick.is_cut_short,
    )
