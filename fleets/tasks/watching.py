"""Watches fleets whose work has ended, and carries out what is due afterwards."""

from celery import shared_task
from django.utils import timezone

from fleets.services.account import read_accounts as read
from fleets.services.afterwards import carry_out_due
from fleets.services.alone import alone
from fleets.services.event_store import ensure_partitions
from fleets.services.watch import watch_fleets as watch


@shared_task(name="fleets.watch_fleets")
def watch_fleets() -> None:
    """Read idle fleets again; order clean-ups that are due; keep tomorrow's partition ready.

    Reads wait longest for a small plan's requests: several of these at once would keep every
    process from ticks and stops.
    """
    now = timezone.now()
    with alone("watch_fleets") as is_alone:
        if not is_alone:
            return
        carry_out_due(now=now)
        ensure_partitions(now.date())
        watch(now=now)


@shared_task(name="fleets.read_accounts")
def read_accounts() -> None:
    """Read what the accounts hold, whoever made it; one process at a time, as each pays in pace."""
    with alone("read_accounts") as is_alone:
        if is_alone:
            read(now=timezone.now())
