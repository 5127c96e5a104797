"""Orders a delete: machines and keys of the tree go, the record stays."""

from django.db import transaction
from django.utils import timezone

from fleets.domain.errors import InvalidInput, NotAllowed
from fleets.domain.status import OperationKind
from fleets.models import Fleet, Machine, NodeKind, Operation
from fleets.services import operations, stop_order, tree_stops
from fleets.services.actor import Actor
from fleets.services.cut_off import KEY_NODE
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import recount


@transaction.atomic
def delete_fleet(fleet: Fleet, *, actor: Actor, reason: str, typed_name: str) -> Operation:
    """Order a delete; the same operation when one is under way.

    Raises NotAllowed (operators delete only their own), InvalidInput at `typed_name` or `reason`.
    """
    fleet = stop_order.begin(fleet, actor=actor, act="delete", reason=reason, with_tree=True)
    user = actor.user
    if user is not None and not user.is_admin and fleet.owner_id != user.pk:
        raise NotAllowed(
            "Operators delete only their own fleets; cancel or cut off this one instead.",
            who_can="its owner or an admin",
        )
    if user is not None and typed_name.strip() != fleet.name:
        raise InvalidInput.at("typed_name", f"Type the fleet's name, {fleet.name}, to delete it.")
    under_way = operations.join(fleet, OperationKind.DELETE)
    if under_way is not None:
        return under_way
    before = stop_order.facts(fleet)
    stop_order.raise_epoch(fleet)
    fleet.delete_requested_at = fleet.delete_requested_at or timezone.now()
    fleet.cleanup_due_at = None
    below = tree_stops.living_below(fleet)
    tree_stops.ask_to_delete([child.pk for child in below], now=timezone.now())
    recount(fleet, now=timezone.now())
    operation = operations.order(
        fleet,
        operations.Order(kind=OperationKind.DELETE, reason=reason, nodes=_nodes(fleet, below)),
        actor=actor,
    )
    stop_order.write_audit(fleet, actor=actor, act="delete", reason=reason, before=before)
    note(fleet, Line("delete", f"delete ordered by {actor.name}: {reason}"))
    return operation


def _nodes(fleet: Fleet, below: list[Fleet]) -> tuple[operations.NodePlan, ...]:
    nodes = [operations.NodePlan(NodeKind.FLEET, fleet.name, fleet.public_id)]
    if fleet.budget_nusd is not None and fleet.found_at is None:
        nodes.append(operations.NodePlan(NodeKind.KEY, f"key of {fleet.name}", KEY_NODE))
    living = Machine.objects.filter(fleet=fleet, gone_at__isnull=True).order_by("position")
    nodes += [
        operations.NodePlan(NodeKind.MACHINE, f"{fleet.name}/{machine}", machine.machine_id)
        for machine in living
    ]
    nodes += [*tree_stops.fleet_nodes(below), *tree_stops.machine_nodes(below)]
    return tuple(nodes)
