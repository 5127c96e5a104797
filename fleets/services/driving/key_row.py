"""Takes over what the platform says of a fleet's key: the money, exactly as told."""

from datetime import datetime

from fleets.domain.balance import tells_of_calls
from fleets.domain.money import usd_to_nusd
from fleets.domain.prices import MACHINE_SIZES
from fleets.models import Fleet
from fleets.platform_api.types import KeyRow

# Burn is read over at least this long, so that one settled call does not look like a fire.
BURN_WINDOW_S = 10.0
# While calls hold money and none has settled, the window stays open: machines alone say little.
LONGEST_WINDOW_S = 120.0


def take_key_row(fleet: Fleet, row: KeyRow, *, now: datetime) -> None:
    """Write the key's figures onto the fleet (unsaved). What the platform left out is None."""
    spent = None if row.spent_usd is None else usd_to_nusd(row.spent_usd)
    _take_burn(fleet, spent, now=now)
    fleet.spent_nusd = spent
    fleet.reserved_nusd = None if row.reserved_usd is None else usd_to_nusd(row.reserved_usd)
    fleet.remaining_nusd = None if row.remaining_usd is None else usd_to_nusd(row.remaining_usd)
    fleet.key_cap_nusd = None if row.budget_usd is None else usd_to_nusd(row.budget_usd)
    fleet.key_revoked_at = row.revoked_at
    fleet.key_seen_at = now


def _take_burn(fleet: Fleet, spent: int | None, *, now: datetime) -> None:
    if spent is None:
        fleet.burn_nusd_per_min = None
        return
    if fleet.burn_base_at is None or fleet.burn_base_nusd is None:
        fleet.burn_base_at, fleet.burn_base_nusd = now, spent
        return
    seconds = (now - fleet.burn_base_at).total_seconds()
    if seconds < BURN_WINDOW_S:
        return
    burn = max(0, int((spent - fleet.burn_base_nusd) * 60 / seconds))
    if seconds < LONGEST_WINDOW_S and _awaits_calls(fleet, burn):
        return
    fleet.burn_nusd_per_min = burn
    fleet.burn_base_at, fleet.burn_base_nusd = now, spent


def _awaits_calls(fleet: Fleet, burn_nusd_per_min: int) -> bool:
    """Whether agents are at work and none of their calls has settled yet: only machines show."""
    size = MACHINE_SIZES.get(fleet.size)
    machines = (size.nusd_per_hour if size else 0) * fleet.machines_running
    return fleet.tasks_running > 0 and not tells_of_calls(
        burn_nusd_per_min, machines_nusd_per_hour=machines
    )
