"""The spend card: what the budget's parts are, how fast it burns, and why it stopped early."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from fleets.models import Fleet

_S_PER_MINUTE: Final = 60


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
    """The balance of one fleet, from its own row: no query."""
    spent, reserved, remaining = fleet.spent_nusd, fleet.reserved_nusd, fleet.remaining_nusd
    cap = fleet.key_cap_nusd if fleet.key_cap_nusd is not None else fleet.budget_nusd
    held = held_in_calls(cap, spent=spent, reserved=reserved, remaining=remaining)
    return SpendCard(
        budget_nusd=fleet.budget_nusd,
        cap_nusd=cap if cap != fleet.budget_nusd else None,
        spent_nusd=spent,
        held_nusd=held or None,
        reserved_nusd=reserved,
        remaining_nusd=remaining,
        bar=_bar(fleet.budget_nusd, spent=spent, held=held, reserved=reserved),
        burn_nusd_per_min=fleet.burn_nusd_per_min,
        out_in_s=out_in_s(remaining, burn_nusd_per_min=fleet.burn_nusd_per_min),
        seen_at=fleet.key_seen_at,
        sentence=fleet.stop_sentence,
    )


def held_in_calls(
    cap: int | None, *, spent: int | None, reserved: int | None, remaining: int | None
) -> int:
    """What is left over of the cap: held for calls in flight. Never negative; 0 when unknown."""
    if cap is None or spent is None or remaining is None:
        return 0
    return max(0, cap - spent - (reserved or 0) - remaining)


def out_in_s(remaining: int | None, *, burn_nusd_per_min: int | None) -> int | None:
    """Seconds until nothing remains at this rate; None when unknown or never."""
    if remaining is None or not burn_nusd_per_min:
        return None
    return remaining * _S_PER_MINUTE // burn_nusd_per_min


def _bar(
    budget: int | None, *, spent: int | None, held: int, reserved: int | None
) -> tuple[BarPart, ...]:
    if not budget or spent is None:
        return ()
    parts: list[BarPart] = []
    begin = 0.0
    kinds = (("over" if spent > budget else "used", spent), ("held", held), ("resv", reserved or 0))
    for kind, amount in kinds:
        width = min(amount * 100 / budget, 100 - begin)
        if width > 0:
            parts.append(BarPart(kind, f"{begin:.2f}%", f"{width:.2f}%"))
            begin += width
    return tuple(parts)
