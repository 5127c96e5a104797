"""The turns of an agent's session, the last ones: for the list beside the transcript."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import F
from django.db.models.functions import Left

from fleets.domain.status import TurnState
from fleets.models import Agent, Turn

MOST_TURNS: Final = 200
PROMPT_CHARS: Final = 16_000


@dataclass(frozen=True, slots=True)
class SessionTurn:
    """One turn. Money in nanodollars; figures of a running turn are as far as its stream told.

    `response` is the start of the task's answer, for turns whose frames are not kept. `task_id`: of
    a pool's list, "" elsewhere. `begins_session`: the turn before it was in another conversation.
    """

    pk: int
    number: int
    attempt: int
    state: str
    outcome: str | None
    stream_end: str
    requested_at: datetime | None
    ended_at: datetime | None
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    cost_nusd: int | None
    trace_id: str
    execution_id: str
    model: str
    prompt: str
    row: int
    task_id: str
    session_id: str
    begins_session: bool
    run: int
    response: str
    error: str
    error_code: str

    @property
    def word(self) -> str:
        """The outcome, or the state of life while there is none."""
        return self.outcome or self.state

    @property
    def is_running(self) -> bool:
        """Whether more of it may come."""
        return self.state != TurnState.ENDED


def session_turns(agent: Agent) -> list[SessionTurn]:
    """The last turns of the agent, oldest first. One query."""
    rows = (
        Turn.objects.filter(agent=agent)
        .annotate(
            prompt=Left("task__prompt", PROMPT_CHARS),
            response=Left("task__response", PROMPT_CHARS),
            row=F("task__position"),
            task_name=F("task__name"),
            run_number=F("run__number"),
        )
        .order_by("-pk")[:MOST_TURNS]
    )
    model = agent.effective_model or agent.model
    found = list(rows)
    first = max(1, agent.turns - len(found) + 1)
    turns = found[::-1]
    before = [None, *turns[:-1]]
    return [
        _turn(
            turn,
            number=first + place,
            model=model,
            begins_session=last is not None and last.session_id != turn.session_id,
        )
        for place, (last, turn) in enumerate(zip(before, turns, strict=False))
    ]


def _turn(turn: Turn, *, number: int, model: str, begins_session: bool) -> SessionTurn:
    return SessionTurn(
        pk=turn.pk,
        number=number,
        attempt=turn.attempt,
        state=turn.state,
        outcome=turn.outcome,
        stream_end=turn.stream_end,
        requested_at=turn.requested_at,
        ended_at=turn.ended_at,
        input_tokens=turn.input_tokens,
        cached_tokens=turn.cached_tokens,
        output_tokens=turn.output_tokens,
        reasoning_tokens=turn.reasoning_tokens,
        cost_nusd=turn.cost_nusd,
        trace_id=turn.trace_id,
        execution_id=turn.execution_id,
        model=model,
        prompt=getattr(turn, "prompt"),  # noqa: B009  # an annotation
        row=getattr(turn, "row"),  # noqa: B009
        task_id=getattr(turn, "task_name"),  # noqa: B009
        session_id=turn.session_id,
        begins_session=begins_session,
        run=getattr(turn, "run_number"),  # noqa: B009
        response=getattr(turn, "response"),  # noqa: B009
        error=turn.error,
        error_code=turn.error_code,
    )
