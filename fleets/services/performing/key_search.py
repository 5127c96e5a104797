"""Finds a fleet's keys by name, and revokes those nobody can use."""

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import NotFound
from fleets.platform_api.types import KeyRow

KEY_NAME = "fleetdash {fleet}"


async def living_keys(account: PlatformClient, name: str) -> list[KeyRow]:
    """Keys of this name that are not revoked."""
    rows = await account.keys.list_children()
    return [row for row in rows if row.name == name and row.revoked_at is None]


async def revoke_strays(account: PlatformClient, name: str) -> int:
    """Revoke every living key of this name; how many those were."""
    strays = await living_keys(account, name)
    for row in strays:
        try:
            await account.keys.revoke(row.id)
        except NotFound:
            continue
    return len(strays)
