"""The spend card: what the budget's parts are, how fast it burns, and why it stopped early."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from fleets.domain.balance import balance, out_in_s
from fleets.domain.status import TERMINAL_FLEETS
from fleets.models import Fleet


@dataclass(frozen=True, slots=True)
class BarPart:
    """One part of the bar, in percent of the budget as SVG attributes take them."""

    kind: str
    x: str
    width: str


@dataclass(frozen=True, slots=True)
class SpendCard:
    """A fleet's balance in nanodollars; None is unknown. `held` is derived, None if nothing is."""

    budget_nusd: int | None
    cap_nusd: int | None
    spent_nusd: int | None
    held_nusd: int | None
    reserved_nusd: int | None
    remaining_nusd: int | None
    bar: tuple[BarPart, ...]
    burn_nusd_per_min: int | None
    out_in_s: int | None
    seen_at: datetime | None
    sentence: str


def spend_card(fleet: Fleet) -> SpendCard:
    """The balance of one fleet, from its own row: no query.

    A fleet that was cut off is balanced against its lowered cap, or everything up to the budget
    would look as if calls in flight held it.
    """
    budget = fleet.budget_nusd
    cap = fleet.key_cap_nusd if fleet.key_cap_nusd is not None else budget
    now = balance(
        budget_nusd=cap,
        spent_nusd=fleet.spent_nusd,
        reserved_nusd=fleet.reserved_nusd,
        remaining_nusd=fleet.remaining_nusd,
    )
    # Calls of a fleet that is over hold nothing, whatever its key leaves out of its remainder.
    is_over = fleet.state in TERMINAL_FLEETS or fleet.key_revoked_at is not None
    remaining = fleet.remaining_nusd
    burn = fleet.burn_nusd_per_min
    return SpendCard(
        budget_nusd=budget,
        cap_nusd=cap if cap != budget else None,
        spent_nusd=fleet.spent_nusd,
        held_nusd=(now.held_nusd or None) if now and not is_over else None,
        reserved_nusd=fleet.reserved_nusd,
        remaining_nusd=remaining,
        bar=_bar(fleet, holds=cap == budget and not is_over),
        burn_nusd_per_min=burn,
        out_in_s=None if remaining is None else out_in_s(remaining, burn_nusd_per_min=burn),
        seen_at=fleet.key_seen_at,
        sentence=fleet.stop_sentence,
    )


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
