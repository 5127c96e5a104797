"""A finished turn's result, of either lane (contract 3.1, 3.4, 3.5)."""

from collections.abc import Mapping
from typing import Any

from fleets.platform_api.fields import FieldError, Fields, each, unwrap
from fleets.platform_api.types import ToolCall, TurnResult
from fleets.platform_api.usage import parse_usage


def parse_turn(body: Any, /) -> TurnResult | None:
    """A finished turn's result, from the turn's own address; a null says a miss. FieldError."""
    if body is None or _says_null(body, "data"):
        return None
    row = unwrap(body, "data")
    if _says_null(row.body, "result"):
        return None
    inner = row.child("result")
    return parse_result(body if inner is None else inner.body)


def _says_null(body: Any, name: str) -> bool:
    return isinstance(body, Mapping) and name in body and body[name] is None


def parse_result(body: Any, /) -> TurnResult:
    """The result object of 3.4, or the run lane's shape (`outcome`, `finalText`) of 3.5."""
    row = unwrap(body, "data", "result")
    status = row.maybe_text("status") or _outcome_type(row)
    success = row.flag("success", default=status in {"success", "completed"})
    if status is None:
        if row.body.get("success") is None:
            raise FieldError("answer.status", "missing")
        status = "success" if success else "failed"
    error, code = row.maybe_reason("error")
    return TurnResult(
        status=status,
        success=success,
        response=row.maybe_text("response", "finalText", "text"),
        error=error,
        error_code=row.maybe_text("errorCode") or code,
        execution_id=row.maybe_text("executionId"),
        trace_id=row.maybe_text("traceId"),
        duration_ms=row.maybe_int("durationMs"),
        usage=parse_usage(row.child("usage", "tokenUsage")),
        cost_usd=row.maybe_usd("costUsd", "totalCostUsd"),
        tool_calls=each(row.rows("toolInvocations"), _tool),
        raw=row.raw,
    )


def _outcome_type(row: Fields) -> str | None:
    """`outcome` as text or as an object with a type."""
    outcome = row.body.get("outcome")
    if isinstance(outcome, str):
        return outcome
    inner = row.child("outcome")
    return None if inner is None else inner.maybe_text("type", "status")


def _tool(row: Fields) -> ToolCall:
    """One tool call as a result lists it."""
    return ToolCall(
        call_id=row.maybe_text("callID", "callId", "toolCallId", "id"),
        tool=row.maybe_text("toolName", "tool", "name") or "tool",
        status="error" if row.body.get("error") else "completed",
    )
