"""Rows for pages: a fleet of any size in the middle of its work, written in bulk."""

import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.test import Client
from django.utils import timezone

from fleets.domain import ids
from fleets.domain.money import NUSD_PER_USD
from fleets.domain.status import Role, TaskState, TurnOutcome, TurnState
from fleets.models import (
    Agent,
    Connection,
    Fleet,
    FleetEvent,
    Machine,
    Run,
    SealedSecret,
    Task,
    Team,
    Turn,
    User,
)
from fleets.services.fleet_state import recount

AGENTS_ON_MACHINE = 25
_STATES = (TaskState.COMPLETED,) * 6 + (TaskState.RUNNING,) * 2 + (TaskState.QUEUED,)
_OUTCOMES = {
    TaskState.COMPLETED: TurnOutcome.COMPLETED,
    TaskState.FAILED: TurnOutcome.FAILED,
    TaskState.RUNNING: None,
}


@dataclass(frozen=True, slots=True)
class People:
    """Whoever looks, and the cookie of their session."""

    user: User
    team: Team
    connection: Connection
    cookie: dict[str, str]

    @classmethod
    def gather(cls) -> "People":
        team = Team.objects.create(name="bench", slug="bench")
        user = User.objects.create(username="bench", role=Role.ADMIN)
        user.teams.add(team)
        connection = Connection.objects.create(
            name="research",
            sandbox_url="http://127.0.0.1:9/sandbox",
            id_url="http://127.0.0.1:9/id",
            router_url="http://127.0.0.1:9/router/v1",
            api_key=SealedSecret.seal("sk-tan-bench-0000"),
            api_key_last_four="0000",
            api_key_fingerprint="00000000",
            is_emulator=True,
        )
        return cls(user, team, connection, {settings.SESSION_COOKIE_NAME: session_of(user)})


def session_of(user: User) -> str:
    """The key of a new session of this person."""
    client = Client()
    client.force_login(user, settings.AUTHENTICATION_BACKENDS[0])
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


@transaction.atomic
def fill_fleet(people: People, *, name: str, agents: int, parent: Fleet | None = None) -> Fleet:
    """A fleet at work: two thirds done, some at work, one in fifty failed."""
    now = timezone.now()
    begun = now - timedelta(minutes=20)
    public_id = ids.new_fleet_id(secrets.token_bytes(6))
    fleet = Fleet.objects.create(
        public_id=public_id,
        name=name,
        team=people.team,
        connection=people.connection,
        owner=people.user,
        parent=parent,
        root=parent,
        depth=1 if parent else 0,
        prompt="Review part {index} and say what is wrong.",
        harness="opencode",
        model="gpt-4.1-mini",
        size="large",
        cpu_cores=8,
        memory_mib=16_384,
        disk_gib=80,
        budget_nusd=500 * NUSD_PER_USD,
        spent_nusd=123 * NUSD_PER_USD,
        after="delete",
        state_since=begun,
        created_at=begun,
        started_at=begun,
        created_on_platform_at=begun,
        settled_at=begun,
        platform_seen_at=now,
        agents_total=agents,
    )
    fleet.root, fleet.path = parent or fleet, [*([parent.pk] if parent else []), fleet.pk]
    machines = _machines(fleet, agents)
    rows = _agents(fleet, machines, agents)
    run = Run.objects.create(fleet=fleet, number=1, created_at=begun, started_at=begun)
    _work(run, rows)
    FleetEvent.objects.bulk_create(
        FleetEvent(fleet=fleet, agent=agent, at=now, kind="completed", text="completed")
        for agent in rows[:500]
    )
    recount(fleet, now=now)
    return fleet


def _machines(fleet: Fleet, agents: int) -> list[Machine]:
    return Machine.objects.bulk_create(
        Machine(
            fleet=fleet,
            machine_id=ids.machine_id(position),
            position=position,
            sandbox_id=f"sandbox-{fleet.pk:06x}{position:06x}",
            status="running",
            cpu_cores=8,
            memory_mib=16_384,
            disk_gib=80,
            memory_planned_mib=14_430,
            running_since=fleet.created_at,
        )
        for position in range(1, -(-agents // AGENTS_ON_MACHINE) + 1)
    )


def _agents(fleet: Fleet, machines: list[Machine], agents: int) -> list[Agent]:
    return Agent.objects.bulk_create(
        Agent(
            fleet=fleet,
            machine=machines[(position - 1) // AGENTS_ON_MACHINE],
            agent_id=f"agent-{position}",
            position=position,
            session_id=ids.session_id(fleet.public_id, f"agent-{position}"),
            harness="opencode",
            model="gpt-4.1-mini",
            state=_state(position),
            last_event="read src/part.py, 214 lines",
            last_event_at=timezone.now(),
            turns=1,
            input_tokens=48_000,
            output_tokens=900,
            cost_nusd=4_100_000,
        )
        for position in range(1, agents + 1)
    )


def _work(run: Run, agents: list[Agent]) -> None:
    now = timezone.now()
    tasks = Task.objects.bulk_create(
        Task(
            run=run,
            agent=agent,
            position=agent.position,
            prompt=f"Review part {agent.position} and say what is wrong.",
            state=agent.state,
            response="Done. Nothing else needed a change." * 4,
            error="The provider refused." if agent.state == TaskState.FAILED else "",
            started_at=now,
        )
        for agent in agents
    )
    Turn.objects.bulk_create(
        Turn(
            run=run,
            task=task,
            agent=task.agent,
            turn_id=ids.turn_id(1, 1),
            epoch=1,
            state=TurnState.ENDED if outcome else TurnState.RUNNING,
            outcome=outcome,
            turn_day=now.date(),
            cost_nusd=4_100_000,
            requested_at=now,
            admitted_at=now,
        )
        for task in tasks
        if task.state in _OUTCOMES
        for outcome in [_OUTCOMES[TaskState(task.state)]]
    )


def _state(position: int) -> TaskState:
    return TaskState.FAILED if position % 50 == 0 else _STATES[position % len(_STATES)]
