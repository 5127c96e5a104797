"""Requests as they travel: for operations that the client does not have, and for exact bodies."""

from typing import Any, Literal

import httpx

from fleets.platform_api.secret import Secret
from tests.contract.platform import Platform

Base = Literal["sandbox", "id", "router"]


async def ask(
    platform: Platform,
    method: str,
    path: str,
    body: Any = None,
    *,
    key: Secret | None = None,
    base: Base = "sandbox",
    headers: dict[str, str] | None = None,
) -> httpx.Response:
    """One request with the account key, or `key`; `path` is below the base URL."""
    signed = {"Authorization": f"Bearer {(key or platform.account_key).reveal()}"}
    return await ask_without_key(
        platform, method, path, body, base=base, headers={**(headers or {}), **signed}
    )


async def ask_without_key(
    platform: Platform,
    method: str,
    path: str,
    body: Any = None,
    *,
    base: Base = "sandbox",
    headers: dict[str, str] | None = None,
) -> httpx.Response:
    """One request as anybody may send it."""
    url = str(getattr(platform.urls, base)) + path
    patience_s, is_live = platform.patience_s + 30, platform.purse is not None
    async with httpx.AsyncClient(timeout=patience_s, verify=is_live) as client:
        return await client.request(method, url, json=body, headers=headers)
