"""Sessions of a sandbox: their list, state, results and abort (contract 3.1, 3.4, 10 row 12)."""

from typing import Any

from fleets.platform_api import operations as op
from fleets.platform_api.encoding import given
from fleets.platform_api.errors import NotFound
from fleets.platform_api.fields import FieldError, Fields, each, unwrap, unwrap_rows
from fleets.platform_api.resources.runtime import Runtime
from fleets.platform_api.types import (
    AbortAnswer,
    SessionPage,
    SessionRow,
    SessionState,
    ToolCall,
    TurnResult,
)
from fleets.platform_api.usage import parse_usage

PAGE = 200


class Sessions(Runtime):
    """What becomes of turns: lists, states, events, results, aborts (contract 3)."""

    async def list(self, sandbox_id: str, *, limit: int = PAGE, offset: int = 0) -> SessionPage:
        """The sandbox's sessions as they stand: one call for all its agents (row 12a)."""
        reply = await self._send(
            op.SESSION_LIST,
            path={"sandbox_id": sandbox_id},
            query={"limit": limit, "offset": offset},
        )
        return reply.parse(parse_page)

    async def state(self, sandbox_id: str, session_id: str) -> SessionState:
        """Raises NotFound for a session that never had a turn."""
        reply = await self._send(op.SESSION_STATE, path=_path(sandbox_id, session_id))
        return reply.parse(parse_state)

    async def result(
        self, sandbox_id: str, session_id: str, *, execution_id: str | None = None
    ) -> TurnResult | None:
        """None while it runs, and for what the platform does not know."""
        path = _path(sandbox_id, session_id)
        try:
            reply = await self._send(
                op.SESSION_RESULT, path=path, query=given(executionId=execution_id)
            )
        except NotFound:
            return None
        return reply.parse(parse_result)

    async def turn(self, sandbox_id: str, session_id: str, turn_id: str) -> TurnResult | None:
        """The retained result of a finished turn; None is a miss, not a failure (3.3)."""
        path = {**_path(sandbox_id, session_id), "turn_id": turn_id}
        try:
            reply = await self._send(op.SESSION_TURN, path=path)
        except NotFound:
            return None
        return None if reply.body is None else reply.parse(parse_turn)

    async def abort(self, sandbox_id: str, session_id: str) -> AbortAnswer:
        """Asks the active turn to end. A session that is not there had nothing to cancel (3.1)."""
        try:
            reply = await self._send(op.SESSION_ABORT, path=_path(sandbox_id, session_id), body={})
        except NotFound as error:
            return AbortAnswer(cancelled=False, reason=error.message or "not found")
        return reply.parse(parse_abort)


def _path(sandbox_id: str, session_id: str) -> dict[str, str]:
    return {"sandbox_id": sandbox_id, "session_id": session_id}


def parse_page(body: Any, /) -> SessionPage:
    """A page of a sandbox's sessions. Raises FieldError."""
    rows, total = unwrap_rows(body, "sessions")
    return SessionPage(sessions=each(rows, _row), total=total)


def _row(row: Fields) -> SessionRow:
    reason, code = row.maybe_reason("failureReason")
    return SessionRow(
        session_id=row.text("sessionId", "id"),
        status=row.text("status", "state"),
        active_execution_id=row.maybe_text("activeExecutionId"),
        latest_execution_id=row.maybe_text("latestExecutionId"),
        latest_turn_id=row.maybe_text("latestTurnId"),
        trace_id=row.maybe_text("traceId"),
        last_event_at=row.maybe_time("lastEventAt"),
        failure_reason=reason,
        failure_code=code,
        token_usage=parse_usage(row.child("tokenUsage", "usage")),
        cost_usd=row.maybe_usd("costUsd", "totalCostUsd"),
    )


def parse_state(body: Any, /) -> SessionState:
    """One session with what runs in it. Raises FieldError."""
    row = unwrap(body, "data", "session")
    if isinstance(row.body.get("session"), dict):
        row = Fields(row.body["session"], path="answer.data.session")
    active = row.child("activeExecution")
    reason, code = row.maybe_reason("failureReason")
    return SessionState(
        session_id=row.maybe_text("sessionId", "id"),
        status=row.text("status", "state"),
        active_execution_id=row.maybe_text("activeExecutionId")
        or (active.maybe_text("id", "executionId") if active else None),
        latest_execution_id=row.maybe_text("latestExecutionId"),
        latest_turn_id=row.maybe_text("latestTurnId"),
        terminal_reason=row.maybe_reason("terminalReason")[0],
        failure_reason=reason,
        failure_code=code,
        last_event_at=row.maybe_time("lastEventAt"),
        raw=row.raw,
    )


def parse_turn(body: Any, /) -> TurnResult:
    """A finished turn's result, from the turn's own address. Raises FieldError."""
    row = unwrap(body, "data")
    inner = row.child("result")
    return parse_result(body if inner is None else inner.body)


def parse_result(body: Any, /) -> TurnResult:
    """The result object of 3.4, or the run lane's shape (`outcome`, `finalText`) of 3.5."""
    row = unwrap(body, "data", "result")
    status = row.maybe_text("status") or outcome_type(row)
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
        tool_calls=each(row.rows("toolInvocations"), tool_of_invocation),
        raw=row.raw,
    )


def outcome_type(row: Fields, /) -> str | None:
    """`outcome` as text or as an object with a type."""
    outcome = row.body.get("outcome")
    if isinstance(outcome, str):
        return outcome
    inner = row.child("outcome")
    return None if inner is None else inner.maybe_text("type", "status")


def tool_of_invocation(row: Fields, /) -> ToolCall:
    """One tool call as a result lists it."""
    return ToolCall(
        call_id=row.maybe_text("callID", "callId", "toolCallId", "id"),
        tool=row.maybe_text("toolName", "tool", "name") or "tool",
        status="error" if row.body.get("error") else "completed",
    )


def parse_abort(body: Any, /) -> AbortAnswer:
    """Whether something was stopped, and why not. Raises FieldError."""
    row = unwrap(body, "data")
    reason, _code = row.maybe_reason("noopReason", "reason")
    return AbortAnswer(cancelled=row.flag("cancelled", default=False), reason=reason)
