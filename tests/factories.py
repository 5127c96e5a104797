"""Rows for tests: each factory makes one believable row, and what it needs around it."""

# mypy: disable-error-code="misc"
# factory_boy is untyped: its base classes are Any.

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import factory
from django.utils import timezone
from factory.django import DjangoModelFactory

from fleets.domain.canonical_json import profile_digest
from fleets.domain.money import NUSD_PER_USD
from fleets.domain.profile_body import body_text, facts_of
from fleets.domain.status import (
    Afterwards,
    FleetState,
    OperationKind,
    OperationState,
    Role,
    TaskState,
    TurnState,
)
from fleets.models import (
    Agent,
    Catalog,
    Connection,
    Fleet,
    FleetEvent,
    Machine,
    NodeKind,
    Operation,
    OperationNode,
    Profile,
    ProfileRevision,
    Run,
    SealedSecret,
    Task,
    Team,
    Turn,
    User,
)

PASSWORD = "correct-horse-battery"


class TeamFactory(DjangoModelFactory):
    """A team: `review-1`, `review-2`, …"""

    class Meta:
        model = Team

    name = factory.Sequence(lambda n: f"review-{n}")
    slug = factory.SelfAttribute("name")


class UserFactory(DjangoModelFactory):
    """Someone with a role (`role=Role.STRANGER` for none), signing in with `PASSWORD`."""

    class Meta:
        model = User

    username = factory.Sequence(lambda n: f"ops-{n}")
    role = Role.OPERATOR

    @classmethod
    def _create(cls, model_class: type[User], *args: Any, **kwargs: Any) -> User:
        teams: Sequence[Team] = kwargs.pop("teams", ())
        user = model_class(*args, **kwargs)
        user.set_password(PASSWORD)
        user.save()
        user.teams.set(teams)
        return user


class ConnectionFactory(DjangoModelFactory):
    """An account on an emulator that nobody has started."""

    class Meta:
        model = Connection

    name = factory.Sequence(lambda n: f"research-{n}")
    sandbox_url = "http://127.0.0.1:9/sandbox"
    id_url = "http://127.0.0.1:9/id"
    router_url = "http://127.0.0.1:9/router/v1"
    api_key = factory.LazyFunction(lambda: SealedSecret.seal("sk-tan-account-0000"))
    api_key_last_four = "0000"
    api_key_fingerprint = "00000000"
    is_emulator = True


class FleetFactory(DjangoModelFactory):
    """A running fleet of our own with a budget of $3.00; `parent=` makes it a child."""

    class Meta:
        model = Fleet

    public_id = factory.Sequence(lambda n: f"fleet-{n:012x}")
    name = factory.Sequence(lambda n: f"nightly-review-{n}")
    team = factory.SubFactory(TeamFactory)
    connection = factory.SubFactory(ConnectionFactory)
    owner = factory.SubFactory(UserFactory)
    prompt = "Review shard {index} and say what is wrong."
    harness = "opencode"
    model = "gpt-4.1-mini"
    size = "small"
    cpu_cores = 2
    memory_mib = 4096
    disk_gib = 20
    budget_nusd = 3 * NUSD_PER_USD
    after = Afterwards.DELETE
    state = FleetState.RUNNING
    created_at = factory.LazyFunction(timezone.now)
    state_since = factory.SelfAttribute("created_at")

    @classmethod
    def _create(cls, model_class: type[Fleet], *args: Any, **kwargs: Any) -> Fleet:
        parent: Fleet | None = kwargs.get("parent")
        if parent is not None:
            kwargs.setdefault("root", parent.root or parent)
            kwargs.setdefault("depth", parent.depth + 1)
            kwargs["connection"] = parent.connection
        fleet = model_class.objects.create(**kwargs)
        fleet.root = fleet.root or fleet
        fleet.path = [*(parent.path if parent else []), fleet.pk]
        fleet.save(update_fields=["root", "path"])
        return fleet


class MachineFactory(DjangoModelFactory):
    """A running machine with six places."""

    class Meta:
        model = Machine

    fleet = factory.SubFactory(FleetFactory)
    position = factory.Sequence(lambda n: n)
    machine_id = factory.LazyAttribute(lambda row: f"m{row.position}")
    sandbox_id = factory.LazyAttribute(lambda row: f"sandbox-{row.position:012x}")
    status = "running"
    cpu_cores = 2
    memory_mib = 4096
    disk_gib = 20
    memory_planned_mib = 3600
    running_since = factory.LazyFunction(timezone.now)


class AgentFactory(DjangoModelFactory):
    """An agent on a machine of its own fleet."""

    class Meta:
        model = Agent

    machine = factory.SubFactory(MachineFactory)
    fleet = factory.SelfAttribute("machine.fleet")
    position = factory.Sequence(lambda n: n)
    agent_id = factory.LazyAttribute(lambda row: f"agent-{row.position}")
    session_id = factory.LazyAttribute(lambda row: f"session-{row.fleet.pk}-{row.position}")
    harness = "opencode"
    model = "gpt-4.1-mini"
    state = TaskState.QUEUED


class RunFactory(DjangoModelFactory):
    """A run under way."""

    class Meta:
        model = Run

    fleet = factory.SubFactory(FleetFactory)
    number = factory.Sequence(lambda n: n + 1)
    started_by = factory.SelfAttribute("fleet.owner")
    created_at = factory.LazyFunction(timezone.now)


class TaskFactory(DjangoModelFactory):
    """A queued task of an agent."""

    class Meta:
        model = Task

    agent = factory.SubFactory(AgentFactory)
    run = factory.SubFactory(RunFactory, fleet=factory.SelfAttribute("..agent.fleet"))
    position = factory.Sequence(lambda n: n)
    prompt = "Review shard 1 and say what is wrong."


class TurnFactory(DjangoModelFactory):
    """A first attempt, not yet sent."""

    class Meta:
        model = Turn

    task = factory.SubFactory(TaskFactory)
    run = factory.SelfAttribute("task.run")
    agent = factory.SelfAttribute("task.agent")
    attempt = 1
    turn_id = factory.LazyAttribute(lambda row: f"t{row.task.pk}-{row.attempt}")
    epoch = 1
    state = TurnState.QUEUED
    turn_day = factory.LazyFunction(lambda: datetime.now(UTC).date())


class OperationFactory(DjangoModelFactory):
    """A cancel somebody ordered a moment ago."""

    class Meta:
        model = Operation

    public_id = factory.Sequence(lambda n: f"op-{n:012x}")
    fleet = factory.SubFactory(FleetFactory)
    kind = OperationKind.CANCEL
    state = OperationState.QUEUED
    requested_by = factory.SelfAttribute("fleet.owner")
    door = "browser"
    requested_at = factory.LazyFunction(timezone.now)
    idempotency_key = factory.Sequence(lambda n: f"operation-{n}")


class OperationNodeFactory(DjangoModelFactory):
    """One agent of an operation."""

    class Meta:
        model = OperationNode

    operation = factory.SubFactory(OperationFactory)
    position = factory.Sequence(lambda n: n)
    kind = NodeKind.AGENT
    label = factory.LazyAttribute(lambda row: f"agent-{row.position}")
    ref = factory.SelfAttribute("label")


class FleetEventFactory(DjangoModelFactory):
    """A line of a fleet's timeline, each one second later than the one before."""

    class Meta:
        model = FleetEvent

    _first: ClassVar[datetime] = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)

    fleet = factory.SubFactory(FleetFactory)
    at = factory.Sequence(lambda n: FleetEventFactory._first + timedelta(seconds=n))
    kind = "agent_finished"
    text = "finished after 4 turns"


class CatalogFactory(DjangoModelFactory):
    """Everybody's catalog; `team=` makes it a team's."""

    class Meta:
        model = Catalog

    name = factory.Sequence(lambda n: f"Shelf {n}")
    slug = factory.Sequence(lambda n: f"shelf-{n}")


class ProfileFactory(DjangoModelFactory):
    """A profile with its r1 as head; `body=` is what that says."""

    class Meta:
        model = Profile

    catalog = factory.SubFactory(CatalogFactory)
    slug = factory.Sequence(lambda n: f"code-reviewer-{n}")
    owner = factory.SubFactory(UserFactory)
    created_at = factory.LazyFunction(timezone.now)
    updated_at = factory.SelfAttribute("created_at")
    name = factory.SelfAttribute("slug")

    @classmethod
    def _create(cls, model_class: type[Profile], *args: Any, **kwargs: Any) -> Profile:
        body = kwargs.pop("body", {"name": kwargs["slug"], "harness": "opencode"})
        profile = model_class.objects.create(**kwargs)
        ProfileRevisionFactory(profile=profile, body=body, published_at=profile.created_at)
        return profile


class ProfileRevisionFactory(DjangoModelFactory):
    """The next revision of a profile, by its owner; with `published_at` it is the head."""

    class Meta:
        model = ProfileRevision

    profile = factory.SubFactory(ProfileFactory)
    author = factory.SelfAttribute("profile.owner")
    created_at = factory.LazyFunction(timezone.now)
    body: ClassVar[dict[str, Any]] = {"harness": "opencode"}

    @classmethod
    def _create(
        cls, model_class: type[ProfileRevision], *args: Any, **kwargs: Any
    ) -> ProfileRevision:
        profile, body = kwargs["profile"], kwargs["body"]
        facts = facts_of(body)
        kwargs |= {"number": profile.newest + 1, "body": body_text(body)}
        revision = model_class.objects.create(digest=profile_digest(body), **kwargs)
        profile.newest = revision.number
        profile.name = facts.name or profile.slug
        profile.search_text = facts.search_text
        profile.tags = list(facts.tags)
        profile.harness, profile.model = facts.harness, facts.model
        if revision.published_at is not None:
            profile.head = revision
        profile.save()
        return revision
