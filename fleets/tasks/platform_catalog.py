"""Works on orders for the platform's catalog, and keeps it read; `resend_operations` finds what
was lost.
"""

from celery import shared_task
from django.utils import timezone

from fleets.services.catalog_reading import forget_old_readings, order_due_readings
from fleets.services.catalog_work import perform_catalog_order as perform
from fleets.services.profile_import import forget_expired
from fleets.tasks.owner import owner
from fleets.tasks.signs import counted


@shared_task(name="fleets.perform_catalog_order", acks_late=True, reject_on_worker_lost=True)
def perform_catalog_order(public_id: str) -> None:
    """One piece of work on an order, unless it has ended or another worker has it."""
    with counted("operation"):
        perform(public_id, owner=owner())


@shared_task(name="fleets.keep_catalogs")
def keep_catalogs() -> None:
    """Read each connection's catalog when it is due; forget old readings and expired imports."""
    now = timezone.now()
    order_due_readings(now=now)
    forget_old_readings(now=now)
    forget_expired(now=now)
