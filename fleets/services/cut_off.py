"""Orders a cut off (the root key's cap lowered to what is spent) or its reopening."""

from django.db import transaction
from django.utils import timezone

from fleets.domain.errors import AlreadySo, Conflict
from fleets.domain.status import OperationKind
from fleets.models import Fleet, NodeKind, Operation
from fleets.selectors.cutting import cut_off_refusal
from fleets.services import operations, stop_order
from fleets.services.actor import Actor
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import recount

KEY_NODE = "key"


@transaction.atomic
def cut_off_fleet(fleet: Fleet, *, actor: Actor, reason: str) -> Operation:
    """Order a cut off; the same operation when one is under way. Raises Conflict without a key.

    Raises AlreadySo when it is cut off.
    """
    fleet = stop_order.begin(fleet, actor=actor, act="cut off", reason=reason)
    _must_have_key(fleet)
    under_way = operations.join(fleet, OperationKind.CUT_OFF)
    if under_way is not None:
        return under_way
    if fleet.cut_off_confirmed_at is not None:
        raise AlreadySo("This fleet is cut off already.", state=fleet.state)
    before = stop_order.facts(fleet)
    fleet.cut_off_requested_at = timezone.now()
    recount(fleet, now=timezone.now())
    operation = _order(fleet, OperationKind.CUT_OFF, actor=actor, reason=reason)
    stop_order.write_audit(fleet, actor=actor, act="cut_off", reason=reason, before=before)
    note(fleet, Line("cut_off", f"cut off ordered by {actor.name}: {reason}"))
    return operation


@transaction.atomic
def reopen_fleet(fleet: Fleet, *, actor: Actor, reason: str) -> Operation:
    """Order the cap raised to the budget again. Raises AlreadySo when it is not cut off, Conflict
    when its key is revoked or about to be.
    """
    fleet = stop_order.begin(fleet, actor=actor, act="reopen", reason=reason)
    _must_have_key(fleet)
    if fleet.cut_off_requested_at is None:
        raise AlreadySo("This fleet is not cut off.", state=fleet.state)
    if fleet.delete_requested_at is not None:
        raise Conflict("It is being deleted: its key goes with it.", state=fleet.state)
    if fleet.key_revoked_at is not None:
        raise Conflict("The fleet's key is revoked, which cannot be undone.", state=fleet.state)
    under_way = operations.join(fleet, OperationKind.REOPEN)
    if under_way is not None:
        return under_way
    before = stop_order.facts(fleet)
    operation = _order(fleet, OperationKind.REOPEN, actor=actor, reason=reason)
    stop_order.write_audit(fleet, actor=actor, act="reopen", reason=reason, before=before)
    return operation


def _must_have_key(fleet: Fleet) -> None:
    if fleet.budget_nusd is None or fleet.found_at is not None:
        refusal = cut_off_refusal(fleet)
        if refusal:
            raise Conflict(refusal, state=fleet.state)


def _order(fleet: Fleet, kind: OperationKind, *, actor: Actor, reason: str) -> Operation:
    node = operations.NodePlan(NodeKind.KEY, f"key of {fleet.name}", KEY_NODE)
    return operations.order(
        fleet, operations.Order(kind=kind, reason=reason, nodes=(node,)), actor=actor
    )
