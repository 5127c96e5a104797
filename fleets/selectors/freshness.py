"""How old a fleet's figures are: when the platform was last read, and when that is too long ago."""

from datetime import datetime, timedelta
from typing import Final

from fleets.domain.status import FleetState
from fleets.models import Fleet

# Older figures on a live page are dimmed, and the page says since when.
STALE_AFTER: Final = timedelta(seconds=30)

# A tick reads these all the time; once their work has ended, the watch does it once a minute.
_TICKING: Final = frozenset(
    {FleetState.CREATING, FleetState.RUNNING, FleetState.WAITING, FleetState.HELD}
)
# The operation reads the key, not the fleet's own row.
_STOPPING: Final = frozenset({FleetState.CANCELLING, FleetState.DELETING})


def read_at(fleet: Fleet) -> datetime | None:
    """When what is shown of a fleet under way was read; None for one at rest, or never read.

    Demo data is never read: it says so itself, and is as old as it says.
    """
    if fleet.is_demo:
        return None
    seen, key_seen = fleet.platform_seen_at, fleet.key_seen_at
    if seen is None:
        return None
    known = [seen] if key_seen is None else [seen, key_seen]
    if fleet.state in _STOPPING:
        return max(known)
    if fleet.state in _TICKING and fleet.work_ended_at is None:
        return min(known)
    return None


def awaited_since(fleet: Fleet) -> datetime | None:
    """The same, but a launch that nobody has answered yet is as old as its order."""
    if fleet.state == FleetState.CREATING and fleet.platform_seen_at is None and not fleet.is_demo:
        return fleet.created_at
    return read_at(fleet)


def stale_since(fleet: Fleet, *, now: datetime) -> datetime | None:
    """Since when nothing was read of a fleet under way; None while its figures are young enough."""
    at = awaited_since(fleet)
    return at if at is not None and now - at >= STALE_AFTER else None
