"""What the client sends a second time by itself, and what it never does."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from decimal import Decimal
from typing import Any

import httpx
import pytest

from fleets.platform_api import errors as e
from fleets.platform_api import operations as op
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.retry import may_repeat
from tests.unit.platform_api.wire import Wire, answer, wire

ROW = {"id": "key-1", "budgetUsd": 3}
FLEET = {"fleet": {"fleetId": "fleet-1", "status": "provisioning", "machines": []}}


def broken() -> httpx.ConnectTimeout:
    return httpx.ConnectTimeout("broke")


def outcome(line: Wire, act: Callable[[PlatformClient], Awaitable[Any]]) -> int:
    """How many requests one call made, however it ended."""
    with suppress(e.PlatformError):
        line.run(act)
    return len(line.requests)


def test_a_read_is_repeated_over_a_passing_fault() -> None:
    line = wire(answer(502), answer(503), answer(200, ROW))
    assert line.run(lambda client: client.keys.get("key-1")).budget_usd == Decimal(3)
    assert [record.attempt for record in line.records] == [1, 2, 3]
    assert [record.status for record in line.records] == [502, 503, 200]


def test_every_attempt_is_paced() -> None:
    line = wire(answer(502), answer(200, ROW))
    line.run(lambda client: client.keys.get("key-1"))
    assert line.paced == [op.KEY_GET, op.KEY_GET]


def test_it_gives_up_after_a_few_attempts() -> None:
    assert outcome(wire(answer(503)), lambda client: client.keys.get("key-1")) == 3


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 409])
def test_a_refusal_is_never_repeated(status: int) -> None:
    assert outcome(wire(answer(status)), lambda client: client.keys.get("key-1")) == 1


def test_a_mint_is_never_repeated_after_an_unknown_outcome() -> None:
    def mint(client: PlatformClient) -> Awaitable[Any]:
        return client.keys.mint("fleet", budget_usd=Decimal(1))

    assert outcome(wire(answer(502)), mint) == 1
    assert outcome(wire(broken()), mint) == 1


def test_a_dispatch_is_never_repeated_after_an_unknown_outcome() -> None:
    def dispatch(client: PlatformClient) -> Awaitable[Any]:
        return client.sessions.dispatch("s", session_id="a", turn_id="t1-1", prompt="go")

    assert outcome(wire(answer(503)), dispatch) == 1
    assert outcome(wire(broken()), dispatch) == 1


def test_an_abort_is_not_repeated_because_the_second_answer_would_say_less() -> None:
    assert outcome(wire(answer(502)), lambda client: client.sessions.abort("s", "a")) == 1


def test_a_create_is_repeated_only_with_its_key() -> None:
    def create(key: str | None) -> Callable[[PlatformClient], Awaitable[Any]]:
        return lambda client: client.fleets.create("fleet-1", machines=[], idempotency_key=key)

    line = wire(answer(504), answer(201, FLEET))
    assert outcome(line, create("row-7")) == 2
    assert {request.headers["idempotency-key"] for request in line.requests} == {"row-7"}
    assert outcome(wire(answer(504)), create(None)) == 1


def test_a_short_429_is_waited_for_and_a_long_one_handed_up() -> None:
    short = wire(answer(429, {"retryAfter": 1}), answer(200, ROW))
    assert outcome(short, lambda client: client.keys.get("key-1")) == 2
    assert outcome(wire(answer(429, {"retryAfter": 60})), lambda c: c.keys.get("k")) == 1


@pytest.mark.parametrize("operation", op.ALL, ids=lambda operation: operation.name)
def test_whatever_certainly_never_left_may_be_sent_again(operation: op.Operation) -> None:
    assert may_repeat(operation, e.ConnectFailed("refused", sent=False), keyed=False)


@pytest.mark.parametrize("operation", op.ALL, ids=lambda operation: operation.name)
def test_no_unkeyed_act_is_sent_again_when_it_may_have_happened(operation: op.Operation) -> None:
    """A file is read by a POST; a DELETE, and a PATCH to a fixed value, may come twice."""
    if operation.method in {"POST", "PUT"} and operation is not op.RUNTIME_READ:
        assert not may_repeat(operation, e.ConnectFailed("broke", sent=None), keyed=False)
        assert not may_repeat(operation, e.TimedOut("late", sent=None), keyed=False)
        assert not may_repeat(operation, e.ServerFault("502"), keyed=False)
    else:
        assert may_repeat(operation, e.ServerFault("502"), keyed=False)
