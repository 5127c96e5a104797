"""The body of a fleet's create (contract 4.2, 10 rows 1 and 10)."""

import hashlib
import json
from typing import Any

from fleets.domain.money import nusd_to_usd
from fleets.models import Agent, Fleet, Machine, Task

MAX_CONCURRENT_CREATES = 8
METADATA_LIMIT_BYTES = 64 * 1024


def create_body(fleet: Fleet) -> dict[str, Any]:
    """Keyword arguments of `fleets.create`. Holds no secret and no raw key."""
    machines = list(Machine.objects.filter(fleet=fleet).prefetch_related("agents__profile"))
    tasks = _own_tasks(fleet)
    policy: dict[str, Any] = {
        "maxMachines": len(machines),
        "maxConcurrentCreates": MAX_CONCURRENT_CREATES,
        "maxLifetimeSeconds": fleet.lifetime_s,
    }
    if fleet.budget_nusd is not None:
        policy["maxSpendUsd"] = nusd_to_usd(fleet.budget_nusd)
    return {
        "machines": [
            {
                "machineId": machine.machine_id,
                "metadata": {"fleetdash": _agents_note(fleet, list(machine.agents.all()), tasks)},
            }
            for machine in machines
        ],
        "defaults": {
            "environment": "universal",
            "resources": {
                "cpuCores": fleet.cpu_cores,
                "memoryMB": fleet.memory_mib,
                "diskGB": fleet.disk_gib,
            },
            "maxLifetimeSeconds": fleet.lifetime_s,
            "backend": {"type": fleet.harness, "model": {"model": fleet.model}},
        },
        "policy": policy,
        "max_concurrent_creates": MAX_CONCURRENT_CREATES,
        "cleanup_on_failure": False,
    }


def _own_tasks(fleet: Fleet) -> dict[int, str]:
    """What each agent was given to do by itself; nothing where one message goes to all."""
    if fleet.prompt:
        return {}
    rows = Task.objects.filter(run__fleet=fleet, run__number=1).values_list("agent_id", "prompt")
    return dict(rows)


def _agents_note(fleet: Fleet, agents: list[Agent], tasks: dict[int, str]) -> dict[str, Any]:
    """What a machine says of its agents, bounded: tasks too long travel as their digests."""
    told = {agent.pk: tasks.get(agent.pk, fleet.prompt) for agent in agents}
    note = _note(fleet, agents, tasks=told)
    if len(json.dumps(note).encode()) <= METADATA_LIMIT_BYTES:
        return note
    return _note(fleet, agents, tasks={pk: _digest(task) for pk, task in told.items()})


def _digest(task: str) -> str:
    return f"sha256:{hashlib.sha256(task.encode()).hexdigest()[:16]}"


def _note(fleet: Fleet, agents: list[Agent], *, tasks: dict[int, str]) -> dict[str, Any]:
    return {
        "schema": 1,
        "fleetId": fleet.public_id,
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
