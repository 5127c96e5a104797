"""Holds a fleet: no new turns, running ones go on. Ours alone, so it is done when it is written."""

from django.db import transaction
from django.utils import timezone

from fleets import dispatch
from fleets.domain.errors import AlreadySo, Conflict
from fleets.domain.status import OperationKind, OperationState, Pattern
from fleets.models import Fleet, NodeKind, Operation
from fleets.services import operations, stop_order
from fleets.services.actor import Actor
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import has_work, newest_run, recount


@transaction.atomic
def hold_fleet(fleet: Fleet, *, actor: Actor, reason: str) -> Operation:
    """Begin no further turn until released. Raises AlreadySo when it is held, Conflict when no
    work of it is left to hold.
    """
    fleet = stop_order.begin(fleet, actor=actor, act="hold", reason=reason)
    if fleet.found_at is not None:
        words = "Its turns are not sent from here, so none of them can be held back."
        raise Conflict(words, state=fleet.state)
    if fleet.pattern == Pattern.MACHINES:
        words = "It has no agents whose turns could be held back."
        raise Conflict(words, state=fleet.state)
    if not has_work(fleet):
        raise Conflict("It has no work left to hold.", state=fleet.state)
    if fleet.held_at is not None:
        raise AlreadySo("This fleet is held already.", state=fleet.state)
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
    """Let a held fleet begin turns again. Raises AlreadySo when it is not held, Conflict when it
    is being deleted.
    """
    fleet = stop_order.begin(fleet, actor=actor, act="release", reason=reason)
    if fleet.delete_requested_at is not None:
        raise Conflict("It is being deleted: nothing of it starts again.", state=fleet.state)
    if fleet.held_at is None:
        raise AlreadySo("This fleet is not held.", state=fleet.state)
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
        sentence=_released_words(fleet),
    )


def _released_words(fleet: Fleet) -> str:
    if fleet.pattern == Pattern.MACHINES:
        words = "It has no agents whose turns could be held back."
        raise Conflict(words, state=fleet.state)
    if not has_work(fleet):
        return "Released. No work of it is left to begin; a next run is not held."
    if fleet.cancel_requested_at is not None:
        return "Released, and it is being cancelled: nothing is begun."
    if fleet.cut_off_requested_at is not None:
        return "Released, and it is cut off: nothing is begun until it is reopened."
    return "Released: queued tasks are begun again."


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
