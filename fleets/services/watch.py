"""Keeps fleets true whose work has ended: machines and money go on changing until they are gone."""

from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from fleets.gateway import gateway
from fleets.models import Fleet
from fleets.services.driving.key_row import take_key_row
from fleets.services.driving.round_reading import ReadPlan, read_round
from fleets.services.driving.settling import note_fleet_gone, take_fleet_row
from fleets.services.fleet_state import lock, recount

log = structlog.get_logger(__name__)

# A reading costs two requests a fleet, so it comes more rarely the longer nothing happens.
SOON_S = 10.0
LATE_S = 60.0
FRESH = timedelta(minutes=2)
AT_MOST = 20
AT_MOST_S = 30.0


def watch_fleets(*, now: datetime) -> int:
    """Read again the fleets that are due; how many those were."""
    count = 0
    over = timezone.now() + timedelta(seconds=AT_MOST_S)
    for fleet in _due(now):
        if timezone.now() > over:
            break
        try:
            count += watch_fleet(fleet, now=now)
        except Exception:
            # One fleet that cannot be read must not keep the others from being watched.
            log.exception("watch_broke", fleet=fleet.public_id)
    return count


def _due(now: datetime) -> list[Fleet]:
    late = now - timedelta(seconds=LATE_S)
    soon = Q(work_ended_at__gte=now - FRESH, key_seen_at__lt=now - timedelta(seconds=SOON_S))
    # The last tick may have read the key before the last call was settled.
    unsettled = Q(key_seen_at__lt=F("work_ended_at"))
    stale = Q(platform_seen_at__lt=late) | Q(key_seen_at__lt=late) | soon | unsettled
    idle = Fleet.objects.filter(
        stale,
        deleted_at__isnull=True,
        delete_requested_at__isnull=True,
        created_on_platform_at__isnull=False,
        work_ended_at__isnull=False,
    )
    return list(idle.select_related("connection").order_by("platform_seen_at")[:AT_MOST])


def watch_fleet(fleet: Fleet, *, now: datetime) -> bool:
    """Read one fleet and its key again and write what changed. False when it did not answer."""
    plan = ReadPlan(
        machines=(),
        turns_by_machine={},
        fleet_id=fleet.public_id,
        key_id=fleet.key_id or None,
    )
    news = gateway().run(read_round(gateway().account(fleet.connection), plan))
    now = timezone.now()
    with transaction.atomic():
        locked = lock(fleet.pk)
        if locked.delete_requested_at is not None:
            return False
        if news.fleet is not None:
            take_fleet_row(locked, news.fleet, now=now)
        if news.key is not None:
            take_key_row(locked, news.key, now=now)
        locked.last_error = news.words
        if news.fleet_gone:
            note_fleet_gone(locked, now=now)
        recount(locked, now=now)
    return not news.errors
