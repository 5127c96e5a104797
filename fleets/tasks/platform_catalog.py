"""Works on orders for the platform's catalog; `resend_operations` finds those that were lost."""

from celery import shared_task

from fleets.services.catalog_work import perform_catalog_order as perform
from fleets.tasks.owner import owner
from fleets.tasks.signs import counted


@shared_task(name="fleets.perform_catalog_order", acks_late=True, reject_on_worker_lost=True)
def perform_catalog_order(public_id: str) -> None:
    """One piece of work on an order, unless it has ended or another worker has it."""
    with counted("operation"):
        perform(public_id, owner=owner())
