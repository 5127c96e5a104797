"""Folds a turn's frames into what a person wants to know (contract 3.5). Pure; never raises.

Survives what the recorded run does: cumulative part text that outlives its message, `raw` echoes
of tool parts, tokens under two groupings, frames without a clock, four endings.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from fleets.platform_api.describe import describe_event, is_step_start
from fleets.platform_api.fields import FieldError, Fields
from fleets.platform_api.part_text import PartText
from fleets.platform_api.sse import StreamEvent
from fleets.platform_api.tool_calls import ToolCalls
from fleets.platform_api.types import TokenUsage, ToolCall
from fleets.platform_api.usage import parse_usage, sum_of_steps

__all__ = ["TurnFold", "TurnReading", "describe_event", "read_turn"]

# Contract 10 row 16, and the router's own words (1.2), which a harness may pass on.
BUDGET_CODES = frozenset({"budget_exceeded", "insufficient_funds", "402"})


@dataclass(frozen=True, slots=True)
class TurnReading:
    """A turn as its frames tell it so far; None where they say nothing.

    `outcome_type` is the platform's word (completed, failed, blocked_on_approval, …); `ended` is
    true only after `result`, `done` or `error`. `text` grows while the turn runs, `final_text`
    comes with the result. `usage_is_final` is false while tokens are summed from single steps.
    `warm`: the first model or tool activity was seen (contract 10 row 25).
    """

    ended: bool
    outcome_type: str | None
    text: str
    final_text: str | None
    error: str | None
    error_code: str | None
    trace_id: str | None
    execution_id: str | None
    usage: TokenUsage | None
    usage_is_final: bool
    cost_usd: Decimal | None
    harness: str | None
    provider: str | None
    model: str | None
    backend_source: str | None
    profile_digest: str | None
    native_session_id: str | None
    tool_calls: tuple[ToolCall, ...]
    model_calls: int
    started_at_ms: int | None
    completed_at_ms: int | None
    duration_ms: int | None
    warm: bool
    last_line: str | None

    @property
    def budget_refused(self) -> bool:
        """Whether the turn ended because the key's budget did not cover a call."""
        return self.error_code in BUDGET_CODES


def read_turn(events: Iterable[StreamEvent], /) -> TurnReading:
    """Fold the events of one turn, in order, into what they say of it."""
    fold = TurnFold()
    for event in events:
        fold.add(event)
    return fold.reading()


class TurnFold:
    """Takes one execution's frames in order of delivery, each once (`sse.SeenIds` drops echoes)."""

    def __init__(self) -> None:
        self._text = PartText()
        self._tools = ToolCalls()
        self._steps: dict[str, Mapping[str, Any]] = {}
        self._step_cost = Decimal(0)
        self._facts: dict[str, Any] = {}
        self._usage: TokenUsage | None = None
        self._model_calls = 0
        self._ended = self._warm = False
        self._last_line: str | None = None

    def add(self, event: StreamEvent, /) -> None:
        handler = _HANDLERS.get(event.type)
        if handler is not None:
            # A frame with a field of another shape still counts for what was read before it.
            with suppress(FieldError):
                handler(self, event.data)
        if event.type == "raw" and is_step_start(event):
            self._model_calls += 1
        self._warm = self._warm or event.type in _WARM or self._tools.any
        self._ended = self._ended or event.is_terminal
        line = describe_event(event, model_call=self._model_calls or None)
        self._last_line = line or self._last_line

    @property
    def warm(self) -> bool:
        """Whether model or tool activity was seen (contract 10 row 25)."""
        return self._warm

    def reading(self) -> TurnReading:
        facts = self._facts
        return TurnReading(
            ended=self._ended,
            outcome_type=facts.get("outcome") or ("failed" if facts.get("error") else None),
            text=self._text.text,
            final_text=facts.get("final_text"),
            error=facts.get("error"),
            error_code=facts.get("error_code"),
            trace_id=facts.get("trace_id"),
            execution_id=facts.get("execution_id"),
            usage=self._usage or sum_of_steps(self._steps.values()),
            usage_is_final=self._usage is not None,
            # The harness writes 0 where it knows no price, so only a sum above 0 says something.
            cost_usd=facts.get("cost_usd") or (self._step_cost or facts.get("cost_usd")),
            harness=facts.get("harness"),
            provider=facts.get("provider"),
            model=facts.get("model"),
            backend_source=facts.get("source"),
            profile_digest=facts.get("profile_digest"),
            native_session_id=facts.get("native_session_id"),
            tool_calls=self._tools.calls,
            model_calls=self._model_calls,
            started_at_ms=facts.get("started_at_ms"),
            completed_at_ms=facts.get("completed_at_ms"),
            duration_ms=facts.get("duration_ms"),
            warm=self._warm,
            last_line=self._last_line,
        )

    def _learn(self, **facts: Any) -> None:
        self._facts.update({name: fact for name, fact in facts.items() if fact is not None})

    def _on_started(self, data: Mapping[str, Any]) -> None:
        row = Fields(data)
        self._learn(execution_id=row.maybe_text("executionId"))
        self._on_backend(row)
        self._learn(started_at_ms=row.maybe_int("timestamp"))

    def _on_backend(self, row: Fields) -> None:
        backend = row.child("effectiveBackend")
        if backend is None:
            return
        self._learn(
            harness=backend.maybe_text("type", "harness"),
            provider=backend.maybe_text("provider"),
            model=backend.maybe_text("model"),
            source=backend.maybe_text("source"),
        )
        profile = backend.child("profile")
        self._learn(profile_digest=profile.maybe_text("digest") if profile else None)

    def _on_part(self, data: Mapping[str, Any]) -> None:
        # The session bus wraps it once more (contract 3.5).
        inner = data.get("properties")
        told: Mapping[str, Any] = inner if isinstance(inner, Mapping) else data
        part = told.get("part")
        if not isinstance(part, Mapping):
            return
        if part.get("type") == "text":
            self._text.add(part, told.get("delta"))
        elif part.get("type") == "tool":
            self._tools.add(part)

    def _on_raw(self, data: Mapping[str, Any]) -> None:
        self._learn(harness=Fields(data).maybe_text("backend"))
        native = data.get("event")
        part = native.get("part") if isinstance(native, Mapping) else None
        # Everything else in a raw frame repeats what another frame has said better.
        if not isinstance(part, Mapping) or part.get("type") != "step-finish":
            return
        tokens = part.get("tokens")
        if isinstance(tokens, Mapping):
            self._steps[str(part.get("id") or len(self._steps))] = tokens
        self._step_cost += Fields(part).maybe_usd("cost") or 0

    def _on_native_session(self, data: Mapping[str, Any]) -> None:
        self._learn(native_session_id=Fields(data).maybe_text("sessionId"))

    def _on_trace(self, data: Mapping[str, Any]) -> None:
        self._learn(trace_id=Fields(data).maybe_text("traceId"))

    def _on_end(self, data: Mapping[str, Any]) -> None:
        row = Fields(data)
        outcome = data.get("outcome")
        if isinstance(outcome, Mapping):
            inner = Fields(outcome)
            message, code = inner.maybe_reason("error", "reason")
            self._learn(outcome=inner.maybe_text("type"), error=message)
            self._learn(error_code=inner.maybe_text("errorCode", "code") or code)
        else:
            self._learn(outcome=row.maybe_text("outcome", "status"))
        self._learn(final_text=row.maybe_text("finalText", "response"))
        message, code = row.maybe_reason("error")
        self._learn(error=message, error_code=row.maybe_text("errorCode") or code)
        self._learn(trace_id=row.maybe_text("traceId"), execution_id=row.maybe_text("executionId"))
        self._usage = parse_usage(row.child("tokenUsage", "usage")) or self._usage
        self._learn(cost_usd=row.maybe_usd("totalCostUsd", "costUsd"))
        self._on_backend(row)
        self._tools.add_invocations(row.rows("toolInvocations"))
        timing = row.child("timing")
        if timing is not None:
            self._learn(
                started_at_ms=timing.maybe_int("startedAt"),
                completed_at_ms=timing.maybe_int("completedAt"),
                duration_ms=timing.maybe_int("durationMs"),
            )

    def _on_error(self, data: Mapping[str, Any]) -> None:
        row = Fields(data)
        message, inner_code = row.maybe_reason("error", "message")
        code = row.maybe_text("errorCode", "code") or inner_code
        self._learn(error=message or code or "failed", error_code=code)
        self._learn(trace_id=row.maybe_text("traceId"))
        self._usage = parse_usage(row.child("tokenUsage", "usage")) or self._usage
        self._learn(cost_usd=row.maybe_usd("totalCostUsd", "costUsd"))


_WARM = frozenset({"model-processing", "tool-heartbeat", "tool-slow"})
_HANDLERS = {
    "execution.started": TurnFold._on_started,
    "session.updated": TurnFold._on_native_session,
    "message.part.updated": TurnFold._on_part,
    "raw": TurnFold._on_raw,
    "trace.id": TurnFold._on_trace,
    "result": TurnFold._on_end,
    "done": TurnFold._on_end,
    "execution.completed": TurnFold._on_end,
    "error": TurnFold._on_error,
    "execution.failed": TurnFold._on_error,
}
