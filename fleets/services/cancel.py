"""Orders a cancel: nothing new is sent from now on, what runs is interrupted, machines stay."""

from django.db import transaction
from django.utils import timezone

from fleets.domain.errors import AlreadySo, Conflict
from fleets.domain.status import OperationKind, TurnState
from fleets.models import Fleet, NodeKind, Operation, Turn
from fleets.services import operations, stop_order
from fleets.services.actor import Actor
from fleets.services.cut_off import KEY_NODE
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import newest_run, recount


@transaction.atomic
def cancel_fleet(fleet: Fleet, *, actor: Actor, reason: str, only_this: bool = False) -> Operation:
    """Order a cancel of the fleet, with its tree unless `only_this`; a second order joins the
    first.

    A budgeted tree is cut off first. Raises Conflict when no work is left to cancel
    (AlreadySo when that is because it was cancelled).
    """
    fleet = stop_order.begin(fleet, actor=actor, act="cancel", reason=reason)
    under_way = operations.join(fleet, OperationKind.CANCEL)
    if under_way is not None:
        return under_way
    run = newest_run(fleet)
    if run is None or run.ended_at is not None:
        words = "No work of this fleet is left to cancel."
        was_cancelled = fleet.cancel_requested_at is not None
        raise (AlreadySo if was_cancelled else Conflict)(words, state=fleet.state)
    before = stop_order.facts(fleet)
    stop_order.raise_epoch(fleet)
    fleet.cancel_requested_at = fleet.cancel_requested_at or timezone.now()
    recount(fleet, now=timezone.now())
    cuts = fleet.budget_nusd is not None and not only_this
    operation = operations.order(
        fleet,
        operations.Order(
            kind=OperationKind.CANCEL,
            reason=reason,
            params={"cut": cuts, "onlyThis": only_this},
            nodes=_nodes(fleet, run.pk, with_key=cuts),
        ),
        actor=actor,
    )
    stop_order.write_audit(
        fleet, actor=actor, act="cancel", reason=reason, before=before, onlyThis=only_this
    )
    note(fleet, Line("cancel", f"cancel ordered by {actor.name}: {reason}"))
    return operation


def _nodes(fleet: Fleet, run_pk: int, *, with_key: bool) -> tuple[operations.NodePlan, ...]:
    running = (
        Turn.objects.filter(run_id=run_pk)
        .exclude(state__in=[TurnState.ENDED, TurnState.QUEUED])
        .order_by("agent__position")
        .values_list("agent__agent_id", flat=True)
    )
    nodes = [
        operations.NodePlan(NodeKind.AGENT, f"{fleet.name}/{agent_id}", agent_id)
        for agent_id in running
    ]
    if with_key:
        nodes.insert(0, operations.NodePlan(NodeKind.KEY, f"key of {fleet.name}", KEY_NODE))
    return tuple(nodes)
