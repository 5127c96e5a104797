"""A batch's stream and what it comes to, old words and new (contract 7, 10 row 18)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from fleets.platform_api.fields import Fields, each, unwrap
from fleets.platform_api.sse import StreamEvent
from fleets.platform_api.types import TokenUsage
from fleets.platform_api.usage import parse_usage

FINISHED = "task.completed"
FAILED = "task.failed"
Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BatchItem:
    """What one task came to on one backend; `backend_id` is None in the old single-backend form."""

    task_id: str
    backend_id: str | None
    ok: bool
    response: str | None
    error: str | None
    error_code: str | None
    duration_ms: int | None
    retries: int | None
    usage: TokenUsage | None
    cost_usd: Decimal | None
    trace_id: str | None


@dataclass(frozen=True, slots=True)
class BatchSummary:
    """The batch's end. Counts are of task × backend; None where it does not say."""

    total_success: int | None
    total_failure: int | None
    items: tuple[BatchItem, ...]
    cost_usd: Decimal | None
    raw: Raw = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class BatchEvent:
    """One frame of the stream. At most one of `item`, `summary` and `error` is there."""

    id: str | None
    type: str
    batch_id: str | None
    total: int | None
    task_id: str | None
    backend_id: str | None
    item: BatchItem | None
    summary: BatchSummary | None
    error: str | None


@dataclass(frozen=True, slots=True)
class BatchRead:
    """A batch read to the end of its stream.

    `summary` None: the stream ended without one, so the outcome is unknown; ask again with the
    same key, which joins or replays. `items` are those that were seen, each task × backend once.
    """

    batch_id: str | None
    total: int | None
    items: tuple[BatchItem, ...]
    summary: BatchSummary | None
    error: str | None
    last_id: str | None


def parse_event(event: StreamEvent, /) -> BatchEvent:
    """A frame in the old or the newer words; one that is neither is kept by its type alone.

    Raises FieldError for a known frame with a bad field.
    """
    row = Fields(event.data, path=event.type)
    is_end = "totalSuccess" in event.data or "succeeded" in event.data
    error, _code = row.maybe_reason("error", "message") if event.type == "error" else (None, None)
    return BatchEvent(
        id=event.id,
        type=event.type,
        batch_id=row.maybe_text("batchId", "batchJobId"),
        total=row.maybe_int("total"),
        task_id=row.maybe_text("taskId"),
        backend_id=row.maybe_text("backendId"),
        item=_item(row, ok=event.type == FINISHED) if event.type in (FINISHED, FAILED) else None,
        summary=_summary(row) if is_end else None,
        error=error or ("failed" if event.type == "error" else None),
    )


def parse_summary(body: Any, /) -> BatchSummary:
    """The batch's result as an object. Raises FieldError."""
    return _summary(unwrap(body, "data", "summary"))


def _summary(row: Fields) -> BatchSummary:
    return BatchSummary(
        total_success=row.maybe_int("totalSuccess", "succeeded"),
        total_failure=row.maybe_int("totalFailure", "failed"),
        items=each(row.rows("results"), _result),
        cost_usd=row.maybe_usd("costUsd", "totalCostUsd"),
        raw=row.raw,
    )


def _result(row: Fields) -> BatchItem:
    status = row.maybe_text("status")
    failed = row.body.get("error") is not None or status in {"failed", "error", "cancelled"}
    return _item(row, ok=row.flag("success", default=row.flag("ok", default=not failed)))


def _item(row: Fields, *, ok: bool) -> BatchItem:
    error, code = row.maybe_reason("error")
    return BatchItem(
        task_id=row.text("taskId", "id"),
        backend_id=row.maybe_text("backendId"),
        ok=ok,
        response=row.maybe_text("response", "output", "text"),
        error=error,
        error_code=row.maybe_text("errorCode", "code") or code,
        duration_ms=row.maybe_int("durationMs"),
        retries=row.maybe_int("retries"),
        usage=_usage(row),
        cost_usd=row.maybe_usd("costUsd"),
        trace_id=row.maybe_text("traceId"),
    )


def _usage(row: Fields) -> TokenUsage | None:
    """`tokenUsage`, or the old `tokensUsed`: one number, or grouped."""
    if isinstance(row.body.get("tokensUsed"), Mapping):
        return parse_usage(row.child("tokensUsed"))
    used = row.maybe_int("tokensUsed")
    old = None if used is None else TokenUsage(total_tokens=used)
    return parse_usage(row.child("tokenUsage", "usage")) or old


def join(items: tuple[BatchItem, ...], more: tuple[BatchItem, ...], /) -> tuple[BatchItem, ...]:
    """Both, each task × backend once; what comes later wins."""
    known = {(item.task_id, item.backend_id): item for item in (*items, *more)}
    return tuple(known.values())
