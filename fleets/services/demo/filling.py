"""Fills the tables with the data set's fleets, replacing those of an earlier filling."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone

from fleets.domain import ids
from fleets.domain.errors import Conflict
from fleets.domain.placement import AgentSpec, Auto, plan_machines
from fleets.domain.prices import MACHINE_SIZES
from fleets.domain.status import TERMINAL_FLEETS, FleetState
from fleets.models import Connection, Fleet, Machine, Run
from fleets.services import audit
from fleets.services.actor import SYSTEM
from fleets.services.demo import money, texts
from fleets.services.demo.agents import Rows, Scene, write_agents
from fleets.services.demo.catalog import STORIES, Story
from fleets.services.demo.definitions import remove_definitions, write_definitions
from fleets.services.demo.figures import hex_of
from fleets.services.demo.frames import write_frames
from fleets.services.demo.machines import is_stopped, write_machines
from fleets.services.demo.moments import set_moments
from fleets.services.demo.orders import write_orders
from fleets.services.demo.people import Gathered, gather
from fleets.services.demo.profiles import remove_profiles, write_profiles
from fleets.services.demo.removal import remove_fleets
from fleets.services.demo.timeline import write_timeline
from fleets.services.demo.trials import write_trial
from fleets.services.fleet_state import recount

BOOT: Final = timedelta(seconds=22)
TAG: Final = "demo"


@dataclass(frozen=True, slots=True)
class Filled:
    """How many fleets and agents were written, and the passwords of the people made just now."""

    fleets: int
    agents: int
    passwords: dict[str, str]


@transaction.atomic
def fill() -> Filled:
    """Write the whole data set. Raises Conflict without a platform account."""
    connection = Connection.objects.first()
    if connection is None:
        raise Conflict("No platform account is connected: run `manage.py setup` first.")
    remove_fleets()
    remove_definitions()
    remove_profiles()
    people = gather()
    now = timezone.now()
    made: dict[str, Fleet] = {}
    for story in STORIES:
        made[story.name] = _write(story, connection, people, made.get(story.parent), now=now)
    _move_money_up(made)
    write_profiles(people, made)
    write_trial(made)
    write_definitions(people, made)
    agents = sum(story.count for story in STORIES)
    audit.record(
        "demo.fill",
        actor=SYSTEM,
        object_type="demo",
        object_id="fleets",
        after={"fleets": len(made), "agents": agents},
    )
    return Filled(len(made), agents, people.passwords)


def _write(
    story: Story,
    connection: Connection,
    people: Gathered,
    parent: Fleet | None,
    *,
    now: datetime,
) -> Fleet:
    fleet = _fleet(story, connection, people, parent, now=now)
    begun = min(now, fleet.created_at + BOOT)
    end = min(now, begun + timedelta(minutes=story.took_min)) if _is_over(story) else now
    run = Run.objects.create(
        fleet=fleet,
        number=1,
        started_by=fleet.owner,
        created_at=fleet.created_at,
        started_at=None if story.state is FleetState.CREATING else begun,
        ended_at=end if _is_over(story) else None,
        requests=story.count * 2 + 14,
        ticks=40 if story.state is not FleetState.CREATING else 0,
    )
    plans = plan_machines(
        [AgentSpec(agent_id, fleet.harness) for agent_id in ids.agent_ids(story.count)],
        size=MACHINE_SIZES[fleet.size],
        placement=Auto(),
    ).machines
    place = write_machines(story, fleet, plans, begun=begun, seen=end)
    rows = write_agents(Scene(story, fleet, run, begun=begun, end=end), place)
    machines = list(Machine.objects.filter(fleet=fleet).order_by("position"))
    _settle(story, fleet, rows, machines, end=end, now=now)
    set_moments(story, fleet, begun=begun, end=end, now=now)
    _must_be(story, fleet, now=now)
    write_orders(story, fleet, rows.agents, machines)
    write_timeline(fleet, machines, rows.turns)
    write_frames(rows.turns, now=now)
    return fleet


def _is_over(story: Story) -> bool:
    return story.state in TERMINAL_FLEETS or story.state is FleetState.DELETING


def _fleet(
    story: Story,
    connection: Connection,
    people: Gathered,
    parent: Fleet | None,
    *,
    now: datetime,
) -> Fleet:
    size = MACHINE_SIZES[story.size]
    # A fleet of this minute is some seconds old.
    created = now - timedelta(minutes=story.ago_min, seconds=12)
    fleet = Fleet.objects.create(
        public_id=f"fleet-{hex_of('demo', story.name, digits=12)}",
        name=story.name,
        team=people.teams[story.team],
        connection=connection,
        owner=people.users[story.owner],
        tags=[TAG],
        is_demo=True,
        parent=parent,
        parent_agent="agent-1" if parent else "",
        depth=parent.depth + 1 if parent else 0,
        prompt=texts.PROMPTS[story.task],
        harness=story.harness,
        model=story.model,
        size=story.size,
        cpu_cores=size.vcpus,
        memory_mib=size.memory_mib,
        disk_gib=size.disk_gib,
        budget_nusd=money.budget_of(story),
        after=story.after,
        lifetime_s=7 * 86_400 if _is_over(story) else 4 * 3_600,
        state=FleetState.CREATING,
        state_since=created,
        created_at=created,
        agents_total=story.count,
    )
    fleet.root = parent.root if parent else fleet
    fleet.path = [*(parent.path if parent else []), fleet.pk]
    money.give_key(fleet)
    return fleet


def _settle(
    story: Story,
    fleet: Fleet,
    rows: Rows,
    machines: list[Machine],
    *,
    end: datetime,
    now: datetime,
) -> None:
    idle = timedelta(minutes=30) if is_stopped(story) or _is_gone(story) else now - end
    stop = min(now, end + (idle if _is_over(story) else timedelta()))
    machine_s = sum(
        max(0.0, (stop - machine.running_since).total_seconds())
        for machine in machines
        if machine.running_since
    )
    money.settle(
        fleet, turns_nusd=rows.cost_nusd, machine_s=machine_s, at_work=story.at_work, now=now
    )
    if story.state is FleetState.BUDGET_EXHAUSTED:
        money.tell_the_stop(fleet, calls_in_flight=story.refused + 1)


def _is_gone(story: Story) -> bool:
    return story.state is FleetState.DELETED


def _must_be(story: Story, fleet: Fleet, *, now: datetime) -> None:
    """Count and derive as the services do; a story whose rows tell another state is a mistake."""
    since = fleet.state_since
    state = recount(fleet, now=now)
    if state is not story.state:
        raise AssertionError(f"{story.name}: the rows say {state}, the story {story.state}")
    fleet.state_since = since
    fleet.save(update_fields=["state_since"])


def _move_money_up(made: dict[str, Fleet]) -> None:
    """A parent's spend has its children's in it, and what they may still spend is reserved."""
    for fleet in reversed(made.values()):
        parent = fleet.parent
        if parent is None or fleet.spent_nusd is None or parent.budget_nusd is None:
            continue
        still = 0 if fleet.state in TERMINAL_FLEETS else fleet.budget_nusd or 0
        parent.spent_nusd = (parent.spent_nusd or 0) + fleet.spent_nusd
        parent.reserved_nusd = (parent.reserved_nusd or 0) + max(0, still - fleet.spent_nusd)
        left = parent.budget_nusd - parent.spent_nusd - parent.reserved_nusd
        parent.remaining_nusd = min(parent.remaining_nusd or 0, left)
        parent.save(update_fields=["spent_nusd", "reserved_nusd", "remaining_nusd"])
