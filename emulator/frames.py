"""The frames of a turn, with the habits of the recorded run (contract 3.5).

Text is cumulative and comes with its delta; `raw` frames echo what went before; only
`step_finish` carries tokens; most frames have no clock.
"""

from typing import Any

from emulator.entities import Execution
from emulator.ids import digest
from emulator.scripts import CallPlan, ToolUse

JsonObject = dict[str, Any]
Frame = tuple[str, JsonObject]


def native(execution: Execution, *parts: object) -> str:
    """A harness's own id of something in this turn."""
    return digest(execution.id, *parts)[:26]


def message_id(execution: Execution, call: int) -> str:
    return "msg_" + native(execution, "message", call)


def effective_backend(execution: Execution) -> JsonObject:
    backend: JsonObject = {
        "provider": execution.provider,
        "model": execution.model,
        "source": execution.source,
    }
    if execution.profile is not None:
        backend["profile"] = execution.profile
    return backend


def run_control_ref(execution: Execution) -> JsonObject:
    return {
        "runId": execution.id,
        "provider": "tangle-sandbox",
        "environmentId": execution.sandbox_id,
        "sessionId": execution.session_id,
        "executionId": execution.id,
        "requestDigest": execution.request_digest,
    }


def opening(execution: Execution, *, native_id: str) -> list[Frame]:
    started = {
        "executionId": execution.id,
        "sessionId": execution.session_id,
        "timestamp": execution.started_ms,
        "runControlRef": run_control_ref(execution),
        "effectiveBackend": effective_backend(execution),
    }
    return [
        ("start", {"id": execution.request_id, "created_at": execution.started_ms // 1000}),
        ("execution.started", started),
        ("trace.id", {"traceId": execution.trace_id}),
        status("generating_response"),
        status("started"),
        ("session.updated", {"type": "session.updated", "sessionId": native_id}),
    ]


def status(word: str, *, detail: str | None = None) -> Frame:
    body = {"type": "status", "status": word}
    if detail is not None:
        body["detail"] = detail
    return ("status", body)


def heartbeat(phase: str, *, elapsed_ms: int | None = None) -> Frame:
    body: JsonObject = {"type": "model-processing", "phase": phase}
    if elapsed_ms is not None:
        body["elapsedMs"] = elapsed_ms
    return ("model-processing", body)


def raw(execution: Execution, *, kind: str, at_ms: int, part: JsonObject, native_id: str) -> Frame:
    event = {"type": kind, "timestamp": at_ms, "sessionID": native_id, "part": part}
    return ("raw", {"type": "raw", "backend": execution.harness, "event": event})


def call_started(
    execution: Execution, *, call: int, at_ms: int, elapsed_ms: int, native_id: str
) -> list[Frame]:
    part = {
        "id": "prt_" + native(execution, "step-start", call),
        "messageID": message_id(execution, call),
        "sessionID": native_id,
        "type": "step-start",
    }
    return [
        status("processing", detail=f"{execution.harness} started the model turn"),
        heartbeat("generating"),
        raw(execution, kind="step_start", at_ms=at_ms, part=part, native_id=native_id),
        heartbeat("thinking", elapsed_ms=elapsed_ms),
    ]


def spoken(
    execution: Execution, *, kind: str, call: int, delta: str, at_ms: int, native_id: str
) -> list[Frame]:
    """A text or reasoning part: all text so far, the new piece, and the echo without text."""
    text = execution.said if kind == "text" else execution.thought
    message = message_id(execution, call)
    part = {
        "id": "prt_" + native(execution, kind),
        "sessionID": native_id,
        "messageID": message,
        "type": kind,
        "text": text,
    }
    body = {"type": "message.part.updated", "part": part, "delta": delta}
    echo = {
        "id": "prt_" + native(execution, kind, call, len(text)),
        "messageID": message,
        "sessionID": native_id,
        "type": kind,
        "time": {"start": at_ms - 20, "end": at_ms},
    }
    return [
        ("message.part.updated", body),
        raw(execution, kind=kind, at_ms=at_ms, part=echo, native_id=native_id),
    ]


def tool_used(
    execution: Execution, *, call: int, tool: ToolUse, failed: bool, at_ms: int, native_id: str
) -> list[Frame]:
    """A tool is seen once, already ended; its echo bears another call id."""
    part_id = "prt_" + native(execution, "tool", call)
    state: JsonObject = {
        "status": "error" if failed else "completed",
        "input": tool_input(tool),
        "output": "" if failed else tool.output,
        "title": tool.target,
        "metadata": {"truncated": False},
        "time": {"start": at_ms - 100, "end": at_ms},
    }
    if failed:
        state["error"] = "The tool did not answer within 120000 ms."
    part = {
        "id": part_id,
        "sessionID": native_id,
        "messageID": message_id(execution, call),
        "type": "tool",
        "callID": part_id,
        "tool": tool.tool,
        "state": state,
    }
    echo = dict(part, callID="call_" + native(execution, "call", call)[:24])
    return [
        ("message.part.updated", {"type": "message.part.updated", "part": part}),
        raw(execution, kind="tool_use", at_ms=at_ms, part=echo, native_id=native_id),
    ]


def tool_input(tool: ToolUse) -> JsonObject:
    names = {"bash": "command", "grep": "pattern", "glob": "pattern"}
    return {names.get(tool.tool, "filePath"): tool.target}


def step_finished(
    execution: Execution, *, call: int, plan: CallPlan, at_ms: int, native_id: str
) -> Frame:
    fresh = plan.input_tokens - plan.cached_tokens
    part = {
        "id": "prt_" + native(execution, "step-finish", call),
        "reason": "stop" if plan.tool is None else "tool-calls",
        "messageID": message_id(execution, call),
        "sessionID": native_id,
        "type": "step-finish",
        "tokens": {
            "total": plan.input_tokens + plan.output_tokens,
            "input": fresh,
            "output": plan.output_tokens - plan.reasoning_tokens,
            "reasoning": plan.reasoning_tokens,
            "cache": {"write": 0, "read": plan.cached_tokens},
        },
        "cost": 0,
    }
    return raw(execution, kind="step_finish", at_ms=at_ms, part=part, native_id=native_id)
