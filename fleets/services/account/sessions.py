"""The sessions of found fleets: what their agents do, read with the account's key at a modest pace.

Nobody here sends their turns. Those that a machine shows are written as turns of a run that the
driver never takes up, so that pages, streams and stops treat them as they treat our own.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import structlog
from django.db import transaction
from django.db.models import F, Max, Q
from django.utils import timezone

from fleets.domain.fleet_note import NotedAgent, agent_id_of
from fleets.domain.status import TaskState, TurnState
from fleets.gateway import gateway
from fleets.live import publish
from fleets.models import Agent, Connection, Fleet, Machine, Run, Task, Turn
from fleets.platform_api.types import SessionRow
from fleets.services.account.finding import add_agent
from fleets.services.driving.ending import write_news
from fleets.services.driving.open_turns import load_rows
from fleets.services.driving.round_reading import News, ReadPlan, by_machine, read_round
from fleets.services.driving.settling import take_gone
from fleets.services.driving.signs_of_life import write_signs
from fleets.services.fleet_state import lock, newest_run, recount

log = structlog.get_logger(__name__)
_MOST_SESSIONS: Final = 200
_MOST_ENDS: Final = 20


def read_sessions(connection: Connection, *, most: int) -> int:
    """Read the machines of found fleets that were read longest ago; how many those were."""
    machines = Machine.objects.filter(
        fleet__connection=connection,
        fleet__found_at__isnull=False,
        fleet__deleted_at__isnull=True,
        gone_at__isnull=True,
        status="running",
    ).exclude(sandbox_id="")
    due = list(machines.order_by(F("sessions_read_at").asc(nulls_first=True), "pk")[:most])
    by_fleet: dict[int, list[Machine]] = {}
    for machine in due:
        by_fleet.setdefault(machine.fleet_id, []).append(machine)
    for fleet in Fleet.objects.filter(pk__in=by_fleet).select_related("connection"):
        read_sessions_of(fleet, by_fleet[fleet.pk])
    return len(due)


def read_sessions_of(fleet: Fleet, machines: list[Machine]) -> News:
    """Read these machines of one found fleet and write what they show."""
    run = newest_run(fleet)
    turns = load_rows(run) if run else []
    plan = ReadPlan(
        machines=tuple(machines),
        turns_by_machine=by_machine(turns),
        fleet_id=None,
        key_id=None,
        most_ends=_MOST_ENDS,
    )
    news = gateway().run(read_round(gateway().account(fleet.connection), plan))
    with transaction.atomic():
        write_sessions(lock(fleet.pk), machines, news, now=timezone.now())
    return news


def write_sessions(fleet: Fleet, machines: list[Machine], news: News, *, now: datetime) -> int:
    """Write a reading of a found fleet's machines; how many turns were not known before.

    Runs in the caller's transaction, which holds the fleet's row.
    """
    take_gone(fleet, news.gone, now=now)
    write_news(fleet, news.turns, now=now)
    write_signs(fleet, news.alive)
    new = take_sessions(fleet, machines, news, now=now)
    fleet.last_error = news.words
    recount(fleet, now=now)
    return new


def take_sessions(fleet: Fleet, machines: Sequence[Machine], news: News, *, now: datetime) -> int:
    """Write turns that these machines show and nobody here knew; how many those were. The caller
    holds the fleet's row and recounts it.
    """
    Machine.objects.filter(pk__in=news.read).update(sessions_read_at=now)
    new = sum(
        _take_machine(fleet, machine, news.sessions.get(machine.pk, ()), now=now)
        for machine in machines
    )
    fleet.agents_total = Agent.objects.filter(fleet=fleet).count()
    return new


def _take_machine(
    fleet: Fleet, machine: Machine, rows: tuple[SessionRow, ...], *, now: datetime
) -> int:
    rows = tuple(row for row in rows[:_MOST_SESSIONS] if len(row.session_id) <= 120)
    agents = {agent.session_id: agent for agent in Agent.objects.filter(machine=machine)}
    new = 0
    for row in rows:
        agent = agents.get(row.session_id) or _new_agent(fleet, machine, row.session_id)
        if row.latest_execution_id or row.active_execution_id:
            new += _take_turn(fleet, agent, row, now=now)
    return new


def _new_agent(fleet: Fleet, machine: Machine, session_id: str) -> Agent:
    """A session of which no note tells is an agent all the same: somebody works there."""
    base = agent_id_of(session_id)
    taken = set(
        Agent.objects.filter(fleet=fleet, agent_id__startswith=base[:58]).values_list(
            "agent_id", flat=True
        )
    )
    names = (base if number == 1 else f"{base[:58]}-{number}" for number in range(1, 10_000))
    agent_id = next(name for name in names if name not in taken)
    noted = NotedAgent(agent_id, session_id, harness="", model="", task="")
    add_agent(fleet, machine, noted, position=Agent.objects.filter(fleet=fleet).count())
    return Agent.objects.get(fleet=fleet, agent_id=agent_id)


def _take_turn(fleet: Fleet, agent: Agent, row: SessionRow, *, now: datetime) -> bool:
    """A turn that the session shows and nobody here knows yet; how it ends is read next time."""
    execution_id = (row.active_execution_id or row.latest_execution_id or "")[:120]
    turn_id = (row.latest_turn_id or execution_id)[:80]
    same = Q(execution_id=execution_id) | Q(turn_id=turn_id, execution_id="")
    if Turn.objects.filter(same, agent=agent).exists():
        return False
    if Turn.objects.filter(agent=agent, turn_id=turn_id).exists():
        turn_id = execution_id[:80]
    run = _open_run(fleet, now=now)
    last = Task.objects.filter(run=run).aggregate(last=Max("position"))["last"]
    task = Task.objects.create(
        run=run,
        agent=agent,
        position=0 if last is None else last + 1,
        prompt="",
        state=TaskState.RUNNING,
        started_at=now,
    )
    Turn.objects.create(
        run=run,
        task=task,
        agent=agent,
        turn_id=turn_id,
        epoch=fleet.epoch,
        state=TurnState.RUNNING,
        admitted_at=now,
        turn_day=now.date(),
        execution_id=execution_id,
        trace_id=(row.trace_id or "")[:64],
    )
    Agent.objects.filter(pk=agent.pk).update(
        state=TaskState.RUNNING, turns=F("turns") + 1, last_event_at=row.last_event_at
    )
    fleet.started_at = fleet.started_at or now
    publish(f"fleet:{fleet.public_id}", {"kind": "agents", "ids": [agent.pk]})
    return True


def _open_run(fleet: Fleet, *, now: datetime) -> Run:
    """The run that what was found belongs to; after a stop has ended one, the next."""
    run = newest_run(fleet)
    if run is not None and run.ended_at is None:
        return run
    number = 1 if run is None else run.number + 1
    fleet.work_ended_at = None
    return Run.objects.create(fleet=fleet, number=number, created_at=now)
