"""One agent's session page: who it is, its turns, and the tab that is open."""

from dataclasses import dataclass

from fleets.models import Agent, Fleet
from fleets.selectors.agent_facts import AgentFacts, facts_of
from fleets.selectors.session_turns import SessionTurn


@dataclass(frozen=True, slots=True)
class SessionHead(AgentFacts):
    """What stands above a session: the agent, and how many turns it has had."""

    turns: int


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
    return SessionHead(**facts_of(agent), turns=agent.turns)


def ledger(turns: list[SessionTurn]) -> list[LedgerRow]:
    """What the turns cost with a running sum, oldest first."""
    total: int | None = None
    rows = []
    for turn in turns:
        if turn.cost_nusd is not None:
            total = (total or 0) + turn.cost_nusd
        rows.append(LedgerRow(turn, total))
    return rows
