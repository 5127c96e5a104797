"""Interrupts one turn: asks until the platform has said how it ended.

The run's own ticks read the end and write it; this asks the session to stop and waits for them. A
turn whose request had no answer yet may still arrive, so it is asked again while it is open.
"""

from typing import Final

from django.utils import timezone

from fleets import dispatch
from fleets.domain.status import OperationState, TurnState
from fleets.models import NodeKind, Operation, OperationNode, Run, Turn
from fleets.services.performing.interrupting import ask
from fleets.services.performing.nodes import confirm, prove
from fleets.services.performing.stop_target import Target
from fleets.services.performing.verdict import Again, Ended, Verdict

ASK_EVERY_S: Final = 2.0
MOST_ASKS: Final = 30


def interrupt(operation: Operation) -> Verdict:
    """One piece of work: look how the turn stands, and ask it (again) to stop."""
    turn = Turn.objects.select_related("agent", "task", "run").get(pk=operation.params["turn"])
    node = operation.nodes.get(kind=NodeKind.AGENT)
    if turn.state == TurnState.ENDED:
        return _ended(operation, node, turn)
    if operation.attempts > MOST_ASKS:
        words = f"{node.label}: {node.result or 'no answer'}; its turn is still open."
        prove(operation, NodeKind.AGENT, node.ref, state="failed", result=words)
        return Ended(OperationState.FAILED, words)
    if turn.state != TurnState.QUEUED:
        ask(operation, [(Target(operation, operation.fleet, turn.run), turn)])
    _read_soon(turn.run)
    return Again(ASK_EVERY_S)


def _ended(operation: Operation, node: OperationNode, turn: Turn) -> Verdict:
    if node.stopped_at is None:
        # It ended before this was written down as under way.
        words = f"had ended before: {(turn.outcome or 'unknown').replace('_', ' ')}"
        prove(
            operation,
            NodeKind.AGENT,
            node.ref,
            state="finished",
            stopped_at=turn.ended_at,
            result=words,
        )
        node.refresh_from_db()
    confirm(operation, at=timezone.now())
    return Ended(OperationState.DONE, f"{node.label}: {node.result}.")


def _read_soon(run: Run) -> None:
    """The tick that reads the end need not wait for its time."""
    now = timezone.now()
    free = Run.objects.filter(pk=run.pk, ended_at__isnull=True, lease_until__isnull=True)
    if free.filter(next_tick_at__gt=now).update(next_tick_at=now):
        dispatch.run_due(run.pk)
