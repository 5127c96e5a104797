"""Orders a fleet's machines stopped: they keep their files and cost nothing meanwhile."""

from django.db import transaction
from django.utils import timezone

from fleets.domain.errors import AlreadySo, Conflict
from fleets.domain.status import Afterwards, OperationKind
from fleets.models import Fleet, Machine, NodeKind, Operation
from fleets.services import operations, stop_order
from fleets.services.actor import Actor
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import newest_run, recount


@transaction.atomic
def stop_machines(fleet: Fleet, *, actor: Actor, reason: str) -> Operation:
    """Order every running machine stopped. Raises Conflict while work is open, AlreadySo when none
    runs.
    """
    fleet = stop_order.begin(fleet, actor=actor, act="stop the machines of", reason=reason)
    under_way = operations.join(fleet, OperationKind.STOP_MACHINES)
    if under_way is not None:
        return under_way
    run = newest_run(fleet)
    is_cancelling = fleet.cancel_requested_at is not None
    if run is not None and run.ended_at is None and not is_cancelling:
        raise Conflict("Agents are at work on these machines: cancel first.", state=fleet.state)
    running = Machine.objects.filter(fleet=fleet, gone_at__isnull=True).exclude(
        status__in=["stopped", "failed", "deleted", "expired"]
    )
    if not running:
        raise AlreadySo("No machine of this fleet runs.", state=fleet.state)
    before = stop_order.facts(fleet)
    nodes = tuple(
        operations.NodePlan(NodeKind.MACHINE, f"{fleet.name}/{machine}", machine.machine_id)
        for machine in running.order_by("position")
    )
    if fleet.after == Afterwards.STOP:
        # That was its rule. Machines that are to be deleted keep their date, stopped or not.
        fleet.cleanup_due_at = None
    recount(fleet, now=timezone.now())
    operation = operations.order(
        fleet,
        operations.Order(kind=OperationKind.STOP_MACHINES, reason=reason, nodes=nodes),
        actor=actor,
    )
    stop_order.write_audit(fleet, actor=actor, act="stop_machines", reason=reason, before=before)
    note(fleet, Line("machine", f"machines ordered to stop by {actor.name}: {reason}"))
    return operation
