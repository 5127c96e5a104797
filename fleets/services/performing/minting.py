"""Mints a child's key with its parent's, and tells what that took from the parent."""

import structlog
from django.db import transaction
from django.utils import timezone

from fleets.domain.child_budget import refusal_words
from fleets.gateway import gateway
from fleets.models import Fleet, Operation
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import BudgetExhausted, PlatformError
from fleets.selectors.parents import above_of
from fleets.services.driving.key_row import take_key_row
from fleets.services.fleet_state import lock, recount
from fleets.services.performing.calling import call

log = structlog.get_logger(__name__)


def minting_client(fleet: Fleet) -> PlatformClient:
    """Signs with the key that the fleet's own comes from: its parent's, else the account's.

    A key made with a key is its child, and its budget is reserved there (contract 5, 10 row 31).
    """
    parent = fleet.parent
    if parent is not None and parent.key_secret is not None:
        return gateway().fleet(parent)
    return gateway().account(fleet.connection)


def read_parent_key(operation: Operation) -> Fleet | None:
    """Read the key of the fleet's parent and write what it says; the parent, None without one.

    What cannot be read now is read by whoever drives or watches the parent.
    """
    parent = operation.fleet.parent
    if parent is None or not parent.key_id:
        return parent
    account = gateway().account(operation.fleet.connection)
    try:
        row = call(operation, account.keys.get(parent.key_id))
    except PlatformError as error:
        log.info("parent_key_not_read", fleet=parent.public_id, error=str(error))
        return parent
    with transaction.atomic():
        locked = lock(parent.pk)
        now = timezone.now()
        take_key_row(locked, row, now=now)
        recount(locked, now=now)
    return locked


def why_refused(operation: Operation, error: PlatformError) -> str:
    """The platform's words; of a parent that has not enough left, its numbers."""
    fleet = operation.fleet
    if not isinstance(error, BudgetExhausted) or fleet.budget_nusd is None:
        return error.message
    parent = read_parent_key(operation)
    if parent is None or parent.remaining_nusd is None:
        return error.message
    return refusal_words(above_of(parent), asked_nusd=fleet.budget_nusd)
