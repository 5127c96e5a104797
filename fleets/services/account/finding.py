"""Writes the rows of a fleet that was found on the account and not launched here."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.utils import timezone

from fleets.domain.fleet_note import NotedAgent, noted_agents
from fleets.domain.prices import MACHINE_SIZES
from fleets.domain.status import Afterwards, FleetState, Origin, TaskState
from fleets.live import publish
from fleets.models import Agent, Connection, Fleet, Machine, Run, Team
from fleets.platform_api.describe import plain
from fleets.platform_api.types import FleetRow, MachineRow
from fleets.services.driving.settling import take_fleet_row
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import recount

# Where nobody has said whose the fleets are that others make on the account.
UNCLAIMED: Final = ("found", "Found on the account")
_MOST_NAME_CHARS: Final = 80


def write_found(connection: Connection, row: FleetRow, *, parent: Fleet | None) -> Fleet | None:
    """The fleet's rows, written once; None when its id is taken (by another reader, mostly)."""
    try:
        with transaction.atomic():
            return _write(connection, row, parent)
    except IntegrityError:
        return None


def agent_of_parent(row: FleetRow, parent: Fleet | None) -> str:
    """The agent that the platform says the fleet was made by; "" where it says none.

    Whoever spawned it may have named itself by its session (contract 10 row 1 leaves it open).
    """
    told = row.parent.get("agentId") if row.parent else None
    if not isinstance(told, str):
        return ""
    if parent is not None:
        agents = Agent.objects.filter(fleet=parent)
        found = agents.filter(agent_id=told).first() or agents.filter(session_id=told).first()
        if found is not None:
            return found.agent_id
    return plain(told)[:63]


def take_machines(fleet: Fleet, row: FleetRow) -> None:
    """Rows for machines that the fleet has on the platform and not here yet, with their agents.

    Runs in the caller's transaction, which holds the fleet's row; `take_fleet_row` follows.
    """
    known = set(Machine.objects.filter(fleet=fleet).values_list("machine_id", flat=True))
    told = [one for one in row.machines if one.machine_id not in known]
    agents = Agent.objects.filter(fleet=fleet).count()
    for number, machine_row in enumerate(told, start=len(known)):
        machine = _machine(fleet, machine_row, position=number)
        for noted in noted_agents(machine_row.metadata):
            agents += add_agent(fleet, machine, noted, position=agents)
    fleet.agents_total = agents


def add_agent(fleet: Fleet, machine: Machine, noted: NotedAgent, *, position: int) -> bool:
    """An agent that a machine's note or its sessions tell of; False when it is there already."""
    _, is_new = Agent.objects.get_or_create(
        fleet=fleet,
        agent_id=noted.agent_id,
        defaults={
            "machine": machine,
            "position": position,
            "session_id": noted.session_id,
            "harness": noted.harness,
            "model": noted.model,
            "state": TaskState.UNKNOWN,
        },
    )
    return is_new


def _write(connection: Connection, row: FleetRow, parent: Fleet | None) -> Fleet:
    now = timezone.now()
    fleet = Fleet.objects.create(**_facts(connection, row, parent, now=now))
    fleet.root = parent.root if parent else fleet
    fleet.path = [*(parent.path if parent else []), fleet.pk]
    Run.objects.create(fleet=fleet, number=1, created_at=fleet.created_at)
    take_machines(fleet, row)
    take_fleet_row(fleet, row, now=now)
    recount(fleet, now=now)
    if parent is not None:
        who = f"{fleet.parent_agent} of " if fleet.parent_agent else ""
        note(fleet, Line("found", f"made by {who}{parent.name}, found on the account"))
        note(parent, Line("child", f"{fleet.parent_agent or 'somebody'} made the fleet {fleet}"))
    else:
        note(fleet, Line("found", "found on the account: not launched from here"))
    publish("fleets", {"kind": "new", "ids": [fleet.pk]})
    return fleet


def _facts(
    connection: Connection, row: FleetRow, parent: Fleet | None, *, now: datetime
) -> dict[str, Any]:
    sizes = [_resources(machine.resources) for machine in row.machines] or [(0, 0, 0)]
    cores, memory, disk = sizes[0]
    made_at = row.created_at or now
    return {
        "public_id": row.fleet_id,
        "name": _name(row),
        "team": parent.team if parent else _team(connection),
        "connection": connection,
        # Whoever launched the tree answers for what its agents make.
        "owner": parent.owner if parent else None,
        "origin": Origin.SPAWNED if parent else Origin.FOREIGN,
        "parent": parent,
        "parent_agent": agent_of_parent(row, parent),
        "depth": parent.depth + 1 if parent else 0,
        "found_at": now,
        "harness": "",
        "model": "",
        "size": _size_name(cores, memory),
        "cpu_cores": cores,
        "memory_mib": memory,
        "disk_gib": disk,
        "after": Afterwards.KEEP,
        "lifetime_s": _lifetime_s(row),
        "state": FleetState.CREATING,
        "state_since": now,
        "created_at": made_at,
        "created_on_platform_at": made_at,
        "budget_is_known": False,
    }


def _name(row: FleetRow) -> str:
    told = row.metadata.get("name")
    return plain(told, limit=_MOST_NAME_CHARS) or row.fleet_id[:_MOST_NAME_CHARS]


def _team(connection: Connection) -> Team:
    if connection.default_team is not None:
        return connection.default_team
    slug, name = UNCLAIMED
    return Team.objects.get_or_create(slug=slug, defaults={"name": name})[0]


def _lifetime_s(row: FleetRow) -> int:
    """How long its machines live; 0 where the platform does not say."""
    policy = row.raw.get("policy")
    told = policy.get("maxLifetimeSeconds") if isinstance(policy, Mapping) else None
    return _whole(told)


def _machine(fleet: Fleet, row: MachineRow, *, position: int) -> Machine:
    cores, memory, disk = _resources(row.resources)
    return Machine.objects.create(
        fleet=fleet,
        machine_id=row.machine_id[:63],
        position=position,
        cpu_cores=cores,
        memory_mib=memory,
        disk_gib=disk,
        memory_planned_mib=0,
    )


def _resources(told: Mapping[str, Any]) -> tuple[int, int, int]:
    return _whole(told.get("cpuCores")), _whole(told.get("memoryMB")), _whole(told.get("diskGB"))


def _whole(value: Any) -> int:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value < 2**31 else 0


def _size_name(cores: int, memory_mib: int) -> str:
    sizes = MACHINE_SIZES.values()
    same = (s.name for s in sizes if (s.vcpus, s.memory_mib) == (cores, memory_mib))
    return next(same, "")
