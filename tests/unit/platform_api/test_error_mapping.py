"""Every answer and every broken connection lands on its leaf of the error tree."""

import asyncio

import aiohttp
import httpx
import pytest

from fleets.platform_api import errors as e
from fleets.platform_api import operations as op
from fleets.platform_api.failures import from_answer, from_httpx, from_other
from tests.unit.platform_api.wire import answer, wire


def mapped(
    status: int,
    body: bytes = b"{}",
    *,
    operation: op.Operation = op.FLEET_GET,
    headers: dict[str, str] | None = None,
) -> e.PlatformError:
    return from_answer(operation, status, httpx.Headers(headers), body, e.CallFacts())


@pytest.mark.parametrize(
    ("status", "leaf"),
    [
        (400, e.BadRequest),
        (401, e.Unauthenticated),
        (402, e.BudgetExhausted),
        (403, e.Forbidden),
        (404, e.NotFound),
        (408, e.TimedOut),
        (409, e.WrongState),
        (410, e.NotFound),
        (413, e.BadRequest),
        (422, e.BadRequest),
        (425, e.ServerFault),
        (429, e.RateLimited),
        (500, e.ServerFault),
        (501, e.PlatformSurprise),
        (502, e.ServerFault),
        (503, e.ServerFault),
        (504, e.ServerFault),
        (302, e.PlatformSurprise),
    ],
)
def test_a_status_maps_to_its_leaf(status: int, leaf: type[e.PlatformError]) -> None:
    assert type(mapped(status)) is leaf


def test_a_500_on_a_turn_is_no_reason_to_try_again() -> None:
    assert type(mapped(500, operation=op.TURN_DISPATCH)) is e.PlatformSurprise
    assert type(mapped(503, operation=op.TURN_DISPATCH)) is e.ServerFault


@pytest.mark.parametrize(
    ("body", "leaf"),
    [
        (b'{"code":"QUOTA_EXCEEDED","quotaType":"requests_per_minute","limit":60}', e.RateLimited),
        (b'{"code":"QUOTA_EXCEEDED","quotaType":"maxConcurrentSandboxes"}', e.QuotaExceeded),
        (b'{"code":"QUOTA_EXCEEDED","retryAfter":3}', e.RateLimited),
        (b'{"code":"QUOTA_EXCEEDED","quotaType":"credits"}', e.QuotaExceeded),
        (b'{"code":"QUOTA_EXCEEDED","quotaType":"tokens","retryAfter":3}', e.RateLimited),
        (b'{"error":{"code":"rate_limit_exceeded","type":"api_error"}}', e.RateLimited),
        (b'{"error":{"code":"insufficient_quota"}}', e.QuotaExceeded),
        (b'{"code":"CONCURRENT_SANDBOXES","retryAfter":3}', e.QuotaExceeded),
        (b'{"code":"UPLOAD_BUDGET_EXHAUSTED","retryAfterMs":500}', e.RateLimited),
        (b"<html>too many</html>", e.RateLimited),
    ],
)
def test_a_429_is_rate_or_quota_by_its_body(body: bytes, leaf: type[e.PlatformError]) -> None:
    assert type(mapped(429, body)) is leaf


def test_a_403_with_a_quota_is_a_quota() -> None:
    assert type(mapped(403, b'{"quotaType":"sandboxes","limit":1}')) is e.QuotaExceeded


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        ({"retry-after": "7"}, b"{}", 7.0),
        ({}, b'{"retryAfter": 2.5}', 2.5),
        ({}, b'{"retryAfterMs": 1500}', 1.5),
        ({"retry-after": "3"}, b'{"retryAfter": 9}', 9.0),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, b"{}", None),
        ({"retry-after": "-1"}, b"{}", None),
        ({"retry-after": "1e99"}, b"{}", 3600.0),
        ({}, b"{}", None),
    ],
)
def test_the_wait_comes_from_header_or_body(
    headers: dict[str, str], body: bytes, expected: float | None
) -> None:
    assert mapped(429, body, headers=headers).retry_after_s == expected


@pytest.mark.parametrize(
    ("body", "message", "code"),
    [
        (b'{"error":"no such fleet","code":"NOT_FOUND"}', "no such fleet", "NOT_FOUND"),
        (b'{"error":{"message":"used up","type":"x","code":"y"}}', "used up", "y"),
        (b'{"error":"forbidden","message":"key of another product"}', None, None),
        (b'{"message":"only this"}', "only this", None),
        (b"not json at all", "HTTP 404", None),
        (b"[1, 2]", "HTTP 404", None),
        (b'{"error":{"deep":{}}}', "HTTP 404", None),
    ],
)
def test_every_documented_error_body_is_read(
    body: bytes, message: str | None, code: str | None
) -> None:
    error = mapped(404, body)
    assert error.code == code
    assert error.message == (message or "forbidden: key of another product")


def caused(cause: BaseException) -> e.PlatformError:
    failure = httpx.ConnectTimeout("what the transport says for nearly everything")
    failure.__cause__ = cause
    return from_httpx(failure, e.CallFacts())


def refused() -> aiohttp.ClientConnectorError:
    key = aiohttp.client_reqrep.ConnectionKey("h", 1, False, True, None, None, None)
    return aiohttp.ClientConnectorError(key, OSError(111, "refused"))


@pytest.mark.parametrize(
    ("cause", "leaf", "sent"),
    [
        (refused(), e.ConnectFailed, False),
        (aiohttp.ConnectionTimeoutError(), e.TimedOut, False),
        (aiohttp.SocketTimeoutError(), e.TimedOut, None),
        (aiohttp.ServerDisconnectedError(), e.ConnectFailed, None),
        (aiohttp.ClientOSError(104, "reset"), e.ConnectFailed, None),
        (aiohttp.ClientPayloadError("cut"), e.ConnectFailed, None),
    ],
)
def test_the_cause_decides_whether_it_left(
    cause: BaseException, leaf: type[e.PlatformError], sent: bool | None
) -> None:
    error = caused(cause)
    assert (type(error), error.sent) == (leaf, sent)
    assert error.outcome_unknown is (sent is None)


def test_what_the_transport_does_not_map_has_an_unknown_outcome() -> None:
    assert from_other(ConnectionResetError(), e.CallFacts()).outcome_unknown
    assert from_other(httpx.InvalidURL("x"), e.CallFacts()).outcome_unknown is False


def test_refusals_are_certain_and_faults_are_not() -> None:
    certain = [mapped(status).outcome_unknown for status in (400, 401, 402, 403, 404, 409, 429)]
    assert certain == [False] * 7
    assert all(mapped(status).outcome_unknown for status in (408, 500, 502, 503, 504, 501))


def test_an_error_carries_what_an_operator_needs() -> None:
    line = wire(answer(409, {"error": "deleting"}, headers={"x-request-id": "req-9"}))
    with pytest.raises(e.WrongState) as caught:
        line.run(lambda client: client.fleets.get("fleet-secretive"))
    error = caught.value
    assert (error.operation, error.method, error.path) == (
        "fleets.get",
        "GET",
        "/v1/fleets/{fleet_id}",
    )
    assert (error.status, error.request_id, error.attempt) == (409, "req-9", 1)
    assert str(error) == "fleets.get: 409 deleting"


@pytest.mark.parametrize(
    "content", [b"{", b"nope", b'{"a": NaN}', b"\xff\xfe", b"[" * 100_000, b"[]", b"3"]
)
def test_a_body_that_is_not_as_agreed_is_a_surprise(content: bytes) -> None:
    line = wire(httpx.Response(200, content=content))
    with pytest.raises(e.PlatformSurprise) as caught:
        line.run(lambda client: client.fleets.get("f"))
    assert caught.value.outcome_unknown


def test_a_cancelled_call_stays_cancelled() -> None:
    async def go() -> None:
        async def never(request: httpx.Request) -> httpx.Response:
            await asyncio.Event().wait()
            raise AssertionError

        from fleets.platform_api.transport import Call, Transport
        from tests.unit.platform_api.wire import KEY

        transport = Transport(http=httpx.AsyncClient(transport=httpx.MockTransport(never)))
        call = Call(operation=op.FLEET_LIST, base_url="http://host", key=KEY)
        task = asyncio.create_task(transport.send(call))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await transport.aclose()

    asyncio.run(go())
