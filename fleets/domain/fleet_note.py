"""What a machine says of its agents in its metadata (contract 10 row 10), read with suspicion.

Anybody can write it: what is not as agreed is left out, nothing is taken longer than its column.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from fleets.domain.ids import AGENT_ID

NOTE: Final = "fleetdash"
MOST_AGENTS: Final = 200
_MOST_TASK_CHARS: Final = 65_536
_NOT_IN_AN_ID: Final = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class NotedAgent:
    """An agent as its machine's note names it; "" is unknown."""

    agent_id: str
    session_id: str
    harness: str
    model: str
    task: str


def noted_agents(metadata: Mapping[str, Any]) -> tuple[NotedAgent, ...]:
    """The agents that a machine's metadata names; none where it has no note of ours."""
    note = metadata.get(NOTE)
    rows = note.get("agents") if isinstance(note, Mapping) else None
    if not isinstance(rows, list):
        return ()
    agents = (_agent(row) for row in rows[:MOST_AGENTS] if isinstance(row, Mapping))
    return tuple(agent for agent in agents if agent is not None)


def agent_id_of(session_id: str) -> str:
    """An agent's id made of a session's, for sessions of which no note tells."""
    cleaned = _NOT_IN_AN_ID.sub("-", session_id).strip("-._")[:63]
    return cleaned if AGENT_ID.fullmatch(cleaned) else "session"


def _agent(row: Mapping[str, Any]) -> NotedAgent | None:
    agent_id, session_id = _text(row, "agentId", 64), _text(row, "sessionId", 121)
    if not AGENT_ID.fullmatch(agent_id) or not session_id or len(session_id) > 120:
        return None
    return NotedAgent(
        agent_id=agent_id,
        session_id=session_id,
        harness=_text(row, "harness", 40),
        model=_text(row, "model", 120),
        task=_text(row, "task", _MOST_TASK_CHARS),
    )


def _text(row: Mapping[str, Any], name: str, most: int) -> str:
    value = row.get(name)
    return value[:most].replace("\0", "") if isinstance(value, str) else ""
