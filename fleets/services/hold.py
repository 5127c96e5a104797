"""Holds a fleet: no new turns, running ones go on. Ours alone, so it is done when it is written."""

from django.db import transaction
from django.utils import timezone

from fleets import dispatch
from fleets.domain.errors import Conflict
from fleets.domain.status import OperationKind, OperationState
from fleets.models import Fleet, NodeKind, Operation
from fleets.services import operations, stop_order
from fleets.services.actor import Actor
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import newest_run, recount


@transaction.atomic
def hold_fleet(fleet: Fleet, *, actor: Actor, reason: str) -> Operation:
    """Begin no further turn until released. Raises Conflict when it is held already."""
    fleet = stop_order.begin(fleet, actor=actor, act="hold", reason=reason)
    if fleet.held_at is not None:
        raise Conflict("This fleet is held already.", state=fleet.state)
    before = stop_order.facts(fleet)
    fleet.held_at = timezone.now()
    return _done(
        fleet,
        OperationKind.HOLD,
        before,
        actor=actor,
        reason=reason,
        sentence=f"Held: no new turns. {fleet.tasks_running} running ones go on.",
    )


@transaction.atomic
def release_fleet(fleet: Fleet, *, actor: Actor, reason: str) -> Operation:
    """Let a held fleet begin turns again. Raises Conflict when it is not held."""
    fleet = stop_order.begin(fleet, actor=actor, act="release", reason=reason)
    if fleet.held_at is None:
        raise Conflict("This fleet is not held.", state=fleet.state)
    before = stop_order.facts(fleet)
    fleet.held_at = None
    run = newest_run(fleet)
    if run is not None and run.ended_at is None:
        dispatch.run_due(run.pk)
    return _done(
        fleet,
        OperationKind.RELEASE,
        before,
        actor=actor,
        reason=reason,
        sentence="Released: queued tasks are begun again.",
    )


def _done(
    fleet: Fleet,
    kind: OperationKind,
    before: dict[str, object],
    *,
    actor: Actor,
    reason: str,
    sentence: str,
) -> Operation:
    now = timezone.now()
    recount(fleet, now=now)
    operation = operations.order(
        fleet,
        operations.Order(
            kind=kind,
            reason=reason,
            nodes=(operations.NodePlan(NodeKind.FLEET, fleet.name, fleet.public_id),),
        ),
        actor=actor,
    )
    operation.nodes.update(state="done", requested_at=now, acknowledged_at=now)
    operation.confirmed_at = now
    operation.save(update_fields=["confirmed_at"])
    operations.end(operation, state=OperationState.DONE, sentence=sentence)
    stop_order.write_audit(fleet, actor=actor, act=kind.value, reason=reason, before=before)
    note(fleet, Line(kind.value, f"{kind.value} by {actor.name}: {reason}"))
    operation.refresh_from_db()
    return operation
