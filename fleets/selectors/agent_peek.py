"""One agent, close up: where it lives, what it was asked, every turn, its answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import F

from fleets.models import Agent, Fleet, Task, Turn
from fleets.selectors.agent_facts import AgentFacts, facts_of
from fleets.selectors.neighbours import neighbours

MOST_TURNS: Final = 50
RESPONSE_CHARS: Final = 16_000
PROMPT_CHARS: Final = 4_000


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One attempt. `outcome` is None while it is under way; money in nanodollars."""

    pk: int
    number: int
    attempt: int
    turn_id: str
    state: str
    outcome: str | None
    reason: str
    trace_id: str
    dispatches: int
    requested_at: datetime | None
    admitted_at: datetime | None
    ended_at: datetime | None
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    cost_nusd: int | None
    error: str
    error_code: str
    ended_after_stop: bool

    @property
    def word(self) -> str:
        """The outcome, or the state of life while there is none."""
        return self.outcome or self.state


@dataclass(frozen=True, slots=True)
class AgentPeek(AgentFacts):
    """Everything the peek panel shows of one agent."""

    profile_name: str
    profile_digest: str
    placement: str
    prompt: str
    response: str
    response_left_out: int
    error: str
    turns: Sequence[TurnRow]
    before: str
    following: str


def agent_peek(fleet: Fleet, agent_id: str) -> AgentPeek | None:
    """One agent of the fleet, None if there is none of that name. At most five queries."""
    agents = Agent.objects.select_related("machine", "profile").defer("profile__body")
    agent = agents.filter(fleet=fleet, agent_id=agent_id).first()
    if agent is None:
        return None
    # Of several tasks in a run the one that waits, else the one that it began last.
    begun_last = F("started_at").desc(nulls_first=True)
    tasks = Task.objects.filter(agent=agent).order_by("-run__number", begun_last, "-position")
    task = tasks.first()
    turns = list(Turn.objects.filter(agent=agent).order_by("-pk")[:MOST_TURNS])
    response = task.response if task else ""
    before, following = neighbours(agent)
    return AgentPeek(
        **facts_of(agent),
        profile_name=agent.profile.name if agent.profile else "",
        profile_digest=agent.profile.digest if agent.profile else "",
        placement=agent.placement,
        prompt=task.prompt[:PROMPT_CHARS] if task else "",
        response=response[:RESPONSE_CHARS],
        response_left_out=max(0, len(response) - RESPONSE_CHARS),
        error=task.error if task else "",
        turns=[_turn(turn, number=len(turns) - index) for index, turn in enumerate(turns)],
        before=before,
        following=following,
    )


def _turn(turn: Turn, *, number: int) -> TurnRow:
    return TurnRow(
        pk=turn.pk,
        number=number,
        attempt=turn.attempt,
        turn_id=turn.turn_id,
        state=turn.state,
        outcome=turn.outcome,
        reason=turn.reason or "",
        trace_id=turn.trace_id,
        dispatches=turn.dispatches,
        requested_at=turn.requested_at,
        admitted_at=turn.admitted_at,
        ended_at=turn.ended_at,
        input_tokens=turn.input_tokens,
        cached_tokens=turn.cached_tokens,
        output_tokens=turn.output_tokens,
        cost_nusd=turn.cost_nusd,
        error=turn.error,
        error_code=turn.error_code,
        ended_after_stop=turn.ended_after_stop,
    )
