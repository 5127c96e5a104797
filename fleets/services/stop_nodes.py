"""Shows on the page of a cancel or an interrupt how each turn really ended, whoever read it."""

from django.db.models import Q

from fleets.domain.status import OperationKind, TurnOutcome
from fleets.live import publish
from fleets.models import Fleet, NodeKind, Operation, OperationNode, Turn
from fleets.services.stop_refs import ref


def show_ends(fleet: Fleet, turns: list[Turn]) -> None:
    """Write the ends of turns into the newest cancel of the fleet or of a tree it is in, and into
    the interrupts that are under way, in the caller's transaction.
    """
    if not turns:
        return
    for operation in _stops(fleet):
        _show_in(operation, {ref(operation, fleet, turn.agent.agent_id): turn for turn in turns})


def _stops(fleet: Fleet) -> list[Operation]:
    known = Operation.objects.filter(fleet=fleet)
    stops = list(known.filter(kind=OperationKind.INTERRUPT, ended_at__isnull=True))
    if fleet.cancel_requested_at is not None:
        above = Q(fleet__in=fleet.path[:-1]) & ~Q(params__onlyThis=True)
        cancels = Operation.objects.filter(Q(fleet=fleet) | above, kind=OperationKind.CANCEL)
        stops += cancels.order_by("-requested_at")[:1]
    return stops


def _show_in(operation: Operation, by_agent: dict[str, Turn]) -> None:
    nodes = list(operation.nodes.filter(kind=NodeKind.AGENT, ref__in=by_agent))
    for node in nodes:
        _show(node, by_agent[node.ref])
    OperationNode.objects.bulk_update(nodes, ["state", "stopped_at", "result"])
    publish(
        f"operation:{operation.public_id}",
        {"kind": "nodes", "ids": [node.pk for node in nodes]},
        {"kind": "head"},
    )


def _show(node: OperationNode, turn: Turn) -> None:
    node.stopped_at = turn.ended_at
    if turn.outcome == TurnOutcome.COMPLETED:
        node.state = "finished"
        node.result = "had finished before the interrupt arrived; its answer is kept"
    elif turn.ended_after_stop:
        node.state = "late"
        how = "was not confirmed" if node.acknowledged_at is None else "was acknowledged"
        node.result = (
            f"its interrupt {how}, and it completed all the same: its answer is kept as data of "
            "a cancelled turn, its cost counted"
        )
    elif turn.outcome == TurnOutcome.NOT_STARTED:
        node.state = "not_begun"
        node.result = "it had not begun, and will not"
    elif turn.outcome == TurnOutcome.CANCELLED:
        node.state = "stopped"
        node.result = "interrupted, conversation kept"
    elif turn.outcome == TurnOutcome.UNKNOWN:
        node.state = "gone"
        node.result = turn.error or "how it ended could not be read"
    else:
        node.state = "finished"
        words = (turn.outcome or "unknown").replace("_", " ")
        node.result = f"ended by itself: {words}" + (f", {turn.error}" if turn.error else "")
