"""Sessions of a machine (contract 3.1, 3.4 and 10, rows 12 and 12a)."""

from typing import Any

from emulator.calls import Answer, Call
from emulator.clock import iso
from emulator.closing import token_usage
from emulator.entities import Execution, Session
from emulator.errors import not_found
from emulator.interactions import outstanding
from emulator.money import Usd
from emulator.resources.sandboxes import find_machine
from emulator.strict import check_fields, read_page
from emulator.turn_ends import abort
from emulator.world import World


def list_sessions(call: Call) -> Answer:
    """Every session of the machine with its latest turn: the driver's main read."""
    world = call.world
    limit, offset = read_page(call.query)
    machine = find_machine(world, call.params["sandboxId"])
    call.entry.ids["fleetId"] = machine.fleet_id
    keys = world.sessions_by_machine.get(machine.id, [])
    rows = [_row(world, world.sessions[key]) for key in keys[offset : offset + limit]]
    return Answer({"data": {"sessions": rows, "total": len(keys)}})


def state(call: Call) -> Answer:
    return Answer({"data": _state(call.world, find_session(call))})


def abort_session(call: Call) -> Answer:
    """Cancels the active turn; `cancelled` is false when there is none."""
    check_fields(call.body, where="body", fields={})
    world, session = call.world, find_session(call)
    active = session.active_execution_id
    data: dict[str, Any] = {"cancelled": False, "noopReason": "no_active_execution"}
    if active is not None:
        abort(world, world.executions[active])
        call.entry.execution_id = active
        data = {"cancelled": True, "reason": "aborted_by_caller"}
    data["session"] = _state(world, session)
    return Answer({"data": data})


def result(call: Call) -> Answer:
    """The result object of 3.4; 404 while the execution runs."""
    session = find_session(call)
    wanted = call.query.get("executionId", session.execution_ids[-1])
    execution = call.world.executions.get(wanted)
    if execution is None or execution.session_key != session.id or execution.status == "running":
        raise not_found("result", wanted)
    return Answer(result_view(execution))


def turn(call: Call) -> Answer:
    """A finished turn by its `turnId`; 404 = miss, also while it runs."""
    session, turn_id = find_session(call), call.params["turnId"]
    for found in reversed(session.execution_ids):
        execution = call.world.executions[found]
        if execution.turn_id == turn_id and execution.status != "running":
            body = {"turnId": turn_id, "sessionId": session.session_id}
            return Answer({**body, "result": result_view(execution)})
    raise not_found("turn", turn_id)


def executions(call: Call) -> Answer:
    """The session's ledger of executions, oldest first."""
    session = find_session(call)
    rows = [_ledger_row(call.world.executions[one]) for one in session.execution_ids]
    return Answer({"data": {"executions": rows, "total": len(rows)}})


def find_session(call: Call) -> Session:
    world = call.world
    machine = find_machine(world, call.params["sandboxId"])
    session_id = call.params["sessionId"]
    call.entry.ids.update(fleetId=machine.fleet_id)
    session = world.sessions.get(f"{machine.id}/{session_id}")
    if session is None:
        raise not_found("session", session_id)
    return session


def result_view(execution: Execution) -> dict[str, Any]:
    waiting = execution.waiting
    success = execution.status == "completed" and waiting is None
    usage = token_usage(execution)
    word = "success" if success else "failed"
    body = {
        "success": success,
        "status": word if waiting is None else waiting["status"],
        "response": execution.said,
        "error": execution.error,
        "errorCode": execution.error_code,
        "executionId": execution.id,
        "traceId": execution.trace_id,
        "durationMs": (execution.ended_ms or execution.started_ms) - execution.started_ms,
        "usage": usage,
        "costUsd": Usd(execution.cost_nusd),
        "toolInvocations": execution.tools,
    }
    if waiting is not None:
        body[waiting["kind"]] = waiting["request"]
    return body


def _row(world: World, session: Session) -> dict[str, Any]:
    latest = world.executions[session.execution_ids[-1]]
    row = {
        "sessionId": session.session_id,
        "status": latest.status,
        "activeExecutionId": session.active_execution_id,
        "latestExecutionId": latest.id,
        "latestTurnId": latest.turn_id,
        "traceId": latest.trace_id,
        "lastEventAt": None if session.last_event_ms is None else iso(session.last_event_ms),
        "tokenUsage": token_usage(latest),
        "costUsd": Usd(latest.cost_nusd),
    }
    reason = _failure_reason(latest)
    if reason is not None:
        row["failureReason"] = reason
    return row


def _state(world: World, session: Session) -> dict[str, Any]:
    latest = world.executions[session.execution_ids[-1]]
    active = session.active_execution_id
    body: dict[str, Any] = {
        "sessionId": session.session_id,
        "state": latest.status,
        "status": latest.status,
        "activeExecutionId": active,
        "activeExecution": None if active is None else {"id": active, "status": "running"},
        "latestExecutionId": latest.id,
        "latestTurnId": latest.turn_id,
        "reconnectable": active is not None,
        "registryAuthority": "orchestrator",
        "terminalReason": None if active is not None else _reason(latest),
        "lastEventAt": None if session.last_event_ms is None else iso(session.last_event_ms),
        "outstandingInteractions": outstanding(session.interactions),
    }
    reason = _failure_reason(latest)
    if reason is not None:
        body["failureReason"] = reason
    return body


def _reason(execution: Execution) -> str:
    if execution.waiting is not None:
        return str(execution.waiting["status"])
    return execution.error_code or execution.status


def _failure_reason(execution: Execution) -> dict[str, Any] | None:
    if execution.status != "failed":
        return None
    return {
        "executionId": execution.id,
        "errorCode": execution.error_code,
        "message": execution.error,
    }


def _ledger_row(execution: Execution) -> dict[str, Any]:
    ended_ms = execution.ended_ms
    return {
        "executionId": execution.id,
        "turnId": execution.turn_id,
        "traceId": execution.trace_id,
        "status": execution.status,
        "startedAt": iso(execution.started_ms),
        "completedAt": None if ended_ms is None else iso(ended_ms),
        "model": execution.model,
        "harness": execution.harness,
        "tokenUsage": token_usage(execution),
        "costUsd": Usd(execution.cost_nusd),
    }
