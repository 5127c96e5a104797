"""Whether anybody works on what was ordered: due work that is left lying tells of no worker."""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Min, Q

from fleets.models import Fleet, Operation, Run

# Sweeps come every 2 s and a lease lasts 4 s; a worker that lives is never this late.
PATIENCE: Final = timedelta(seconds=8)


def unattended_since(fleet: Fleet, *, now: datetime) -> datetime | None:
    """Since when due work of this fleet has been left lying; None while somebody is at it."""
    free = Q(lease_until__isnull=True) | Q(lease_until__lt=now)
    late = now - PATIENCE
    operation = Operation.objects.filter(
        free, fleet=fleet, ended_at__isnull=True, next_attempt_at__lt=late
    ).aggregate(at=Min("next_attempt_at"))["at"]
    run = Run.objects.filter(
        free, fleet=fleet, ended_at__isnull=True, next_tick_at__lt=late
    ).aggregate(at=Min("next_tick_at"))["at"]
    moments = [moment for moment in (operation, run) if moment is not None]
    return min(moments) if moments else None
