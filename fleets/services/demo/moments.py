"""The moments of one fleet of the data set, and the marks that keep everybody's hands off it.

A run without `next_tick_at` is never ticked, an operation without `next_attempt_at` never
performed. The watch reads only fleets that the platform has accepted and whose work has ended, so
those of them that still stand have no `created_on_platform_at`.
"""

from datetime import datetime, timedelta
from typing import Final

from fleets.domain.status import TERMINAL_FLEETS, FleetState
from fleets.models import Fleet
from fleets.services.demo.catalog import Story

ORDERED_BEFORE: Final = timedelta(seconds=40)
GONE_AFTER: Final = timedelta(minutes=30)
# The one that counts down: as late as the product allows.
LATEST_CLEANUP: Final = timedelta(hours=23, minutes=12)


def set_moments(
    story: Story, fleet: Fleet, *, begun: datetime, end: datetime, now: datetime
) -> None:
    """Write onto the fleet (unsaved) when what happened."""
    state = story.state
    fleet.state_since = end if state in TERMINAL_FLEETS else begun
    if state is FleetState.CREATING:
        fleet.state_since = fleet.created_at
        fleet.platform_status = "provisioning"
        return
    fleet.settled_at = fleet.started_at = begun
    fleet.platform_status = "running"
    if state not in TERMINAL_FLEETS and state is not FleetState.DELETING:
        fleet.created_on_platform_at = fleet.created_at + timedelta(seconds=1)
    else:
        fleet.work_ended_at = end
        fleet.platform_seen_at = end
    if "countdown" in story.extra:
        fleet.cleanup_due_at = now + LATEST_CLEANUP
        fleet.after_delay_s = 86_400
    _set_orders(story, fleet, end=end, now=now)


def _set_orders(story: Story, fleet: Fleet, *, end: datetime, now: datetime) -> None:
    ordered = now - ORDERED_BEFORE
    match story.state:
        case FleetState.HELD if "cut" in story.extra:
            fleet.cut_off_requested_at = ordered
            fleet.cut_off_confirmed_at = ordered + timedelta(seconds=1)
            _lower_cap(fleet)
        case FleetState.HELD:
            fleet.held_at = ordered
        case FleetState.CANCELLING:
            fleet.cancel_requested_at = fleet.state_since = ordered
            fleet.epoch = 2
            _cut(fleet, ordered)
        case FleetState.CANCELLED:
            fleet.cancel_requested_at = end - timedelta(seconds=20)
            fleet.cancel_confirmed_at = end
            fleet.epoch = 2
            _cut(fleet, fleet.cancel_requested_at)
        case FleetState.DELETING:
            fleet.delete_requested_at = fleet.state_since = ordered
            fleet.epoch = 2
        case FleetState.DELETED:
            _bury(fleet, end=end)
        case _:
            return


def _cut(fleet: Fleet, at: datetime) -> None:
    fleet.cut_off_requested_at, fleet.cut_off_confirmed_at = at, at + timedelta(seconds=1)
    _lower_cap(fleet)


def _lower_cap(fleet: Fleet) -> None:
    fleet.key_cap_nusd = fleet.spent_nusd
    fleet.reserved_nusd = fleet.remaining_nusd = 0
    fleet.burn_nusd_per_min = 0


def _bury(fleet: Fleet, *, end: datetime) -> None:
    gone = end + GONE_AFTER
    fleet.delete_requested_at, fleet.deleted_at = gone - timedelta(seconds=6), gone
    fleet.key_revoked_at, fleet.key_secret = gone, None
    fleet.platform_status, fleet.platform_seen_at, fleet.key_seen_at = "deleted", gone, gone
    fleet.state_since = gone
    fleet.epoch = 2
