"""The model router as a process inside a machine meets it (contract 1.1, 1.2, 5)."""

import asyncio
from decimal import Decimal
from typing import Any

import httpx
import pytest

from tests.contract.platform import Platform
from tests.contract.raw import ask

CALL = {
    "model": "gpt-4.1-mini",
    "messages": [{"role": "user", "content": "Say hello."}],
    "max_tokens": 20,
}


def chat(platform: Platform, body: dict[str, Any], *, budget_usd: str) -> httpx.Response:
    """One call with a key of its own."""

    async def go() -> httpx.Response:
        async with platform.client() as client, platform.key(client, Decimal(budget_usd)) as key:
            return await ask(
                platform, "POST", "/v1/chat/completions", body, key=key.key, base="router"
            )

    return asyncio.run(go())


@pytest.mark.our_choice
@pytest.mark.covers("router.models")
def test_models_are_listed_as_others_list_them(platform: Platform) -> None:
    """Contract 1.1 says that the router is OpenAI-compatible, not that it lists."""
    reply = asyncio.run(ask(platform, "GET", "/v1/models", base="router"))
    assert {row["object"] for row in reply.json()["data"]} == {"model"}


@pytest.mark.from_source
@pytest.mark.covers("router.chat")
def test_a_call_is_answered_with_its_use_and_its_price(platform: Platform) -> None:
    """Contract 1.1, 5: OpenAI-compatible; `X-Generation-Id` and the prices as headers."""
    reply = chat(platform, CALL, budget_usd="0.10")
    assert reply.status_code == 200, reply.text
    body = reply.json()
    assert body["choices"][0]["message"]["content"]
    assert body["usage"]["total_tokens"] > 0
    names = ("X-Generation-Id", "X-Tangle-Price-Input", "X-Tangle-Price-Output")
    assert all(reply.headers.get(name) for name in names)


@pytest.mark.from_source
@pytest.mark.covers("router.chat")
def test_a_call_that_does_not_fit_the_budget_is_refused_with_what_it_takes(
    platform: Platform,
) -> None:
    """Contract 1.2, 5: 402 when the worst case does not fit; `insufficient_funds`."""
    reply = chat(platform, {**CALL, "max_tokens": 32_000}, budget_usd="0.01")
    assert reply.status_code == 402
    assert reply.json()["error"]["type"] == "insufficient_funds"
    assert int(reply.headers["X-Payment-Required"]) > 10_000  # millionths of a dollar
    assert reply.headers["X-Payment-Currency"]


@pytest.mark.from_source
@pytest.mark.covers("router.chat")
def test_a_model_that_nobody_serves_is_503(platform: Platform) -> None:
    """Contract 5."""
    body = {**CALL, "model": "no-such/model"}
    assert chat(platform, body, budget_usd="0.10").status_code == 503
