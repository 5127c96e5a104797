"""The JSON documents. Money is a decimal string of dollars; what is unknown is null."""

from typing import Any

from fleets.domain.money import usd_string
from fleets.models import Fleet, Operation
from fleets.selectors.fleet_report import AgentReport, FleetReport, MachineReport
from fleets.selectors.task_report import TaskReport


def report_document(report: FleetReport) -> dict[str, Any]:
    """What `run`, `show` and `watch` print."""
    fleet = report.fleet
    tasks = {"tasks": [task_document(task) for task in report.tasks]} if report.tasks else {}
    return {
        "fleetId": fleet.public_id,
        "name": fleet.name,
        "state": fleet.state,
        "wallSeconds": report.wall_s,
        "requests": report.requests,
        "spend": spend(fleet),
        **tasks,
        "agents": [agent_document(agent) for agent in report.agents],
        "machines": [_machine(machine) for machine in report.machines],
    }


def agent_document(agent: AgentReport) -> dict[str, Any]:
    """One agent of a report, and of an `agent.finished` line."""
    return {
        "agentId": agent.agent_id,
        "machineId": agent.machine_id,
        "sandboxId": agent.sandbox_id,
        "sessionId": agent.session_id,
        "status": agent.state,
        "verdict": agent.verdict,
        "verdictReason": agent.verdict_reason,
        "response": agent.response,
        "traceId": agent.trace_id,
        "costUsd": usd(agent.cost_nusd),
        "error": agent.error,
    }


def task_document(task: TaskReport) -> dict[str, Any]:
    """One task of a pool in a report, and in a `task.finished` line."""
    return {
        "taskId": task.task_id or None,
        "agentId": task.agent_id,
        "sessionId": task.session_id,
        "status": task.state,
        "reason": task.reason,
        "verdict": task.verdict,
        "verdictReason": task.verdict_reason,
        "response": task.response,
        "traceId": task.trace_id,
        "costUsd": usd(task.cost_nusd),
        "error": task.error,
    }


def _machine(machine: MachineReport) -> dict[str, Any]:
    return {
        "machineId": machine.machine_id,
        "sandboxId": machine.sandbox_id,
        "status": machine.status,
        "agents": list(machine.agents),
    }


def spend(fleet: Fleet) -> dict[str, str | None] | None:
    """The figures of the fleet's key; None where the fleet has no key of its own."""
    if fleet.budget_nusd is None:
        return None
    return {
        "spentUsd": usd(fleet.spent_nusd),
        "reservedForChildrenUsd": usd(fleet.reserved_nusd),
        "remainingUsd": usd(fleet.remaining_nusd),
    }


def usd(nusd: int | None) -> str | None:
    """Exact dollars, or null."""
    return None if nusd is None else usd_string(nusd)


def listed_document(fleet: Fleet, *, url: str) -> dict[str, Any]:
    """One fleet of a list (`owner` and `team` loaded)."""
    return {
        "fleetId": fleet.public_id,
        "name": fleet.name,
        "state": fleet.state,
        "owner": fleet.owner.get_username() if fleet.owner else None,
        "team": fleet.team.slug,
        "createdAt": fleet.created_at.isoformat(),
        "agents": fleet.agents_total,
        "completed": fleet.tasks_completed,
        "failed": fleet.tasks_failed,
        "machinesRunning": fleet.machines_running,
        "budgetUsd": usd(fleet.budget_nusd),
        "spentUsd": usd(fleet.spent_nusd),
        "url": url,
    }


def cancel_document(operation: Operation) -> dict[str, Any]:
    """What a cancel came to."""
    return {
        "interrupted": operation.result.get("interrupted"),
        "failures": operation.result.get("failures", []),
    }


def interrupt_document(operation: Operation) -> dict[str, Any]:
    """What an interrupt came to: how the turn ended, in words."""
    node = operation.nodes.get()
    return {"agentId": node.ref, "state": node.state, "result": node.result}


def cut_document(operation: Operation) -> dict[str, Any]:
    """What a cut off came to; confirmed once the platform has said the lower cap back."""
    return {
        "keyId": operation.fleet.key_id or None,
        "capUsd": usd(operation.result.get("capNusd")),
        "confirmed": operation.result.get("confirmed") is True,
    }


def delete_document(operation: Operation) -> dict[str, Any]:
    """What a delete left; null where it was not read."""
    left = operation.result.get("left") or {}
    return {
        "status": operation.result.get("status") or operation.state,
        "left": {name: left.get(name) for name in ("fleets", "sandboxes", "keys")},
    }
