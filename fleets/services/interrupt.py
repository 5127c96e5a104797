"""Orders one agent interrupted: its turn stops, its conversation stays, the others go on."""

from django.db import transaction

from fleets.domain.errors import Conflict
from fleets.domain.status import OperationKind, TurnState
from fleets.models import Agent, Fleet, NodeKind, Operation, Turn
from fleets.services import operations, stop_order
from fleets.services.actor import Actor
from fleets.services.fleet_events import Line, note


@transaction.atomic
def interrupt_agent(agent: Agent, *, actor: Actor, reason: str) -> Operation:
    """Order the agent's open turn interrupted; a second order joins the first.

    Raises NotAllowed, InvalidInput (no reason), Conflict when the agent is not at work.
    """
    fleet = stop_order.begin(agent.fleet, actor=actor, act="interrupt an agent of", reason=reason)
    under_way = _under_way(fleet, agent)
    if under_way is not None:
        return under_way
    turn = Turn.objects.filter(agent=agent).exclude(state=TurnState.ENDED).first()
    if turn is None:
        raise Conflict(f"{agent.agent_id} is not at work: there is nothing to interrupt.")
    label = f"{fleet.name}/{agent.agent_id}"
    operation = operations.order(
        fleet,
        operations.Order(
            kind=OperationKind.INTERRUPT,
            reason=reason,
            params={"turn": turn.pk, "agentId": agent.agent_id},
            nodes=(operations.NodePlan(NodeKind.AGENT, label, agent.agent_id),),
        ),
        actor=actor,
    )
    before = stop_order.facts(fleet)
    stop_order.write_audit(
        fleet,
        actor=actor,
        act="interrupt",
        reason=reason,
        before=before,
        agentId=agent.agent_id,
        turnId=turn.turn_id,
    )
    note(fleet, Line("cancel", f"interrupt ordered by {actor.name}: {reason}", agent))
    return operation


def _under_way(fleet: Fleet, agent: Agent) -> Operation | None:
    return Operation.objects.filter(
        fleet=fleet,
        kind=OperationKind.INTERRUPT,
        ended_at__isnull=True,
        params__agentId=agent.agent_id,
    ).first()
