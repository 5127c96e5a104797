"""The spend card: what the budget's parts are, how fast it burns, and why it stopped early."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from fleets.domain import money
from fleets.domain.balance import balance, out_in_s, tells_of_calls
from fleets.domain.prices import MachineSize
from fleets.domain.status import FleetState
from fleets.models import Fleet

# What happens in them is work, so they burn; in the others only machines cost.
WORKING: Final = frozenset(
    {
        FleetState.CREATING,
        FleetState.RUNNING,
        FleetState.WAITING,
        FleetState.HELD,
        FleetState.CANCELLING,
    }
)


@dataclass(frozen=True, slots=True)
class BarPart:
    """One part of the bar, in percent of the budget as SVG attributes take them."""

    kind: str
    x: str
    width: str


@dataclass(frozen=True, slots=True)
class SpendCard:
    """A fleet's balance in nanodollars; None is unknown. `held` is derived, None if nothing is.

    `unspent_nusd` stands instead of the remainder once the key is revoked: nothing can spend it.
    `is_final`: nothing can be added to what is spent.
    """

    budget_nusd: int | None
    cap_nusd: int | None
    spent_nusd: int | None
    held_nusd: int | None
    reserved_nusd: int | None
    remaining_nusd: int | None
    unspent_nusd: int | None
    bar: tuple[BarPart, ...]
    burn_nusd_per_min: int | None
    out_in_s: int | None
    seen_at: datetime | None
    is_final: bool
    sentence: str
    no_budget: str

    @property
    def bar_text(self) -> str:
        """The bar in words."""
        parts = [
            f"{money.show_used(self.spent_nusd)} spent",
            f"{money.show_used(self.held_nusd)} held in calls" if self.held_nusd else "",
            f"{money.show_used(self.reserved_nusd)} reserved for children"
            if self.reserved_nusd
            else "",
            f"{money.show_remaining(self.remaining_nusd)} remaining"
            if self.unspent_nusd is None
            else f"{money.show_remaining(self.unspent_nusd)} unspent",
        ]
        said = ", ".join(part for part in parts if part)
        return f"{said} of {money.show_limit(self.budget_nusd)}"


def no_budget_words(fleet: Fleet) -> str:
    """What stands where the budget would: it has none, or nobody knows; "" where it has one."""
    if fleet.budget_nusd is not None:
        return ""
    return "no budget" if fleet.budget_is_known else "budget unknown"


def spend_card(fleet: Fleet) -> SpendCard:
    """The balance of one fleet, from its own row: no query.

    A fleet that was cut off is balanced against its lowered cap, or everything up to the budget
    would look as if calls in flight held it.
    """
    budget = fleet.budget_nusd
    cap = fleet.key_cap_nusd if fleet.key_cap_nusd is not None else budget
    is_void = fleet.key_revoked_at is not None or fleet.state == FleetState.DELETED
    # A key that is gone leaves nothing to spend; what its calls held has come back or was spent.
    remaining = None if is_void else fleet.remaining_nusd
    now = balance(
        budget_nusd=cap,
        spent_nusd=fleet.spent_nusd,
        reserved_nusd=fleet.reserved_nusd,
        remaining_nusd=remaining,
    )
    burn = burn_now(fleet, held_nusd=now.held_nusd if now else None)
    return SpendCard(
        budget_nusd=budget,
        cap_nusd=cap if cap != budget and not is_void else None,
        spent_nusd=fleet.spent_nusd,
        held_nusd=(now.held_nusd or None) if now else None,
        reserved_nusd=None if is_void else fleet.reserved_nusd,
        remaining_nusd=remaining,
        unspent_nusd=_unspent(fleet) if is_void else None,
        bar=_bar(fleet, holds=cap == budget and not is_void),
        burn_nusd_per_min=burn,
        out_in_s=None if remaining is None else out_in_s(remaining, burn_nusd_per_min=burn),
        seen_at=fleet.key_seen_at,
        is_final=is_void,
        sentence=fleet.stop_sentence,
        no_budget=no_budget_words(fleet),
    )


def burn_now(fleet: Fleet, *, held_nusd: int | None) -> int | None:
    """How fast the budget goes; None while calls hold money and none of them has settled."""
    burn = fleet.burn_nusd_per_min
    if fleet.state not in WORKING:
        return None
    if burn is None or not held_nusd or not fleet.tasks_running:
        return burn
    return burn if tells_of_calls(burn, machines_nusd_per_hour=_machines(fleet)) else None


def _machines(fleet: Fleet) -> int:
    size = MachineSize(fleet.size, fleet.cpu_cores, fleet.memory_mib, fleet.disk_gib)
    return size.nusd_per_hour * fleet.machines_running


def _unspent(fleet: Fleet) -> int | None:
    if fleet.budget_nusd is None or fleet.spent_nusd is None:
        return None
    return max(0, fleet.budget_nusd - fleet.spent_nusd)


_KINDS: Final = {"held": "held", "reserved": "resv"}


def _bar(fleet: Fleet, *, holds: bool) -> tuple[BarPart, ...]:
    against = balance(
        budget_nusd=fleet.budget_nusd,
        spent_nusd=fleet.spent_nusd,
        reserved_nusd=fleet.reserved_nusd,
        remaining_nusd=fleet.remaining_nusd if holds else None,
    )
    if against is None:
        return ()
    used = "over" if against.over_nusd else "used"
    return tuple(
        BarPart(_KINDS.get(part.name, used), part.x, part.width)
        for part in against.bar()
        if part.name != "remaining" and part.width_bp
    )
