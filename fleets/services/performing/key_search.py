"""Finds a fleet's keys by name, and revokes those nobody can use."""

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import NotFound
from fleets.platform_api.types import KeyRow

KEY_NAME = "fleetdash {fleet}"


async def living_keys(account: PlatformClient, *names: str) -> list[KeyRow]:
    """Keys of these names that are not revoked."""
    rows = await account.keys.list_children()
    return [row for row in rows if row.name in names and row.revoked_at is None]


async def revoke_strays(account: PlatformClient, *names: str) -> int:
    """Revoke every living key of these names; how many those were."""
    strays = await living_keys(account, *names)
    for row in strays:
        try:
            await account.keys.revoke(row.id)
        except NotFound:
            continue
    return len(strays)
