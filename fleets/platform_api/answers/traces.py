"""The trace of a turn (contract 2.1, 10 row 15)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from fleets.platform_api.fields import Fields, each, unwrap


@dataclass(frozen=True, slots=True)
class Span:
    """One service's part in a turn; `ended_at` is None while it runs."""

    span_id: str
    parent_span_id: str | None
    service: str | None
    name: str
    started_at: datetime | None
    ended_at: datetime | None
    status: str | None
    attributes: Mapping[str, Any] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of the critical path."""

    name: str
    duration_ms: int | None


@dataclass(frozen=True, slots=True)
class Trace:
    """A turn through the platform's services; `phases` is its critical path, in order."""

    trace_id: str | None
    spans: tuple[Span, ...]
    phases: tuple[Phase, ...]
    recommended_actions: tuple[Any, ...]
    raw: Mapping[str, Any] = field(repr=False, compare=False)


def parse_trace(body: Any, /) -> Trace:
    """`{trace:{…}, intelligence?:{recommendedActions}}`. Raises FieldError."""
    outer = unwrap(body, "data")
    row = outer.child("trace") or outer
    path = row.child("criticalPath")
    advice = outer.child("intelligence")
    actions = advice.raw.get("recommendedActions") if advice is not None else None
    return Trace(
        trace_id=row.maybe_text("traceId"),
        spans=each(row.rows("spans"), _span),
        phases=each(path.rows("phases"), _phase) if path is not None else (),
        recommended_actions=tuple(actions) if isinstance(actions, list) else (),
        raw=outer.raw,
    )


def _span(row: Fields) -> Span:
    return Span(
        span_id=row.text("spanId"),
        parent_span_id=row.maybe_text("parentSpanId"),
        service=row.maybe_text("service"),
        name=row.maybe_text("name") or "",
        started_at=row.maybe_time("startedAt"),
        ended_at=row.maybe_time("endedAt"),
        status=row.maybe_text("status"),
        attributes=row.maybe_mapping("attributes"),
    )


def _phase(row: Fields) -> Phase:
    return Phase(name=row.text("name"), duration_ms=row.maybe_int("durationMs"))
