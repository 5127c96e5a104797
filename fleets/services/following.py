"""What a follower writes: its leases of turns, the frames it hears, the live line of agents.

A turn's stream is held by one follower at a time, for as long as its lease runs. Nothing depends on
that: frames are stored once whoever brings them, and a turn is ended by the tick alone.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Case, F, IntegerField, Q, QuerySet, Value, When

from fleets.domain.status import StreamEnd, TurnState
from fleets.live import publish
from fleets.live.channels import fleet_topic, session_topic
from fleets.models import Agent, Connection, Run, Turn
from fleets.platform_api.sse import StreamEvent
from fleets.platform_api.types import TokenUsage
from fleets.services import event_store

LEASE_S: Final = 6.0
RETRY_FIRST_S: Final = 1.0
RETRY_LAST_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class Stream:
    """One turn's event stream. `since` is the last frame that is stored with all before it."""

    turn_pk: int
    run_pk: int
    agent_pk: int
    connection: Connection
    sandbox_id: str
    session_id: str
    execution_id: str
    since: int
    is_watched: bool


@dataclass(frozen=True, slots=True)
class Heard:
    """News of one stream. `cursor`: the last frame up to which none is missing."""

    turn_pk: int
    frames: tuple[StreamEvent, ...]
    cursor: int
    line: str | None = None
    usage: TokenUsage | None = None


def candidates(
    *, watched: Collection[str], now: datetime, most: int, only_watched: bool = False
) -> list[Stream]:
    """Running turns whose streams nobody holds: those that are looked at come first."""
    sessions = [int(topic[8:]) for topic in watched if topic.startswith("session:")]
    fleets = [topic[6:] for topic in watched if topic.startswith("fleet:")]
    if only_watched and not sessions:
        return []
    rank = Case(
        When(agent__in=sessions, then=Value(0)),
        When(run__fleet__public_id__in=fleets, then=Value(1)),
        default=Value(2),
        output_field=IntegerField(),
    )
    turns = _free(now).annotate(rank=rank).order_by("rank", "pk")
    if only_watched:
        turns = turns.filter(rank=0)
    related = turns.select_related("agent__machine", "run__fleet__connection")
    return [_stream(turn) for turn in related[:most]]


@transaction.atomic
def claim(streams: Collection[Stream], *, owner: str, now: datetime) -> set[int]:
    """Lease these turns; the pks of those that are ours now."""
    wanted = [stream.turn_pk for stream in streams]
    free = _free(now).filter(pk__in=wanted).order_by("pk")
    pks = list(free.select_for_update(of=("self",), skip_locked=True).values_list("pk", flat=True))
    Turn.objects.filter(pk__in=pks).update(follower=owner, follow_until=_until(now))
    return set(pks)


def count_streams(streams: Collection[Stream]) -> None:
    """Count opened streams on their runs, beside the requests of the ticks."""
    for run_pk in sorted({stream.run_pk for stream in streams}):
        opened = sum(stream.run_pk == run_pk for stream in streams)
        Run.objects.filter(pk=run_pk).update(streams=F("streams") + opened)


def renew(turn_pks: Collection[int], *, owner: str, now: datetime) -> set[int]:
    """Extend our leases; the pks of turns that are still ours and still run."""
    ours = Turn.objects.filter(pk__in=turn_pks, follower=owner, state=TurnState.RUNNING)
    pks = set(ours.values_list("pk", flat=True))
    Turn.objects.filter(pk__in=pks, follower=owner).update(follow_until=_until(now))
    return pks


def give_back(ends: Mapping[int, StreamEnd | None], *, owner: str, now: datetime) -> None:
    """Let go of leases at once; None says nothing about the stream (the follower stops)."""
    for turn_pk, end in ends.items():
        changes: dict[str, Any] = {"follower": "", "follow_until": now}
        if end is not None:
            changes["stream_end"] = end
        Turn.objects.filter(pk=turn_pk, follower=owner).update(**changes)


def hold_off(turn_pk: int, *, owner: str, end: StreamEnd, tries: int, now: datetime) -> None:
    """Let go of a stream that broke: it is taken up again after a while, from its last frame."""
    wait_s = min(RETRY_LAST_S, RETRY_FIRST_S * 2 ** min(tries, 8))
    Turn.objects.filter(pk=turn_pk, follower=owner).update(
        follower="", stream_end=end, follow_until=now + timedelta(seconds=wait_s)
    )


@transaction.atomic
def write(
    news: Sequence[Heard], *, owner: str, watched: Collection[str], now: datetime
) -> set[int]:
    """Store frames, cursors and live lines in one transaction; the turns that were written.

    A turn that a tick is writing is left out: its news is written next time.
    """
    told = {item.turn_pk: item for item in news}
    turns = list(
        Turn.objects.select_for_update(of=("self",), skip_locked=True)
        .filter(pk__in=told)
        .select_related("agent", "run__fleet")
        .order_by("pk")
    )
    event_store.store(
        (event_store.Batch(turn, turn.execution_id, told[turn.pk].frames) for turn in turns),
        received_at=now,
    )
    running = [turn for turn in turns if turn.state == TurnState.RUNNING and turn.follower == owner]
    for turn in running:
        _take(turn, told[turn.pk])
    Turn.objects.bulk_update(
        running,
        ["last_event_id", "input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens"],
    )
    _write_lines([turn for turn in running if told[turn.pk].line], told, now=now)
    for turn in turns:
        if told[turn.pk].frames and session_topic(turn.agent_id) in watched:
            publish(session_topic(turn.agent_id), {"kind": "events", "turn": turn.pk})
    return {turn.pk for turn in turns}


def _take(turn: Turn, heard: Heard) -> None:
    turn.last_event_id = max(turn.last_event_id, heard.cursor)
    if heard.usage is not None:
        turn.input_tokens = heard.usage.input_tokens
        turn.cached_tokens = heard.usage.cache_read_tokens
        turn.output_tokens = heard.usage.output_tokens
        turn.reasoning_tokens = heard.usage.reasoning_tokens


def _write_lines(turns: list[Turn], told: Mapping[int, Heard], *, now: datetime) -> None:
    """The live line of agents. A row that somebody else is writing keeps theirs."""
    rows = Agent.objects.select_for_update(skip_locked=True).filter(
        pk__in=[turn.agent_id for turn in turns]
    )
    agents = {agent.pk: agent for agent in rows.order_by("pk")}
    changed: dict[str, list[int]] = {}
    for turn in turns:
        agent = agents.get(turn.agent_id)
        if agent is None:
            continue
        agent.last_event, agent.last_event_at = (told[turn.pk].line or "")[:300], now
        agent.running_input_tokens = turn.input_tokens
        agent.running_output_tokens = turn.output_tokens
        changed.setdefault(turn.run.fleet.public_id, []).append(agent.pk)
    Agent.objects.bulk_update(
        agents.values(),
        ["last_event", "last_event_at", "running_input_tokens", "running_output_tokens"],
    )
    for public_id, pks in changed.items():
        publish(fleet_topic(public_id), {"kind": "agents", "ids": pks})


def _free(now: datetime) -> "QuerySet[Turn]":
    unheld = Q(follow_until__isnull=True) | Q(follow_until__lte=now)
    return (
        Turn.objects.filter(unheld, state=TurnState.RUNNING, agent__machine__gone_at__isnull=True)
        .exclude(execution_id="")
        .exclude(agent__machine__sandbox_id="")
        .exclude(stream_end=StreamEnd.TERMINAL)
    )


def _until(now: datetime) -> datetime:
    return now + timedelta(seconds=LEASE_S)


def _stream(turn: Any) -> Stream:
    return Stream(
        turn_pk=turn.pk,
        run_pk=turn.run_id,
        agent_pk=turn.agent_id,
        connection=turn.run.fleet.connection,
        sandbox_id=turn.agent.machine.sandbox_id,
        session_id=turn.session,
        execution_id=turn.execution_id,
        since=turn.last_event_id,
        is_watched=turn.rank == 0,
    )
