"""What leaves the client: only fields that the contract names, signed, encoded, exact."""

import base64
import json
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.encoding import encode
from fleets.platform_api.secret import Secret
from fleets.platform_api.types import BaseUrls
from tests.unit.platform_api.wire import KEY, Wire, answer, events, wire

FLEET = {"fleet": {"fleetId": "fleet-1", "status": "running", "machines": []}}
RECEIPT = {"sessionId": "a", "executionId": "x", "status": "running", "dispatched": True}


def sent(body: Any, act: Callable[[PlatformClient], Awaitable[Any]]) -> Wire:
    line = wire(answer(200, body))
    line.run(act)
    return line


def test_every_call_is_signed_and_names_its_content() -> None:
    headers = sent(FLEET, lambda client: client.fleets.get("f")).requests[0].headers
    assert headers["authorization"] == f"Bearer {KEY.reveal()}"
    assert headers["content-type"] == "application/json"


def test_with_key_signs_with_the_other_key() -> None:
    line = sent(FLEET, lambda client: client.with_key(Secret("other")).fleets.get("f"))
    assert line.requests[0].headers["authorization"] == "Bearer other"


def test_keys_go_to_the_id_host_and_the_rest_to_the_sandbox_host() -> None:
    keys = sent({"data": {"id": "k"}}, lambda client: client.keys.get("k"))
    assert str(keys.requests[0].url) == "http://host/id/v1/keys/k"
    fleets = sent(FLEET, lambda client: client.fleets.get("f"))
    assert str(fleets.requests[0].url) == "http://host/sandbox/v1/fleets/f"


def test_a_base_that_ends_in_v1_is_the_same_base() -> None:
    urls = BaseUrls(sandbox="https://a/v1/", id="https://b/", router="https://c/v1")
    assert (urls.sandbox, urls.id, urls.router) == ("https://a", "https://b", "https://c")


def test_ids_cannot_leave_their_place_in_the_path() -> None:
    line = sent(
        {"data": {"cancelled": True}},
        lambda client: client.sessions.abort("../../keys", "a/b?c#d"),
    )
    path = line.requests[0].url.raw_path.decode()
    assert path == (
        "/sandbox/v1/sandboxes/..%2F..%2Fkeys/runtime/agents/sessions/a%2Fb%3Fc%23d/abort"
    )


def test_a_turn_is_detached_named_and_its_prompt_is_base64() -> None:
    line = sent(
        RECEIPT,
        lambda client: client.sessions.dispatch(
            "s",
            session_id="agent-1",
            turn_id="t7-1",
            prompt="Grüße 🌍",
            backend={"type": "opencode", "model": {"model": "gpt-4.1-mini"}},
            timeout_ms=60_000,
        ),
    )
    text = line.body["parts"][0].pop("text")
    assert base64.b64decode(text).decode() == "Grüße 🌍"
    assert line.body | {"parts": []} == {
        "id": "default",
        "sessionId": "agent-1",
        "turnId": "t7-1",
        "parts": [],
        "backend": {"type": "opencode", "model": {"model": "gpt-4.1-mini"}},
        "timeoutMs": 60_000,
        "detach": True,
    }


def test_a_create_sends_what_was_given_and_no_empty_field() -> None:
    line = sent(
        FLEET,
        lambda client: client.fleets.create(
            "fleet-1",
            machines=[{"machineId": "m-1"}],
            policy={"maxSpendUsd": Decimal("3")},
            idempotency_key="row-1",
        ),
    )
    assert line.body == {
        "fleetId": "fleet-1",
        "machines": [{"machineId": "m-1"}],
        "policy": {"maxSpendUsd": 3},
    }
    assert line.requests[0].headers["idempotency-key"] == "row-1"


def test_a_budget_travels_as_an_exact_number() -> None:
    line = sent(
        {"data": {"id": "k"}},
        lambda client: client.keys.patch("k", budget_usd=Decimal("2.999999999")),
    )
    assert line.requests[0].content == b'{"budgetUsd":2.999999999}'


@given(st.integers(0, 10**15 - 1))
def test_every_amount_of_nanodollars_up_to_a_million_travels_exactly(nanodollars: int) -> None:
    amount = Decimal(nanodollars).scaleb(-9)
    back = json.loads(encode({"usd": amount}), parse_float=Decimal, parse_int=Decimal)
    assert back["usd"] == amount


def test_an_amount_that_no_number_carries_is_refused_rather_than_rounded() -> None:
    with pytest.raises(ValueError, match="exactly"):
        encode({"usd": Decimal("0.12345678901234567890123")})


def test_the_cursor_of_a_stream_is_sent_both_ways() -> None:
    line = wire(events('id: 8\nevent: done\ndata: {"outcome": {"type": "completed"}}'))
    line.run(lambda client: client.sessions.read_events("s", "a", execution_id="x", since="7"))
    request = line.requests[0]
    assert dict(request.url.params) == {"executionId": "x", "since": "7"}
    assert request.headers["last-event-id"] == "7"
    assert request.headers["accept"] == "text/event-stream"
