"""One agent's session page: who it is, its turns, and the tab that is open."""

from dataclasses import dataclass
from datetime import datetime

from fleets.models import Agent, Fleet
from fleets.selectors.agents import with_running
from fleets.selectors.session_turns import SessionTurn


@dataclass(frozen=True, slots=True)
class SessionHead:
    """Facts of an agent. Money in nanodollars."""

    pk: int
    agent_id: str
    state: str
    reason: str
    machine_id: str
    machine_status: str
    sandbox_id: str
    session_id: str
    harness: str
    effective_harness: str
    model: str
    effective_model: str
    turns: int
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    cost_nusd: int | None
    last_event: str
    last_event_at: datetime | None


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """What one turn cost, and the sum up to it; None where the platform did not say."""

    turn: SessionTurn
    sum_nusd: int | None


def find_agent(fleet: Fleet, agent_id: str) -> Agent | None:
    """The agent of that name. One query."""
    return Agent.objects.select_related("machine").filter(fleet=fleet, agent_id=agent_id).first()


def session_head(agent: Agent) -> SessionHead:
    """The head out of the agent's row: no query."""
    machine = agent.machine
    return SessionHead(
        pk=agent.pk,
        agent_id=agent.agent_id,
        state=agent.state,
        reason=agent.state_reason,
        machine_id=machine.machine_id,
        machine_status="gone" if machine.gone_at else machine.status,
        sandbox_id=machine.sandbox_id,
        session_id=agent.session_id,
        harness=agent.harness,
        effective_harness=agent.effective_harness,
        model=agent.model,
        effective_model=agent.effective_model,
        turns=agent.turns,
        input_tokens=with_running(agent.input_tokens, agent.running_input_tokens),
        cached_tokens=agent.cached_tokens,
        output_tokens=with_running(agent.output_tokens, agent.running_output_tokens),
        cost_nusd=agent.cost_nusd,
        last_event=agent.last_event,
        last_event_at=agent.last_event_at,
    )


def ledger(turns: list[SessionTurn]) -> list[LedgerRow]:
    """What the turns cost with a running sum, oldest first."""
    total: int | None = None
    rows = []
    for turn in turns:
        if turn.cost_nusd is not None:
            total = (total or 0) + turn.cost_nusd
        rows.append(LedgerRow(turn, total))
    return rows
