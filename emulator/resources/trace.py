"""The trace of a turn, made from what the emulator knows of it (contract 2.1 and 10, row 15)."""

from typing import Any

from emulator.calls import Answer, Call
from emulator.clock import iso
from emulator.entities import Execution
from emulator.errors import bad_request, not_found
from emulator.ids import digest
from emulator.resources.sandboxes import find_machine
from emulator.world import World

JsonObject = dict[str, Any]
ModelCall = tuple[int, int | None]
ADMISSION_MS = 12


def trace(call: Call) -> Answer:
    """Of `traceId`, or of the machine's latest turn."""
    world = call.world
    machine = find_machine(world, call.params["sandboxId"])
    if call.query.get("includeIntelligence", "false") not in ("true", "false"):
        raise bad_request("includeIntelligence must be true or false.", field="includeIntelligence")
    wanted = call.query.get("traceId")
    found = [
        one
        for one in world.executions.values()
        if one.sandbox_id == machine.id and wanted in (None, one.trace_id)
    ]
    if not found:
        raise not_found("trace", wanted or machine.id)
    execution = max(found, key=lambda one: one.started_ms)
    calls = _calls(world, execution)
    body: JsonObject = {
        "traceId": execution.trace_id,
        "spans": _spans(execution, calls),
        "criticalPath": {"phases": _phases(execution, calls, now_ms=world.now_ms())},
    }
    answer: JsonObject = {"trace": body}
    if call.query.get("includeIntelligence") == "true":
        answer["intelligence"] = {"recommendedActions": []}
    return Answer(answer)


def _spans(execution: Execution, calls: list[ModelCall]) -> list[JsonObject]:
    begun_ms, ended_ms = execution.started_ms, execution.ended_ms
    status = {"completed": "ok", "running": "running"}.get(execution.status, "error")
    api = _span(execution, "api", name="POST run/stream", begun_ms=begun_ms,
                ended_ms=begun_ms + ADMISSION_MS, status="ok")  # fmt: skip
    admitted = _span(execution, "orchestrator", name="dispatch", begun_ms=begun_ms,
                     ended_ms=ended_ms, status=status, parent=api["spanId"])  # fmt: skip
    ran = _span(execution, "runtime", name=execution.harness, begun_ms=begun_ms,
                ended_ms=ended_ms, status=status, parent=admitted["spanId"])  # fmt: skip
    ran["attributes"] |= {"sessionId": execution.session_id, "executionId": execution.id}
    if execution.error_code is not None:
        ran["attributes"]["errorCode"] = execution.error_code
    routed = [
        _span(execution, "router", name=f"chat {execution.model}", begun_ms=held_ms,
              ended_ms=at_ms, status="ok" if at_ms else "running", parent=ran["spanId"])
        for held_ms, at_ms in calls
    ]  # fmt: skip
    return [api, admitted, ran, *routed]


def _calls(world: World, execution: Execution) -> list[ModelCall]:
    """(begun, ended) of each model call, from the ledger."""
    prefix = f"{execution.id}:"
    settled: list[ModelCall] = [
        (row.held_ms or row.at_ms, row.at_ms)
        for row in world.ledger.entries
        if row.kind == "settle" and row.ref.startswith(prefix)
    ]
    if execution.held_ms is not None:
        settled.append((execution.held_ms, None))
    return settled


def _span(
    execution: Execution,
    service: str,
    *,
    name: str,
    begun_ms: int,
    ended_ms: int | None,
    status: str,
    parent: str | None = None,
) -> JsonObject:
    return {
        "spanId": digest(execution.trace_id, service, name, begun_ms)[:16],
        "parentSpanId": parent,
        "service": service,
        "name": name,
        "startedAt": iso(begun_ms),
        "endedAt": None if ended_ms is None else iso(ended_ms),
        "status": status,
        "attributes": {"model": execution.model} if service == "router" else {},
    }


def _phases(execution: Execution, calls: list[ModelCall], *, now_ms: int) -> list[JsonObject]:
    whole_ms = (execution.ended_ms or now_ms) - execution.started_ms
    model_ms = sum((ended_ms or now_ms) - begun_ms for begun_ms, ended_ms in calls)
    admission_ms = max(0, min(ADMISSION_MS, whole_ms - model_ms))
    return [
        {"name": "admission", "durationMs": admission_ms},
        {"name": "model", "durationMs": model_ms},
        {"name": "harness and tools", "durationMs": whole_ms - admission_ms - model_ms},
    ]
