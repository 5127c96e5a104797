"""The body of a fleet's create (contract 4.2, 10 rows 1 and 10)."""

import hashlib
import json
from typing import Any

from fleets.domain.machine_needs import DEFAULT_ENVIRONMENT, needs_of
from fleets.domain.money import nusd_to_usd
from fleets.domain.only_machines import COORDINATOR
from fleets.domain.status import Pattern
from fleets.models import Agent, Fleet, Machine, Task

MAX_CONCURRENT_CREATES = 8
METADATA_LIMIT_BYTES = 64 * 1024
# The platform takes creates of about 240 kB (contract 1.3); the rest of the body is small.
NOTES_LIMIT_BYTES = 200_000


def create_body(fleet: Fleet) -> dict[str, Any]:
    """Keyword arguments of `fleets.create`. Holds no secret and no raw key."""
    machines = list(Machine.objects.filter(fleet=fleet).prefetch_related("agents__profile"))
    notes = _notes(fleet, machines)
    is_bare = fleet.pattern == Pattern.MACHINES
    policy: dict[str, Any] = {
        "maxMachines": len(machines),
        "maxConcurrentCreates": MAX_CONCURRENT_CREATES,
        "maxLifetimeSeconds": fleet.lifetime_s,
    }
    if fleet.budget_nusd is not None:
        policy["maxSpendUsd"] = nusd_to_usd(fleet.budget_nusd)
    wanted = [
        {"machineId": machine.machine_id, "metadata": {"fleetdash": note}}
        for machine, note in zip(machines, notes, strict=True)
    ]
    leads = [one for one in wanted if is_bare and one["machineId"] == COORDINATOR]
    return {
        **({"parent": _parent(fleet)} if fleet.parent else {}),
        "machines": [one for one in wanted if one not in leads],
        **({"coordinator": leads[0]} if leads else {}),
        "defaults": {
            **_environment(fleet),
            "resources": {
                "cpuCores": fleet.cpu_cores,
                "memoryMB": fleet.memory_mib,
                "diskGB": fleet.disk_gib,
            },
            "maxLifetimeSeconds": fleet.lifetime_s,
            **(
                {}
                if is_bare
                else {"backend": {"type": fleet.harness, "model": {"model": fleet.model}}}
            ),
        },
        "policy": policy,
        "max_concurrent_creates": MAX_CONCURRENT_CREATES,
        "cleanup_on_failure": False,
    }


def _parent(fleet: Fleet) -> dict[str, str]:
    """Whose child it is (contract 10 row 1)."""
    assert fleet.parent is not None
    agent = {"agentId": fleet.parent_agent} if fleet.parent_agent else {}
    return {"fleetId": fleet.parent.public_id, **agent}


def _environment(fleet: Fleet) -> dict[str, Any]:
    """What every machine begins with (contract 2.2); secrets travel by name only."""
    needs = needs_of(fleet.machine_needs)
    wanted: dict[str, Any] = {"environment": needs.image or DEFAULT_ENVIRONMENT}
    if needs.template:
        wanted = {"publicTemplateId": needs.template}
    if needs.git is not None:
        wanted["git"] = {"url": needs.git.url, **({"ref": needs.git.ref} if needs.git.ref else {})}
    if needs.secrets:
        wanted["secrets"] = list(needs.secrets)
    if needs.egress is not None:
        wanted["egressPolicy"] = {
            "mode": "strict",
            "allowDomains": list(needs.egress.domains),
            "includeImplicitDomains": needs.egress.with_implicit,
        }
    return wanted


def _own_tasks(fleet: Fleet) -> dict[int, str]:
    """What each agent was given to do by itself; nothing where one message goes to all."""
    if fleet.prompt:
        return {}
    rows = Task.objects.filter(run__fleet=fleet, run__number=1).values_list("agent_id", "prompt")
    return dict(rows)


def _notes(fleet: Fleet, machines: list[Machine]) -> list[dict[str, Any]]:
    """What each machine says of its agents, in as many words as the create has room for.

    Tasks too long travel as their digests; of a fleet too large only the number of agents does.
    """
    own = _own_tasks(fleet)
    agents = [list(machine.agents.all()) for machine in machines]
    told = {agent.pk: own.get(agent.pk, fleet.prompt) for row in agents for agent in row}
    for tasks in (told, {pk: _digest(task) for pk, task in told.items()}):
        notes = [_note(fleet, row, tasks=tasks) for row in agents]
        if _fit(notes):
            return notes
    return [{"schema": 1, "fleetId": fleet.public_id, "agentCount": len(row)} for row in agents]


def _fit(notes: list[dict[str, Any]]) -> bool:
    sizes = [len(json.dumps(note).encode()) for note in notes]
    return max(sizes, default=0) <= METADATA_LIMIT_BYTES and sum(sizes) <= NOTES_LIMIT_BYTES


def _digest(task: str) -> str:
    return f"sha256:{hashlib.sha256(task.encode()).hexdigest()[:16]}"


def _note(fleet: Fleet, agents: list[Agent], *, tasks: dict[int, str]) -> dict[str, Any]:
    return {
        "schema": 1,
        "fleetId": fleet.public_id,
        **({"parent": _parent(fleet)} if fleet.parent else {}),
        "agents": [
            {
                "agentId": agent.agent_id,
                "sessionId": agent.session_id,
                "harness": agent.harness,
                "model": agent.model,
                "task": tasks[agent.pk],
                **({"profile": {"digest": agent.profile.digest}} if agent.profile else {}),
            }
            for agent in agents
        ],
    }
