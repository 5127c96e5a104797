"""A child that is found after its tree's cancel was done: the cancel is opened again and rings.

What an operator ended stays ended. A cancel that was beaten, or is still under way, marks the child
by itself; where the tree was run again since, the child belongs to that run.
"""

from collections.abc import Sequence

import structlog
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from fleets import dispatch
from fleets.domain.status import OperationKind, OperationState
from fleets.live import publish
from fleets.models import Fleet, Operation, Run
from fleets.services import audit
from fleets.services.actor import SYSTEM
from fleets.services.fleet_events import Line, note

log = structlog.get_logger(__name__)


def reopen_stops(new: Sequence[Fleet]) -> int:
    """Open the cancels again whose trees these fleets appeared in; how many those were."""
    count = 0
    for fleet in new:
        cancel = _done_cancel(fleet)
        if cancel is not None and not _was_run_since(cancel):
            count += _reopen(cancel, fleet)
    return count


def _done_cancel(fleet: Fleet) -> Operation | None:
    cancels = Operation.objects.filter(
        ~Q(params__onlyThis=True), fleet__in=fleet.path[:-1], kind=OperationKind.CANCEL
    )
    newest = cancels.select_related("fleet").order_by("-requested_at").first()
    return newest if newest is not None and newest.state == OperationState.DONE else None


def _was_run_since(cancel: Operation) -> bool:
    newer = Run.objects.filter(fleet=cancel.fleet_id, created_at__gt=cancel.requested_at)
    return cancel.fleet.cancel_requested_at is None or newer.exists()


@transaction.atomic
def _reopen(cancel: Operation, fleet: Fleet) -> bool:
    now = timezone.now()
    words = f"{fleet.name} was found after this was done; it is stopped too."
    opened = Operation.objects.filter(pk=cancel.pk, state=OperationState.DONE).update(
        state=OperationState.QUEUED, ended_at=None, confirmed_at=None, readings=0, failures=0,
        next_attempt_at=now, sentence=words,
    )  # fmt: skip
    if not opened:
        return False
    log.warning("cancel_reopened", operation=cancel.public_id, fleet=fleet.public_id)
    audit.record(
        "operation.reopen",
        actor=SYSTEM,
        object_type="operation",
        object_id=cancel.public_id,
        after={"found": fleet.public_id},
    )
    note(cancel.fleet, Line("cancel", f"the cancel is open again: {words}"))
    dispatch.operation_ordered(cancel.public_id)
    publish(f"operation:{cancel.public_id}", {"kind": "head"})
    publish(f"fleet:{cancel.fleet.public_id}", {"kind": "operations"})
    return True
