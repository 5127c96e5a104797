"""What becomes of machines after the last task: changed by people, carried out by the watch."""

from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from fleets.domain.answer_check import Verdict
from fleets.domain.errors import Conflict, InvalidInput, NotAllowed
from fleets.domain.spec import MAX_AFTER_DELAY_S
from fleets.domain.status import Afterwards
from fleets.models import Fleet, Task
from fleets.services import audit
from fleets.services.actor import SYSTEM, Actor
from fleets.services.delete import delete_fleet
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import lock, recount
from fleets.services.stop_machines import stop_machines

log = structlog.get_logger(__name__)


@transaction.atomic
def change_afterwards(fleet: Fleet, *, actor: Actor, after: Afterwards, delay_s: int) -> Fleet:
    """Change what happens after the last task; the delay counts from now once work has ended.

    Raises NotAllowed (operators: only their own), InvalidInput at `delay`, Conflict when deleted.
    """
    actor.must_be_operator("change what becomes of machines")
    if not 0 <= delay_s <= MAX_AFTER_DELAY_S:
        raise InvalidInput.at("delay", "The delay is between 0 seconds and 7 days.")
    fleet = lock(fleet.pk)
    user = actor.user
    if user is not None and not user.is_admin and fleet.owner_id != user.pk:
        raise NotAllowed(
            "Operators change this for their own fleets only.", who_can="its owner or an admin"
        )
    if fleet.delete_requested_at is not None:
        raise Conflict("This fleet is being deleted or is gone.", state=fleet.state)
    now = timezone.now()
    before = {"after": fleet.after, "delayS": fleet.after_delay_s}
    fleet.after, fleet.after_delay_s = after, delay_s
    if fleet.work_ended_at is not None:
        keep = after == Afterwards.KEEP
        fleet.cleanup_due_at = None if keep else now + timedelta(seconds=delay_s)
    recount(fleet, now=now)
    audit.record(
        "fleet.afterwards",
        actor=actor,
        object_type="fleet",
        object_id=fleet.public_id,
        before=before,
        after={"after": after, "delayS": delay_s},
    )
    note(fleet, Line("machine", f"afterwards: {after.value}, changed by {actor.name}"))
    return fleet


def carry_out_due(*, now: datetime) -> int:
    """Order what is due for fleets whose countdown has run out; how many those were."""
    due = Fleet.objects.filter(
        cleanup_due_at__lte=now, deleted_at__isnull=True, delete_requested_at__isnull=True
    ).exclude(Exists(_unchecked_on_machines()))
    count = 0
    for fleet in due.order_by("cleanup_due_at")[:50]:
        try:
            count += _carry_out(fleet, now=now)
        except Exception:
            # One fleet that cannot be cleaned up must not keep the others billing.
            log.exception("clean_up_broke", fleet=fleet.public_id)
    return count


def _unchecked_on_machines() -> "QuerySet[Task]":
    """Answers that a command on their machine is still to check; it comes soon, or never."""
    return Task.objects.filter(run__fleet=OuterRef("pk"), verdict=Verdict.WAITING_COMMAND)


@transaction.atomic
def _carry_out(fleet: Fleet, *, now: datetime) -> bool:
    fleet = lock(fleet.pk)
    if fleet.cleanup_due_at is None or fleet.cleanup_due_at > now:
        return False  # it was run again, or given more time, since it was found
    words = "The time after its last task is over."
    try:
        if fleet.after == Afterwards.DELETE:
            delete_fleet(fleet, actor=SYSTEM, reason=words, typed_name=fleet.name)
        elif fleet.after == Afterwards.STOP:
            stop_machines(fleet, actor=SYSTEM, reason=words)
    except Conflict:
        Fleet.objects.filter(pk=fleet.pk).update(cleanup_due_at=None)
        return False
    return True
