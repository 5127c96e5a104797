"""The ledger of a session's executions (contract 3.4, 10 row 12)."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from fleets.platform_api.fields import Fields, each, unwrap_rows
from fleets.platform_api.types import TokenUsage
from fleets.platform_api.usage import parse_usage


@dataclass(frozen=True, slots=True)
class ExecutionRow:
    """One execution of a turn; `completed_at` is None while it runs."""

    execution_id: str
    turn_id: str | None
    trace_id: str | None
    status: str
    started_at: datetime | None
    completed_at: datetime | None
    model: str | None
    harness: str | None
    token_usage: TokenUsage | None
    cost_usd: Decimal | None


def parse_executions(body: Any, /) -> tuple[ExecutionRow, ...]:
    """`{data:{executions:[…]}}` in any wrapping. Raises FieldError."""
    rows, _total = unwrap_rows(body, "executions")
    return each(rows, _execution)


def _execution(row: Fields) -> ExecutionRow:
    return ExecutionRow(
        execution_id=row.text("executionId", "id"),
        turn_id=row.maybe_text("turnId"),
        trace_id=row.maybe_text("traceId"),
        status=row.text("status", "state"),
        started_at=row.maybe_time("startedAt"),
        completed_at=row.maybe_time("completedAt"),
        model=row.maybe_text("model"),
        harness=row.maybe_text("harness"),
        token_usage=parse_usage(row.child("tokenUsage", "usage")),
        cost_usd=row.maybe_usd("costUsd", "totalCostUsd"),
    )
