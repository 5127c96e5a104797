"""Orders that take time: written down, claimed by one worker, ended once.

`order` writes the row; a message wakes a worker; `claim` is a compare-and-swap, so that two
messages or a late one never run an operation twice or revive an ended one. The lease expires with
its worker.
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from fleets import dispatch
from fleets.domain.errors import Conflict
from fleets.domain.status import OperationKind, OperationState
from fleets.live import publish
from fleets.models import Fleet, NodeKind, Operation, OperationNode
from fleets.services import audit
from fleets.services.actor import Actor
from fleets.services.driving.lease import LeaseLost
from fleets.services.fleet_state import lock

# Renewed while calls last (performing.calling); a dead worker's operation is free after so long.
LEASE_S = 6


@dataclass(frozen=True, slots=True)
class NodePlan:
    """A node that an operation will act on."""

    kind: NodeKind
    label: str
    ref: str


@dataclass(frozen=True, slots=True)
class Order:
    """What is ordered, before it is written down."""

    kind: OperationKind
    reason: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    nodes: tuple[NodePlan, ...] = ()
    idempotency_key: str = ""


def order(fleet: Fleet, what: Order, *, actor: Actor) -> Operation:
    """Write an operation in the caller's transaction and wake a worker on commit."""
    now = timezone.now()
    public_id = f"op_{secrets.token_hex(8)}"
    operation = Operation.objects.create(
        public_id=public_id,
        fleet=fleet,
        kind=what.kind,
        requested_by=actor.user,
        door=actor.door,
        requested_at=now,
        reason=what.reason[:300],
        idempotency_key=what.idempotency_key or public_id,
        params=what.params,
        next_attempt_at=now,
    )
    add_nodes(operation, what.nodes)
    dispatch.operation_ordered(public_id)
    publish(f"fleet:{fleet.public_id}", {"kind": "operations"})
    return operation


def add_nodes(operation: Operation, nodes: Iterable[NodePlan]) -> None:
    """Add nodes that the operation does not have yet."""
    start = operation.nodes.count()
    rows = [
        OperationNode(
            operation=operation,
            position=start + index,
            kind=node.kind,
            label=node.label,
            ref=node.ref,
        )
        for index, node in enumerate(nodes)
    ]
    OperationNode.objects.bulk_create(rows, ignore_conflicts=True)


def open_operation(fleet: Fleet, kind: OperationKind) -> Operation | None:
    """The operation of this kind that is under way for the fleet, if any."""
    return Operation.objects.filter(fleet=fleet, kind=kind, ended_at__isnull=True).first()


def hurry(fleet: Fleet, kind: OperationKind) -> bool:
    """Whether such an operation is under way; if it only waits for its next try (or nobody was to
    work on it at all), that is now.
    """
    found = open_operation(fleet, kind)
    if found is None:
        return False
    now = timezone.now()
    rests = Q(next_attempt_at__gt=now) | Q(next_attempt_at__isnull=True)
    resting = Operation.objects.filter(rests, pk=found.pk, lease_until__isnull=True)
    if resting.update(next_attempt_at=now):
        dispatch.operation_ordered(found.public_id)
    return True


def join(fleet: Fleet, kind: OperationKind) -> Operation | None:
    """The operation of this kind that is under way, hurried: ordered again, it is not made to wait
    for its next try.
    """
    return open_operation(fleet, kind) if hurry(fleet, kind) else None


def claim(public_id: str, *, owner: str, now: datetime) -> Operation | None:
    """Take an operation that is due and not ended; None when another has it or it has ended."""
    free = Q(lease_until__isnull=True) | Q(lease_until__lt=now)
    taken = (
        Operation.objects.filter(free, public_id=public_id, ended_at__isnull=True)
        .filter(next_attempt_at__lte=now)
        .update(
            state=OperationState.RUNNING,
            lease_owner=owner,
            lease_until=now + timedelta(seconds=LEASE_S),
            attempts=F("attempts") + 1,
        )
    )
    if not taken:
        return None
    return Operation.objects.select_related(
        "fleet", "fleet__connection", "fleet__team", "requested_by"
    ).get(public_id=public_id)


def renew(operation: Operation, *, owner: str, now: datetime) -> bool:
    """Extend the lease; False when it is no longer ours."""
    return bool(
        Operation.objects.filter(pk=operation.pk, lease_owner=owner, ended_at__isnull=True).update(
            lease_until=now + timedelta(seconds=LEASE_S)
        )
    )


def lock_fleet(operation: Operation) -> Fleet:
    """The operation's fleet and its own row, locked (in this order) in the caller's transaction.

    Raises `LeaseLost` when another worker has taken the operation over: what this one learned must
    not be written over what that one did.
    """
    fleet = lock(operation.fleet_id)
    is_ours = Operation.objects.select_for_update().filter(
        pk=operation.pk, lease_owner=operation.lease_owner, ended_at__isnull=True
    )
    if not is_ours.exists():
        raise LeaseLost
    return fleet


def must_be_ours(operation: Operation) -> None:
    """Raise `LeaseLost` when another worker has taken the operation over. Locks nothing."""
    is_ours = Operation.objects.filter(
        pk=operation.pk, lease_owner=operation.lease_owner, ended_at__isnull=True
    )
    if not is_ours.exists():
        raise LeaseLost


@transaction.atomic
def postpone(operation: Operation, *, owner: str, after_s: float, failures: int = 0) -> None:
    """Give the operation back; it is due again `after_s` seconds from now.

    `failures` is how many attempts in a row have failed by now.
    """
    now = timezone.now()
    due = now + timedelta(seconds=after_s)
    Operation.objects.filter(pk=operation.pk, lease_owner=owner, ended_at__isnull=True).update(
        lease_owner="", lease_until=None, next_attempt_at=due, failures=failures
    )
    dispatch.operation_ordered(operation.public_id, in_s=after_s)
    publish(f"operation:{operation.public_id}", {"kind": "head"})
    if failures:
        # What stands in its way is told on the fleet's page too.
        publish(f"fleet:{operation.fleet.public_id}", {"kind": "head"})


@transaction.atomic
def end(
    operation: Operation,
    *,
    state: OperationState,
    sentence: str,
    result: dict[str, Any] | None = None,
) -> None:
    """End an operation once; a second end, or one by a worker that has lost it, changes nothing."""
    now = timezone.now()
    changes: dict[str, Any] = {
        "state": state,
        "sentence": sentence[:400],
        "ended_at": now,
        "lease_owner": "",
        "lease_until": None,
        "next_attempt_at": None,
    }
    if result is not None:
        changes["result"] = result
    Operation.objects.filter(
        pk=operation.pk, ended_at__isnull=True, lease_owner=operation.lease_owner
    ).update(**changes)
    publish(f"operation:{operation.public_id}", {"kind": "head"})
    publish(f"fleet:{operation.fleet.public_id}", {"kind": "operations"})


def overdue(*, now: datetime, limit: int = 50) -> list[str]:
    """Public ids of operations that should have been worked on by now."""
    free = Q(lease_until__isnull=True) | Q(lease_until__lt=now)
    due = Operation.objects.filter(free, ended_at__isnull=True, next_attempt_at__lte=now)
    return list(due.order_by("next_attempt_at").values_list("public_id", flat=True)[:limit])


@transaction.atomic
def retry_operation(operation: Operation, *, actor: Actor) -> Operation:
    """Try again what an ended operation left undone. Raises `Conflict` when nothing is left."""
    actor.must_be_operator("retry an operation")
    locked = Operation.objects.select_for_update().select_related("fleet").get(pk=operation.pk)
    if locked.state != OperationState.FAILED:
        raise Conflict("Nothing of this operation is left to retry.", state=locked.state)
    if locked.kind == OperationKind.LAUNCH:
        # Its tasks have ended: machines would be made for nothing.
        raise Conflict("A launch is not retried: launch again.", state=locked.state)
    locked.nodes.filter(state__in=["failed", "unknown"]).update(state="queued", attempts=0)
    locked.state = OperationState.QUEUED
    locked.ended_at = None
    locked.readings = locked.failures = 0
    locked.next_attempt_at = timezone.now()
    locked.save()
    audit.record(
        "operation.retry",
        actor=actor,
        object_type="operation",
        object_id=locked.public_id,
        after={"kind": locked.kind},
    )
    dispatch.operation_ordered(locked.public_id)
    publish(f"operation:{locked.public_id}", {"kind": "head"})
    return locked
