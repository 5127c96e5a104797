"""The open turns of a run as rounds need them: a few columns, not whole rows.

A run of 10,000 agents is looked at several times in every tick; whole rows of turn, task and agent
would take more time than the requests, and most of the memory.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, QuerySet
from django.db.models.functions import Coalesce

from fleets.domain.driving import OpenTurn
from fleets.domain.status import TurnState
from fleets.models import Run, Turn


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A turn that has not ended. `session` is where it was sent, `begun_at` since when it counts
    as young: its admission, or its request while that is not known.
    """

    pk: int
    agent_pk: int
    machine_pk: int
    turn_id: str
    session: str
    execution_id: str
    trace_id: str
    state: TurnState
    next_dispatch_at: datetime | None
    begun_at: datetime | None


def open_turns(run: Run) -> QuerySet[Turn]:
    """Turns of the run that have not ended, oldest first."""
    return Turn.objects.filter(run=run).exclude(state=TurnState.ENDED).order_by("pk")


def lock_open(pks: Iterable[int]) -> list[Turn]:
    """Those of these turns that are open, locked in the caller's transaction, oldest first, with
    agent, task and run; without the texts that only a dispatch needs.
    """
    turns = list(
        Turn.objects.select_for_update(of=("self",))
        .filter(pk__in=list(pks))
        .exclude(state=TurnState.ENDED)
        .select_related("agent", "task")
        .defer("task__prompt", "task__item")
        .order_by("pk")
    )
    runs = Run.objects.in_bulk({turn.run_id for turn in turns})
    for turn in turns:
        turn.run = runs[turn.run_id]  # one object for all: a row joined to each takes as long again
    return turns


def load_rows(run: Run) -> list[TurnRow]:
    """One query, whatever the size of the run; oldest first."""
    rows = open_turns(run).values_list(
        "pk", "agent_id", "agent__machine_id", "turn_id", "session_id", "agent__session_id",
        "execution_id", "trace_id", "state", "next_dispatch_at", "admitted_at", "requested_at",
    )  # fmt: skip
    return [
        TurnRow(
            pk=pk,
            agent_pk=agent,
            machine_pk=machine,
            turn_id=turn_id,
            session=own_session or agent_session,
            execution_id=execution_id,
            trace_id=trace_id,
            state=TurnState(state),
            next_dispatch_at=next_dispatch_at,
            begun_at=admitted_at or requested_at,
        )
        for (
            pk, agent, machine, turn_id, own_session, agent_session,
            execution_id, trace_id, state, next_dispatch_at, admitted_at, requested_at,
        ) in rows
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Openness:
    """How many machines have open turns, and since when the youngest of these counts as young."""

    machines: int
    youngest_at: datetime | None


def look(run: Run) -> Openness:
    """One query, whatever the size of the run."""
    told = open_turns(run).aggregate(
        machines=Count("agent__machine", distinct=True),
        youngest_at=Max(Coalesce("admitted_at", "requested_at")),
    )
    return Openness(told["machines"], told["youngest_at"])


def open_turn_views(rows: list[TurnRow], *, now: datetime) -> list[OpenTurn]:
    """The open turns as the driving rules see them."""
    return [
        OpenTurn(
            turn=row.pk,
            machine=row.machine_pk,
            state=row.state,
            is_due=row.next_dispatch_at is None or row.next_dispatch_at <= now,
        )
        for row in rows
    ]
