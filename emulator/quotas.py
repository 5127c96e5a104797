"""The account's limits beside its rate (contract 9): how many sandboxes may be there at once."""

from emulator.errors import over_quota
from emulator.world import World

LIVE = ("pending", "provisioning", "running")


def check_room(world: World, *, machines: int) -> None:
    """Raise when that many more sandboxes are above the account's ceiling; 0 = no ceiling."""
    limit = world.dials.max_concurrent_sandboxes
    current = sum(one.status in LIVE for one in world.machines.values())
    if limit and current + machines > limit:
        raise over_quota(
            "concurrent_sandboxes",
            current=current,
            limit=limit,
            status=world.dials.quota_status,
        )
