"""Works on operations, and sends again those whose message was lost."""

from celery import shared_task
from django.utils import timezone

from fleets import dispatch
from fleets.services import catalog_orders, operations
from fleets.services.performing import perform_operation as perform
from fleets.tasks.owner import owner
from fleets.tasks.signs import counted


@shared_task(name="fleets.perform_operation", acks_late=True, reject_on_worker_lost=True)
def perform_operation(public_id: str) -> None:
    """One piece of work on an operation, unless it has ended or another worker has it."""
    with counted("operation"):
        perform(public_id, owner=owner())


@shared_task(name="fleets.resend_operations")
def resend_operations() -> None:
    """Wake workers for what is due: after a postponement, a crash, a lost message."""
    for public_id in operations.overdue(now=timezone.now()):
        dispatch.operation_ordered(public_id)
    catalog_orders.wake_overdue(now=timezone.now())
