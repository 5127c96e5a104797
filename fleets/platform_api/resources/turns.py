"""Sending turns and hearing them: the run lane and its event stream (contract 3.2, 3.3, 3.5)."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any

from fleets.platform_api import operations as op
from fleets.platform_api.answers.results import parse_result
from fleets.platform_api.encoding import given, text_part
from fleets.platform_api.errors import PlatformUnavailable
from fleets.platform_api.fields import unwrap
from fleets.platform_api.resources.base import Resource
from fleets.platform_api.sse import SeenIds, StreamEvent
from fleets.platform_api.types import EventRead, Receipt, TurnResult

# After `result` or `error` the last frames (`done`) follow at once; no longer than this is waited.
AFTER_TERMINAL_S = 0.5
RUN_ANSWER_S = 45.0
EXPIRED = "EVENTS_EXPIRED"


class Turns(Resource):
    """Sending turns to an agent's session (contract 3.2, 3.3)."""

    async def dispatch(
        self,
        sandbox_id: str,
        *,
        session_id: str,
        turn_id: str,
        prompt: str,
        backend: Mapping[str, Any] | None = None,
        timeout_ms: int | None = None,
        execution_id: str | None = None,
    ) -> Receipt:
        """Sends one detached turn; it outlives every connection (10 row 13).

        The same `turn_id` again is the same turn, so an unknown outcome is repeated with it. In a
        budgeted fleet the signing key is the fleet's (row 31).
        """
        body = _turn(
            session_id=session_id,
            turn_id=turn_id,
            executionId=execution_id,
            prompt=prompt,
            backend=backend,
            timeoutMs=timeout_ms,
            detach=True,
        )
        reply = await self._send(op.TURN_DISPATCH, path={"sandbox_id": sandbox_id}, body=body)
        return reply.parse(lambda answer: parse_receipt(answer, session_id=session_id))

    async def run(
        self,
        sandbox_id: str,
        *,
        session_id: str,
        turn_id: str,
        prompt: str,
        backend: Mapping[str, Any] | None = None,
        timeout_ms: int | None = None,
    ) -> TurnResult:
        """One turn in one answer. The platform cuts it at about 30 s with a 500 (contract 1.3),
        which is a PlatformSurprise of unknown outcome: anything longer is dispatched instead.
        """
        body = _turn(
            session_id=session_id,
            turn_id=turn_id,
            prompt=prompt,
            backend=backend,
            timeoutMs=timeout_ms,
        )
        reply = await self._send(
            op.TURN_RUN, path={"sandbox_id": sandbox_id}, body=body, answer_s=RUN_ANSWER_S
        )
        return reply.parse(parse_result)

    async def stream(
        self,
        sandbox_id: str,
        *,
        session_id: str,
        turn_id: str,
        prompt: str,
        backend: Mapping[str, Any] | None = None,
        timeout_ms: int | None = None,
        last_event_id: str | None = None,
    ) -> AsyncGenerator[StreamEvent, None]:
        """One attached turn as its frames, each once; leaving the stream stops the turn (3.3).

        Raises WrongState while another turn of the session is active. A stream that ends without a
        terminal frame says nothing of the turn: the same `turn_id` joins it, from `last_event_id`.
        """
        body = _turn(
            session_id=session_id,
            turn_id=turn_id,
            prompt=prompt,
            backend=backend,
            timeoutMs=timeout_ms,
            lastEventId=last_event_id,
        )
        call = self._call(op.TURN_STREAM, path={"sandbox_id": sandbox_id}, body=body)
        seen = SeenIds(since=last_event_id)
        async with aclosing(self._transport.frames(call)) as frames:
            async for event in frames:
                if seen.is_new(event):
                    yield event

    async def events(
        self,
        sandbox_id: str,
        session_id: str,
        *,
        execution_id: str | None = None,
        since: str | None = None,
        stop_when: Callable[[StreamEvent], bool] | None = None,
    ) -> AsyncGenerator[StreamEvent, None]:
        """The frames of an execution, each once, from `since` on; live while it runs.

        Ends with the stream, or after the frame for which `stop_when` is true. A stream that ends
        without a terminal frame says nothing about the turn. Raises PlatformUnavailable when it
        breaks or falls silent: call again with the last id.
        """
        query: dict[str, str | int] = given(executionId=execution_id, since=since)
        call = self._call(
            op.SESSION_EVENTS,
            path={"sandbox_id": sandbox_id, "session_id": session_id},
            query=query,
            last_event_id=since,
        )
        seen = SeenIds(since=since)
        async with aclosing(self._transport.frames(call)) as frames:
            async for event in frames:
                if not seen.is_new(event):
                    continue
                yield event
                if stop_when is not None and stop_when(event):
                    return

    async def read_events(
        self,
        sandbox_id: str,
        session_id: str,
        *,
        execution_id: str | None = None,
        since: str | None = None,
        stop_when: Callable[[StreamEvent], bool] | None = None,
        idle_s: float = 1.0,
        max_s: float = 10.0,
    ) -> EventRead:
        """Reads what is there: to the terminal frame, to `idle_s` without one, or for `max_s`.

        Or to the first frame for which `stop_when` is true.

        A stream that breaks after its first frame is an incomplete read; before it, it raises.
        """
        stream = self.events(
            sandbox_id, session_id, execution_id=execution_id, since=since, stop_when=stop_when
        )
        collected: list[StreamEvent] = []
        ended_by = await self._collect(stream, collected, idle_s=idle_s, max_s=max_s)
        complete = any(event.is_terminal for event in collected)
        ids = [event.id for event in collected if event.id is not None]
        return EventRead(
            events=tuple(collected),
            complete=complete,
            expired=any(is_expiry(event) for event in collected),
            last_id=ids[-1] if ids else since,
            ended_by="terminal" if complete else ended_by,
        )

    async def _collect(
        self,
        stream: AsyncGenerator[StreamEvent, None],
        collected: list[StreamEvent],
        *,
        idle_s: float,
        max_s: float,
    ) -> str:
        clock = self._transport.clock
        now = asyncio.get_running_loop().time
        # The answer's head has its own time. One timer for all frames: a task for each would cost
        # more than reading them.
        wait_s = max(max_s, self._transport.timeouts.read_s)
        until: float | None = None
        over = False
        try:
            async with aclosing(stream), asyncio.timeout(wait_s) as patience:
                async for event in stream:
                    until = clock() + max_s if until is None else until
                    collected.append(event)
                    if event.type == "done" and event.is_terminal:
                        return "terminal"
                    left_s = until - clock()
                    if left_s <= 0:
                        return "time"
                    over = over or event.is_terminal
                    patience.reschedule(now() + min(left_s, AFTER_TERMINAL_S if over else idle_s))
        except TimeoutError:
            return "idle" if until is None or clock() < until else "time"
        except PlatformUnavailable:
            if not collected:
                raise
            return "broken"
        return "end"


def _turn(*, session_id: str, turn_id: str, prompt: str, **more: Any) -> dict[str, Any]:
    """The body of every turn request (contract 3.2)."""
    return given(
        id="default", sessionId=session_id, turnId=turn_id, parts=[text_part(prompt)], **more
    )


def is_expiry(event: StreamEvent, /) -> bool:
    """The frame that says older frames are gone (contract 10 row 14)."""
    return event.type == "warning" and event.data.get("code") == EXPIRED


def parse_receipt(body: Any, /, *, session_id: str) -> Receipt:
    """What the platform says to a turn it was sent. Raises FieldError."""
    row = unwrap(body, "data", "receipt")
    existed = row.flag("alreadyExisted", default=False)
    return Receipt(
        session_id=row.maybe_text("sessionId") or session_id,
        execution_id=row.maybe_text("executionId"),
        status=row.maybe_text("status") or "unknown",
        dispatched=row.flag("dispatched", default=False),
        already_existed=existed,
        run_control_ref=row.maybe_mapping("runControlRef") or None,
    )
