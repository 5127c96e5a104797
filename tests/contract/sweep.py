"""What a run made is gone at its end, whatever became of its tests."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import NotFound, PlatformError, PlatformSurprise
from tests.contract.platform import Platform
from tests.contract.raw import ask

PAGE = 100
MOST = 10_000
ROUNDS = 5

Leftovers = dict[str, Callable[[], Awaitable[Any]]]
Find = Callable[[Platform, PlatformClient], Awaitable[Leftovers]]


async def sweep(platform: Platform) -> list[str]:
    """Removes everything whose name begins with the run's; what is left after all, in words.

    Goes on past failures, and looks again: a fleet's machines go one after the other.
    """
    async with platform.client() as client:
        for _round in range(ROUNDS):
            found, blind = await _find(platform, client)
            if not found:
                return blind
            blind += [f"{name}: {error}" for name, error in (await _remove(found)).items()]
            await asyncio.sleep(platform.pause_s)
        found, failures = await _find(platform, client)
        return [*found, *failures, *(blind if found else [])]


async def _find(platform: Platform, client: PlatformClient) -> tuple[Leftovers, list[str]]:
    """What is there, and of which nouns nobody can tell."""
    found: Leftovers = {}
    blind: list[str] = []
    for noun, look in FINDS.items():
        try:
            found |= await look(platform, client)
        except (NotFound, PlatformSurprise) as error:
            # The service does not have this noun where we look for it, so nothing was made of it.
            if error.status not in {404, 501}:
                blind.append(f"{noun}: {error}")
        except PlatformError as error:
            blind.append(f"{noun}: {error}")
    return found, blind


async def _remove(found: Leftovers) -> dict[str, PlatformError]:
    failures: dict[str, PlatformError] = {}
    for name, remove in found.items():
        try:
            await remove()
        except NotFound:
            continue
        except PlatformError as error:
            failures[name] = error
    return failures


async def _fleets(platform: Platform, client: PlatformClient) -> Leftovers:
    found: Leftovers = {}
    for offset in range(0, MOST, PAGE):
        page = await client.fleets.list(limit=PAGE, offset=offset)
        for row in page.fleets:
            if row.fleet_id.startswith(platform.run_id):
                found[f"fleet {row.fleet_id}"] = partial(client.fleets.delete, row.fleet_id)
        if len(page.fleets) < PAGE:
            break
    return found


async def _sandboxes(platform: Platform, client: PlatformClient) -> Leftovers:
    found: Leftovers = {}
    for offset in range(0, MOST, PAGE):
        rows = await client.sandboxes.list(limit=PAGE, offset=offset)
        for row in rows:
            if (row.name or "").startswith(platform.run_id) and row.status != "deleted":
                name = f"sandbox {row.sandbox_id}"
                found[name] = partial(client.sandboxes.delete, row.sandbox_id)
        if len(rows) < PAGE:
            break
    return found


async def _profiles(platform: Platform, client: PlatformClient) -> Leftovers:
    page = await client.profiles.list(limit=PAGE)
    return {
        f"profile {row.profile_id}": partial(client.profiles.delete, row.profile_id)
        for row in page.profiles
        if row.profile_id.startswith(platform.run_id)
    }


async def _secrets(platform: Platform, client: PlatformClient) -> Leftovers:
    return {
        f"secret {row.name}": partial(ask, platform, "DELETE", f"/v1/secrets/{row.name}")
        for row in await client.secrets.list()
        if row.name.startswith(platform.variable_prefix)
    }


async def _keys(platform: Platform, client: PlatformClient) -> Leftovers:
    return {
        f"key {row.id}": partial(client.keys.revoke, row.id)
        for row in await client.keys.list_children()
        if (row.name or "").startswith(platform.run_id) and row.revoked_at is None
    }


# Keys last: what they pay for goes first.
FINDS: dict[str, Find] = {
    "fleets": _fleets,
    "sandboxes": _sandboxes,
    "profiles": _profiles,
    "secrets": _secrets,
    "keys": _keys,
}
