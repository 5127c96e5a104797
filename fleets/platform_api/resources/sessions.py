"""Sessions of a sandbox: their list, state, results and abort (contract 3.1, 3.4, 10 row 12)."""

from typing import Any, Literal

from fleets.platform_api import operations as op
from fleets.platform_api.answers.executions import ExecutionRow, parse_executions
from fleets.platform_api.answers.interactions import (
    Interaction,
    parse_interaction,
    parse_interactions,
)
from fleets.platform_api.answers.messages import Message, parse_messages
from fleets.platform_api.answers.results import parse_result, parse_turn
from fleets.platform_api.encoding import given
from fleets.platform_api.errors import NotFound
from fleets.platform_api.fields import Fields, each, unwrap, unwrap_rows
from fleets.platform_api.resources.turns import Turns
from fleets.platform_api.types import (
    AbortAnswer,
    SessionPage,
    SessionRow,
    SessionState,
    TurnResult,
)
from fleets.platform_api.usage import parse_usage

PAGE = 200


class Sessions(Turns):
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
        return reply.parse(parse_turn)

    async def messages(
        self, sandbox_id: str, session_id: str, *, limit: int = PAGE
    ) -> tuple[Message, ...]:
        """The latest messages of a session, oldest first; `limit` goes up to 1,000 (3.4)."""
        reply = await self._send(
            op.SESSION_MESSAGES, path=_path(sandbox_id, session_id), query={"limit": limit}
        )
        return reply.parse(parse_messages)

    async def executions(self, sandbox_id: str, session_id: str) -> tuple[ExecutionRow, ...]:
        """The session's ledger: one row per execution, with tokens and cost (row 12)."""
        reply = await self._send(op.SESSION_EXECUTIONS, path=_path(sandbox_id, session_id))
        return reply.parse(parse_executions)

    async def interactions(self, sandbox_id: str, session_id: str) -> tuple[Interaction, ...]:
        """What the session's agent waits to be told (3.1)."""
        reply = await self._send(op.SESSION_INTERACTIONS, path=_path(sandbox_id, session_id))
        return reply.parse(parse_interactions)

    async def answer(
        self,
        sandbox_id: str,
        session_id: str,
        *,
        interaction_id: str,
        outcome: Literal["accepted", "declined"],
        data: Any = None,
    ) -> None:
        """Answers a question, an approval or a plan; the next turn goes on with it.

        Raises BadRequest for an answer that does not fit, NotFound and WrongState for what is no
        longer asked or was answered otherwise. After an unknown outcome read `interactions`.
        """
        await self._send(
            op.SESSION_ANSWER,
            path=_path(sandbox_id, session_id),
            body=given(id=interaction_id, outcome=outcome, data=data),
        )

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
        waiting_for=each(row.rows("outstandingInteractions"), parse_interaction),
    )


def parse_abort(body: Any, /) -> AbortAnswer:
    """Whether something was stopped, and why not. Raises FieldError."""
    row = unwrap(body, "data")
    reason, _code = row.maybe_reason("noopReason", "reason")
    return AbortAnswer(cancelled=row.flag("cancelled", default=False), reason=reason)
