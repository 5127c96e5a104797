"""Batches: many tasks, each on every named backend, as one stream (contract 7, 10 rows 18, 29)."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Literal

from fleets.platform_api import operations as op
from fleets.platform_api.answers.batches import BatchEvent, BatchItem, BatchRead, join, parse_event
from fleets.platform_api.encoding import given
from fleets.platform_api.errors import NotFound, PlatformSurprise, PlatformUnavailable
from fleets.platform_api.fields import FieldError
from fleets.platform_api.redaction import redact_text
from fleets.platform_api.resources.base import Resource
from fleets.platform_api.sse import SeenIds, StreamEvent

EXCERPT = 600


@dataclass(frozen=True, slots=True)
class BatchTask:
    """One piece of work; `id` names it in the results."""

    id: str
    message: str = field(repr=False)
    context: Mapping[str, Any] | None = field(default=None, repr=False)
    timeout_ms: int | None = None

    def body(self) -> dict[str, Any]:
        """As it travels."""
        return given(
            id=self.id, message=self.message, context=self.context, timeoutMs=self.timeout_ms
        )


@dataclass(frozen=True, slots=True)
class BatchBackend:
    """Who does the tasks; `id` tells two backends of one type apart."""

    id: str
    type: str
    model: Mapping[str, Any] | str | None = None

    def body(self) -> dict[str, Any]:
        """As it travels."""
        return given(id=self.id, type=self.type, model=self.model)


class Batches(Resource):
    """Running batches. With a key a batch outlives its stream, without one it ends with it."""

    async def run(
        self,
        tasks: Sequence[BatchTask],
        *,
        backends: Sequence[BatchBackend],
        idempotency_key: str | None,
        timeout_ms: int | None = None,
        scaling_mode: Literal["fastest", "balanced", "cheapest"] | None = None,
        persistent: bool | None = None,
    ) -> AsyncGenerator[BatchEvent, None]:
        """The batch's events, each once, until its stream ends.

        The same key and body again joins a running batch or replays a finished one (1.4); a key
        is for one body only (WrongState). A stream that ends without a summary says nothing of
        the outcome. Raises PlatformUnavailable when it breaks or falls silent: with a key, call
        again; without one, the platform cancels what was running.
        """
        body = given(
            tasks=[task.body() for task in tasks],
            backends=[backend.body() for backend in backends],
            timeoutMs=timeout_ms,
            scalingMode=scaling_mode,
            persistent=persistent,
        )
        call = self._call(op.BATCH_RUN, body=body, idempotency_key=idempotency_key)
        seen = SeenIds()
        async with aclosing(self._transport.frames(call)) as frames:
            async for frame in frames:
                if seen.is_new(frame):
                    yield _event(frame)

    async def run_to_end(
        self,
        tasks: Sequence[BatchTask],
        *,
        backends: Sequence[BatchBackend],
        idempotency_key: str | None,
        timeout_ms: int | None = None,
        scaling_mode: Literal["fastest", "balanced", "cheapest"] | None = None,
        persistent: bool | None = None,
    ) -> BatchRead:
        """As `run`, gathered; a stream that breaks after its first event brings no summary."""
        stream = self.run(
            tasks,
            backends=backends,
            idempotency_key=idempotency_key,
            timeout_ms=timeout_ms,
            scaling_mode=scaling_mode,
            persistent=persistent,
        )
        events: list[BatchEvent] = []
        try:
            async with aclosing(stream):
                async for event in stream:
                    events.append(event)
                    if event.summary is not None:
                        break
        except PlatformUnavailable:
            if not events:
                raise
        return gather(events)

    async def cancel(self, batch_id: str) -> bool:
        """Ends a keyed batch; what was completed stays (row 29). False when it is not there."""
        try:
            await self._send(op.BATCH_CANCEL, path={"batch_id": batch_id})
        except NotFound:
            return False
        return True


def gather(events: Sequence[BatchEvent], /) -> BatchRead:
    """What a batch's events come to so far."""
    summary = next((event.summary for event in events if event.summary is not None), None)
    items: tuple[BatchItem, ...] = tuple(event.item for event in events if event.item is not None)
    return BatchRead(
        batch_id=next((event.batch_id for event in events if event.batch_id), None),
        total=next((event.total for event in events if event.total is not None), None),
        # The frames say more than the summary, which may name ids and outcomes only.
        items=join(() if summary is None else summary.items, items),
        summary=summary,
        error=next((event.error for event in events if event.error is not None), None),
        last_id=next((event.id for event in reversed(events) if event.id is not None), None),
    )


def _event(frame: StreamEvent) -> BatchEvent:
    try:
        return parse_event(frame)
    except FieldError as error:
        raise PlatformSurprise(
            str(error),
            body=redact_text(frame.raw, limit=EXCERPT),
            operation=op.BATCH_RUN.name,
            method=op.BATCH_RUN.method,
            path=op.BATCH_RUN.path,
        ) from None
