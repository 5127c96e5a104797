"""Orders a cancel: nothing new is sent from now on, what runs is interrupted, machines stay."""

from django.db import transaction
from django.utils import timezone

from fleets.domain.errors import AlreadySo, Conflict
from fleets.domain.status import OperationKind, TurnState
from fleets.models import Fleet, NodeKind, Operation, Run, Turn
from fleets.selectors.cutting import cut_off_refusal
from fleets.services import operations, stop_order, tree_stops
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
    fleet = stop_order.begin(
        fleet, actor=actor, act="cancel", reason=reason, with_tree=not only_this
    )
    under_way = operations.join(fleet, OperationKind.CANCEL)
    if under_way is not None:
        return under_way
    run = newest_run(fleet)
    below = [] if only_this else tree_stops.living_below(fleet)
    if not _has_work(fleet, run, only_this=only_this):
        words = "No work of this fleet is left to cancel."
        was_cancelled = fleet.cancel_requested_at is not None
        raise (AlreadySo if was_cancelled else Conflict)(words, state=fleet.state)
    before = stop_order.facts(fleet)
    stop_order.raise_epoch(fleet)
    now = timezone.now()
    fleet.cancel_requested_at = fleet.cancel_requested_at or now
    if fleet.cancel_confirmed_at is not None:
        fleet.cancel_requested_at, fleet.cancel_confirmed_at = now, None
    tree_stops.ask_to_cancel([child.pk for child in below], now=now)
    recount(fleet, now=now)
    cuts = not only_this and any(not cut_off_refusal(one) for one in [fleet, *below])
    operation = operations.order(
        fleet,
        operations.Order(
            kind=OperationKind.CANCEL,
            reason=reason,
            params={"cut": cuts, "onlyThis": only_this},
            nodes=_nodes(fleet, below, with_key=cuts and not cut_off_refusal(fleet)),
        ),
        actor=actor,
    )
    stop_order.write_audit(
        fleet, actor=actor, act="cancel", reason=reason, before=before, onlyThis=only_this
    )
    words = f"cancel ordered by {actor.name}: {reason}"
    note(fleet, Line("cancel", words))
    tree_stops.note_below(fleet, f"{words} (of {fleet.name}, with its tree)")
    return operation


def _has_work(fleet: Fleet, run: Run | None, *, only_this: bool) -> bool:
    """Whether there is something to stop. What a found fleet does is known in part only."""
    if run is not None and (run.ended_at is None or fleet.found_at is not None):
        return True
    return not only_this and tree_stops.has_living_children(fleet)


def _nodes(fleet: Fleet, below: list[Fleet], *, with_key: bool) -> tuple[operations.NodePlan, ...]:
    running = (
        Turn.objects.filter(run__fleet__in=[fleet, *below])
        .exclude(state__in=[TurnState.ENDED, TurnState.QUEUED])
        .select_related("agent__fleet")
        .order_by("run__fleet_id", "agent__position")
    )
    nodes = [*tree_stops.fleet_nodes(below), *tree_stops.agent_nodes(fleet, list(running))]
    if with_key:
        nodes.insert(0, operations.NodePlan(NodeKind.KEY, f"key of {fleet.name}", KEY_NODE))
    return tuple(nodes)
