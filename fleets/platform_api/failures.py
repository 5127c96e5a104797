"""Turns what httpx raises and what the platform answers into the error tree."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import aiohttp
import httpx
from httpx_sse import SSEError

from fleets.platform_api.errors import (
    BadRequest,
    BudgetExhausted,
    CallFacts,
    ConnectFailed,
    Details,
    Forbidden,
    NotFound,
    PlatformError,
    PlatformSurprise,
    QuotaExceeded,
    RateLimited,
    ServerFault,
    TimedOut,
    Unauthenticated,
    WrongState,
    with_sent,
)
from fleets.platform_api.operations import Operation
from fleets.platform_api.redaction import body_excerpt, redact_text

MESSAGE_LIMIT = 300
LONGEST_RETRY_AFTER_S = 3600.0
FIELDS_SHOWN = 20
_OF_THE_RATE = ("rate", "request", "rpm", "minute")
_OF_A_QUOTA = ("concurrent", "sandbox", "session", "machine", "compute", "insufficient_quota")
_STATUS_REFUSALS: Mapping[int, type[PlatformError]] = {
    401: Unauthenticated,
    402: BudgetExhausted,
    403: Forbidden,
    404: NotFound,
    409: WrongState,
    410: NotFound,
}


def read_json(content: bytes | str, /) -> Any:
    """JSON with fractions as Decimal; raises ValueError on anything else, NaN included."""
    try:
        text = content if isinstance(content, str) else _decoded(content)
        return _JSON.decode(text)
    except (RecursionError, UnicodeDecodeError) as error:
        raise ValueError(type(error).__name__) from error


def _decoded(content: bytes) -> str:
    return content.decode(json.detect_encoding(content), "surrogatepass")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


# One for all: `json.loads` would build a decoder for every frame of every stream.
_JSON = json.JSONDecoder(parse_float=Decimal, parse_constant=_no_constant)


def from_httpx(error: httpx.HTTPError, /, facts: CallFacts) -> PlatformError:
    """The transport's failure: its `__cause__` tells whether the request left.

    The aiohttp transport raises ConnectTimeout for nearly everything, so the httpx class says
    little. Only a connection that was never made proves that nothing was sent.
    """
    cause = error.__cause__
    never_left = isinstance(cause, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)
    told = with_sent(facts, sent=False if never_left else None)
    if isinstance(error, SSEError):
        return PlatformSurprise("the answer is not an event stream", **told)
    if isinstance(cause, TimeoutError) or (cause is None and _is_timeout(error)):
        what = "no connection in time" if never_left else "no answer in time"
        return TimedOut(what, **told)
    if never_left:
        return ConnectFailed(f"no connection: {_cause_text(cause)}", **told)
    if isinstance(error, httpx.UnsupportedProtocol):
        return PlatformSurprise("the address is not usable", **with_sent(told, sent=False))
    return ConnectFailed(f"the connection broke: {_cause_text(cause or error)}", **told)


def from_other(error: BaseException, /, facts: CallFacts) -> PlatformError:
    """What the aiohttp transport lets through unmapped: a malformed answer, a socket error."""
    told = with_sent(facts, sent=None)
    if isinstance(error, httpx.StreamError):
        return PlatformSurprise("the event stream cannot be read", **told)
    if isinstance(error, httpx.InvalidURL):
        return PlatformSurprise("the address is not usable", **with_sent(told, sent=False))
    return ConnectFailed(f"the connection broke: {_cause_text(error)}", **told)


def _is_timeout(error: httpx.HTTPError) -> bool:
    return isinstance(error, httpx.TimeoutException)


def _cause_text(cause: BaseException | None) -> str:
    # Some causes print the request's URL or headers; the class and errno are enough.
    number = getattr(cause, "errno", None) or getattr(
        getattr(cause, "os_error", None), "errno", None
    )
    name = type(cause).__name__
    return name if number is None else f"{name} (errno {number})"


def from_answer(
    operation: Operation, status: int, headers: httpx.Headers, content: bytes, facts: CallFacts
) -> PlatformError:
    """The error for an answer that is not 2xx (contract 1.2)."""
    body = _error_body(content)
    known = CallFacts(**facts)
    known["status"] = status
    known["code"] = body.code
    known["retry_after_s"] = _retry_after_s(headers, body)
    known["details"] = body.details
    message = body.message or f"HTTP {status}"
    if status == 429:
        return (QuotaExceeded if _is_quota(body, known) else RateLimited)(message, **known)
    if status == 408:
        return TimedOut(message, **with_sent(known, sent=None))
    if status == 425 or status in operation.temporary:
        return ServerFault(message, **known)
    if status == 403 and body.details.quota_type is not None:
        return QuotaExceeded(message, **known)
    refusal = _STATUS_REFUSALS.get(status)
    if refusal is not None:
        return refusal(message, **known)
    if 400 <= status < 500:
        return BadRequest(message, **known)
    return PlatformSurprise(message, body=body_excerpt(content), **known)


class _ErrorBody:
    """The documented variants of an error body, read without ever failing."""

    __slots__ = ("code", "details", "message", "retry_after_s")

    def __init__(self, body: Mapping[str, Any]) -> None:
        error = body.get("error")
        inner: Mapping[str, Any] = error if isinstance(error, Mapping) else {}
        said = [inner.get("message"), body.get("message"), error if not inner else None]
        texts = [text for text in said if isinstance(text, str) and text]
        self.message = redact_text(": ".join(dict.fromkeys(reversed(texts))), limit=MESSAGE_LIMIT)
        self.code = _text(inner.get("code")) or _text(body.get("code")) or _text(inner.get("type"))
        self.details = _details(inner, body)
        self.retry_after_s = _seconds(body.get("retryAfter"))
        if self.retry_after_s is None:
            wait_ms = _seconds(body.get("retryAfterMs"))
            self.retry_after_s = None if wait_ms is None else wait_ms / 1000


def _details(inner: Mapping[str, Any], body: Mapping[str, Any]) -> Details:
    """The siblings of contract 1.2, beside the message or within its object."""

    def said(name: str) -> str | None:
        return _text(inner.get(name)) or _text(body.get(name))

    fields = body.get("fields", inner.get("fields"))
    named = fields.items() if isinstance(fields, Mapping) else []
    return Details(
        current_state=said("currentState"),
        required_state=said("requiredState"),
        quota_type=said("quotaType"),
        used=said("current"),
        limit=said("limit"),
        resource_type=said("resourceType"),
        resource_id=said("resourceId"),
        phase=said("phase"),
        fields={
            redact_text(str(name), limit=80): redact_text(str(problem), limit=MESSAGE_LIMIT)
            for name, problem in list(named)[:FIELDS_SHOWN]
        },
    )


def _error_body(content: bytes) -> _ErrorBody:
    try:
        body = read_json(content)
    except ValueError:
        body = {}
    return _ErrorBody(body if isinstance(body, Mapping) else {})


def _is_quota(body: _ErrorBody, facts: CallFacts) -> bool:
    """Rate or quota: both come as 429 QUOTA_EXCEEDED (contract 1.2, 9, 10 row 22).

    The body's `quotaType` decides, or a code that says more than QUOTA_EXCEEDED does.
    """
    code = "" if body.code == "QUOTA_EXCEEDED" else body.code or ""
    kind = f"{body.details.quota_type or ''} {code}".lower()
    if any(word in kind for word in _OF_THE_RATE):
        return False
    if any(word in kind for word in _OF_A_QUOTA):
        return True
    return body.details.quota_type is not None and facts.get("retry_after_s") is None


def _retry_after_s(headers: httpx.Headers, body: _ErrorBody) -> float | None:
    waits = [_seconds(headers.get("retry-after")), body.retry_after_s]
    known = [wait for wait in waits if wait is not None]
    return min(max(known), LONGEST_RETRY_AFTER_S) if known else None


def _seconds(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
        return None
    try:
        seconds = float(value)
    except (ValueError, OverflowError):
        return None  # an HTTP date: no clock of theirs is ours
    return seconds if 0 <= seconds < float("inf") else None


def _text(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
        return None
    return redact_text(str(value), limit=80) or None
