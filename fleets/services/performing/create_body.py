"""The body of a fleet's create (contract 4.2, 10 rows 1 and 10)."""

import hashlib
import json
from typing import Any

from fleets.domain.money import nusd_to_usd
from fleets.models import Agent, Fleet, Machine

MAX_CONCURRENT_CREATES = 8
METADATA_LIMIT_BYTES = 64 * 1024


def create_body(fleet: Fleet) -> dict[str, Any]:
    """Keyword arguments of `fleets.create`. Holds no secret and no raw key."""
    machines = list(Machine.objects.filter(fleet=fleet).prefetch_related("agents"))
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
                "metadata": {"fleetdash": _agents_note(fleet, list(machine.agents.all()))},
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


def _agents_note(fleet: Fleet, agents: list[Agent]) -> dict[str, Any]:
    """What a machine says of its agents, bounded: a task too long travels as its digest."""
    note = _note(fleet, agents, task=fleet.prompt)
    if len(json.dumps(note).encode()) <= METADATA_LIMIT_BYTES:
        return note
    digest = hashlib.sha256(fleet.prompt.encode()).hexdigest()[:16]
    return _note(fleet, agents, task=f"sha256:{digest}")


def _note(fleet: Fleet, agents: list[Agent], *, task: str) -> dict[str, Any]:
    return {
        "schema": 1,
        "fleetId": fleet.public_id,
        "agents": [
            {
                "agentId": agent.agent_id,
                "sessionId": agent.session_id,
                "harness": agent.harness,
                "model": agent.model,
                "task": task,
            }
            for agent in agents
        ],
    }
