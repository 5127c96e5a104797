"""The one seam to the outside world: auth, timeouts, pacing, retries, error mapping, records."""

import asyncio
import inspect
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

import aiohttp
import httpx

from fleets.platform_api.connections import CONNECTIONS, Timeouts, open_client
from fleets.platform_api.encoding import encode
from fleets.platform_api.errors import (
    CallFacts,
    PlatformError,
    PlatformSurprise,
    TimedOut,
    with_sent,
)
from fleets.platform_api.failures import from_answer, from_httpx, from_other, read_json
from fleets.platform_api.operations import Operation
from fleets.platform_api.patience import patience_s
from fleets.platform_api.redaction import body_excerpt
from fleets.platform_api.reply import Reply
from fleets.platform_api.retry import RetryPolicy, attempts
from fleets.platform_api.secret import Secret
from fleets.platform_api.sse import StreamEvent, read_frames

# An answer larger than this is not read on: the biggest we ask for is a page of 200 rows.
ANSWER_LIMIT = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One attempt as it went, for the request figures and the health page. Holds no secret."""

    operation: Operation
    attempt: int
    started_at: float  # the transport's clock
    duration_s: float
    status: int | None
    code: str | None
    request_id: str | None
    error: PlatformError | None


Pace = Callable[[Operation], Awaitable[None]]
OnCall = Callable[[CallRecord], Awaitable[None] | None]


@dataclass(frozen=True, slots=True)
class Call:
    """What a resource method asks for; `path` values are URL-encoded into the template."""

    operation: Operation
    base_url: str
    key: Secret
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str | int] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    idempotency_key: str | None = None
    last_event_id: str | None = None
    conditions: Mapping[str, str] = field(default_factory=dict)  # If-Match, If-None-Match
    answer_s: float | None = None  # a call that is known to take long waits so long for its answer

    @property
    def url(self) -> str:
        values = {name: quote(value, safe="") for name, value in self.path.items()}
        return self.base_url.rstrip("/") + self.operation.path.format(**values)

    def headers(self) -> dict[str, str]:
        """Contract 1.1 and 1.4."""
        headers = {
            "Authorization": f"Bearer {self.key.reveal()}",
            "Content-Type": "application/json",
            "Accept": "text/event-stream" if self.operation.stream else "application/json",
        }
        if self.idempotency_key is not None:
            headers["Idempotency-Key"] = self.idempotency_key
        if self.last_event_id is not None:
            headers["Last-Event-ID"] = self.last_event_id
        return {**headers, **self.conditions}


class Transport:
    """One per process and event loop; open it inside the loop that uses it, then `aclose()`.

    `pace` is awaited before every attempt and spends the rate budget; `on_call` is told after it.
    """

    def __init__(
        self,
        *,
        timeouts: Timeouts | None = None,
        pace: Pace | None = None,
        on_call: OnCall | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        retry: RetryPolicy | None = None,
        connections: int = CONNECTIONS,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self.timeouts = timeouts or Timeouts()
        self.clock = clock
        self._sleep = sleep
        self._pace = pace
        self._on_call = on_call
        self._retry = retry or RetryPolicy()
        self._http = http or open_client(self.timeouts, connections=connections)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def start_round(self) -> None:
        """Let the loop see connections that the peer closed since the last round of calls."""
        await self._sleep(0)

    async def send(self, call: Call, /) -> Reply:
        """One call, repeated as its operation allows; raises the error tree."""
        keyed = call.idempotency_key is not None
        policy = self._retry.within(patience_s())
        async for attempt in attempts(policy, call.operation, keyed=keyed):
            with attempt:
                return await self._attempt(call, number=attempt.num)
        raise AssertionError("the last attempt returns or raises")

    async def frames(self, call: Call, /) -> AsyncGenerator[StreamEvent, None]:
        """An event stream's frames until it ends; opened once, never again by itself.

        Raises TimedOut when nothing at all, not even a comment, arrives for `heartbeat_s`, and
        ConnectFailed when the stream breaks. Close it with `contextlib.aclosing`.
        """
        await self._start_round_and_pace(call.operation)
        facts = _facts(call.operation, attempt=1)
        started = self.clock()
        request = self._request(call, self.timeouts.within(patience_s()).for_stream())
        try:
            response = await self._open(request, call.operation, facts)
        except PlatformError as error:
            await self._record(call.operation, started, 1, error=error)
            raise
        await self._record(call.operation, started, 1, response=response)
        known = _answered(facts, response)
        async with aclosing(response), aclosing(read_frames(response)) as events:
            while True:
                # The errors of whoever consumes the frames must not pass through this handler.
                try:
                    event = await anext(events)
                except StopAsyncIteration:
                    return
                except (httpx.HTTPError, httpx.StreamError, aiohttp.ClientError, OSError) as error:
                    raise _mapped(error, known) from error
                yield event

    async def _open(
        self, request: httpx.Request, operation: Operation, facts: CallFacts
    ) -> httpx.Response:
        whole_call_s = self.timeouts.within(patience_s()).whole_call_s
        async with self._mapped_errors(facts, whole_call_s=whole_call_s):
            response = await self._http.send(request, stream=True)
            if response.is_success:
                return response
            async with aclosing(response):
                content = await _read_bounded(response, facts)
        raise from_answer(
            operation, response.status_code, response.headers, content, _answered(facts, response)
        )

    async def _attempt(self, call: Call, *, number: int) -> Reply:
        operation = call.operation
        await self._start_round_and_pace(operation)
        facts = _facts(operation, attempt=number)
        started = self.clock()
        try:
            reply = await self._exchange(call, facts)
        except PlatformError as error:
            await self._record(operation, started, number, error=error)
            raise
        await self._record(operation, started, number, reply=reply)
        return reply

    async def _exchange(self, call: Call, facts: CallFacts) -> Reply:
        timeouts = self.timeouts.waiting(call.answer_s).within(patience_s())
        request = self._request(call, timeouts.for_call())
        async with self._mapped_errors(facts, whole_call_s=timeouts.whole_call_s):
            response = await self._http.send(request, stream=True)
            async with aclosing(response):
                content = await _read_bounded(response, facts)
        known = _answered(facts, response)
        if not response.is_success:
            raise from_answer(
                call.operation, response.status_code, response.headers, content, known
            )
        if not content.strip():
            return Reply(status=response.status_code, body={}, facts=known)
        try:
            body = read_json(content)
        except ValueError as error:
            message = f"the answer is not JSON ({error})"
            raise PlatformSurprise(message, body=body_excerpt(content), **known) from None
        return Reply(status=response.status_code, body=body, facts=known)

    async def _start_round_and_pace(self, operation: Operation) -> None:
        if self._pace is not None:
            await self._pace(operation)
        await self.start_round()

    def _request(self, call: Call, timeout: httpx.Timeout) -> httpx.Request:
        return self._http.build_request(
            call.operation.method,
            call.url,
            params=dict(call.query) or None,
            headers=call.headers(),
            content=None if call.body is None else encode(call.body),
            timeout=timeout,
        )

    @asynccontextmanager
    async def _mapped_errors(self, facts: CallFacts, *, whole_call_s: float) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(whole_call_s):
                yield
        except TimeoutError as error:
            raise TimedOut("no answer in time", **with_sent(facts, sent=None)) from error
        except (httpx.HTTPError, httpx.InvalidURL, aiohttp.ClientError, OSError) as error:
            raise _mapped(error, facts) from error

    async def _record(
        self,
        operation: Operation,
        started: float,
        attempt: int,
        *,
        error: PlatformError | None = None,
        reply: Reply | None = None,
        response: httpx.Response | None = None,
    ) -> None:
        if self._on_call is None:
            return
        record = CallRecord(
            operation=operation,
            attempt=attempt,
            started_at=started,
            duration_s=self.clock() - started,
            status=None if error is None else error.status,
            code=None if error is None else error.code,
            request_id=None if error is None else error.request_id,
            error=error,
        )
        if reply is not None:
            record = replace(record, status=reply.status, request_id=reply.facts.get("request_id"))
        if response is not None:
            record = replace(record, status=response.status_code, request_id=_request_id(response))
        told = self._on_call(record)
        if inspect.isawaitable(told):
            await told


def _facts(operation: Operation, *, attempt: int) -> CallFacts:
    return CallFacts(
        operation=operation.name, method=operation.method, path=operation.path, attempt=attempt
    )


def _answered(facts: CallFacts, response: httpx.Response) -> CallFacts:
    known = CallFacts(**facts)
    known["status"] = response.status_code
    known["request_id"] = _request_id(response)
    return known


def _request_id(response: httpx.Response) -> str | None:
    for name in ("x-request-id", "request-id", "x-tangle-request-id"):
        if value := response.headers.get(name):
            return str(value)[:80]
    return None


def _mapped(error: BaseException, facts: CallFacts) -> PlatformError:
    if isinstance(error, httpx.HTTPError):
        return from_httpx(error, facts)
    return from_other(error, facts)


async def _read_bounded(response: httpx.Response, facts: CallFacts) -> bytes:
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > ANSWER_LIMIT:
            raise PlatformSurprise("the answer is too long to read", **_answered(facts, response))
    return bytes(content)
