"""Requests as they travel: for operations that the client does not have, and for exact bodies."""

from typing import Any

import httpx

from fleets.platform_api.secret import Secret
from tests.contract.platform import Platform


async def ask(
    platform: Platform,
    method: str,
    path: str,
    body: Any = None,
    *,
    key: Secret | None = None,
    base: str = "sandbox",
    headers: dict[str, str] | None = None,
) -> httpx.Response:
    """One request with the account key, or `key`; `path` is below the base URL."""
    url = (platform.urls.sandbox if base == "sandbox" else platform.urls.id) + path
    signed = {"Authorization": f"Bearer {(key or platform.account_key).reveal()}"}
    async with httpx.AsyncClient(
        timeout=platform.patience_s + 30, verify=platform.purse is not None
    ) as client:
        return await client.request(method, url, json=body, headers={**(headers or {}), **signed})
