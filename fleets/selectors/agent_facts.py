"""What the peek and the session page say alike of one agent."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fleets.models import Agent
from fleets.selectors.agents import with_running


@dataclass(frozen=True, slots=True)
class AgentFacts:
    """Facts of an agent out of its row. Money in nanodollars, None is unknown."""

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
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    cost_nusd: int | None
    last_event: str
    last_event_at: datetime | None


def facts_of(agent: Agent) -> dict[str, Any]:
    """The fields of `AgentFacts` for an agent whose machine is loaded: no query."""
    machine = agent.machine
    return {
        "pk": agent.pk,
        "agent_id": agent.agent_id,
        "state": agent.state,
        "reason": agent.state_reason,
        "machine_id": machine.machine_id,
        "machine_status": "gone" if machine.gone_at else machine.status,
        "sandbox_id": machine.sandbox_id,
        "session_id": agent.session_id,
        "harness": agent.harness,
        "effective_harness": agent.effective_harness,
        "model": agent.model,
        "effective_model": agent.effective_model,
        "input_tokens": with_running(agent.input_tokens, agent.running_input_tokens),
        "cached_tokens": agent.cached_tokens,
        "output_tokens": with_running(agent.output_tokens, agent.running_output_tokens),
        "cost_nusd": agent.cost_nusd,
        "last_event": agent.last_event,
        "last_event_at": agent.last_event_at,
    }
