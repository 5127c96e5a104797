"""The lease of a run: exactly one tick works on it, and a dead one is replaced in seconds."""

from datetime import datetime, timedelta

from django.db.models import F, Q
from django.utils import timezone

from fleets.models import Run

LEASE_S = 6.0
RENEW_S = 1.0


class LeaseLost(Exception):
    """Another worker has taken the work over; what this one learned is read again by that one."""


def claim(run_pk: int, *, owner: str, now: datetime) -> Run | None:
    """Take a run that is due; None when it has ended, is not due, or another tick has it."""
    free = Q(lease_until__isnull=True) | Q(lease_until__lt=now)
    taken = Run.objects.filter(
        free, pk=run_pk, ended_at__isnull=True, next_tick_at__lte=now
    ).update(lease_owner=owner, lease_until=now + timedelta(seconds=LEASE_S), ticks=F("ticks") + 1)
    if not taken:
        return None
    return Run.objects.select_related("fleet", "fleet__connection").get(pk=run_pk)


def renew(run_pk: int, *, owner: str) -> bool:
    """Extend the lease; False when another tick has taken the run over."""
    until = timezone.now() + timedelta(seconds=LEASE_S)
    return bool(Run.objects.filter(pk=run_pk, lease_owner=owner).update(lease_until=until))


def hold(run_pk: int, *, owner: str) -> bool:
    """Lock the run's row in the caller's transaction and extend the lease; False when it is not
    ours any more.
    """
    until = timezone.now() + timedelta(seconds=LEASE_S)
    ours = Run.objects.filter(pk=run_pk, lease_owner=owner, ended_at__isnull=True)
    return bool(ours.update(lease_until=until))


def is_taken(run_pk: int, *, now: datetime) -> bool:
    """Whether a living tick works on the run."""
    return Run.objects.filter(pk=run_pk, lease_until__gt=now).exists()


def give_back(run_pk: int, *, owner: str, next_tick_at: datetime | None, failures: int = 0) -> bool:
    """End the tick: the run is due again at `next_tick_at` (never, when None).

    `failures` is how many ticks in a row have ended in an error of our own by now.
    """
    return bool(
        Run.objects.filter(pk=run_pk, lease_owner=owner).update(
            lease_owner="", lease_until=None, next_tick_at=next_tick_at, failures=failures
        )
    )


def due_runs(*, now: datetime, limit: int = 200) -> list[int]:
    """Runs whose tick is overdue and that no living tick has: what the reaper sends again."""
    free = Q(lease_until__isnull=True) | Q(lease_until__lt=now)
    return list(
        Run.objects.filter(free, ended_at__isnull=True, next_tick_at__lte=now)
        .order_by("next_tick_at")
        .values_list("pk", flat=True)[:limit]
    )
