"""A fleet's money at a moment, as a balance that adds up, and how fast it goes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

BURN_WINDOW_S: Final = 120
_WHOLE_BP: Final = 10_000
# A meter that charges in steps may show the machines' own cost a little too high.
_MACHINES_ALONE_PERCENT: Final = 150


@dataclass(frozen=True, slots=True)
class BarPart:
    """A part of the spend bar. `start_bp` and `width_bp` are hundredths of a percent."""

    name: str
    nusd: int
    start_bp: int
    width_bp: int

    @property
    def x(self) -> str:
        """Where it starts, for an SVG attribute."""
        return _percent(self.start_bp)

    @property
    def width(self) -> str:
        """How wide it is, for an SVG attribute."""
        return _percent(self.width_bp)


@dataclass(frozen=True, slots=True)
class Balance:
    """Spent + held + reserved + remaining = budget, unless more was spent than the budget.

    `spent` already has the spend of the children in it. `held` is what calls in flight hold:
    derived, as the platform gives no such figure (contract row 30), None when it cannot be known.
    """

    budget_nusd: int
    spent_nusd: int
    reserved_nusd: int
    remaining_nusd: int
    held_nusd: int | None

    @property
    def over_nusd(self) -> int:
        """What was spent or promised beyond the budget."""
        used = self.spent_nusd + self.reserved_nusd + (self.held_nusd or 0)
        return max(0, used - self.budget_nusd)

    def bar(self) -> tuple[BarPart, ...]:
        """The parts of the bar from left to right; their widths add up to exactly 100 %."""
        parts = (
            ("spent", self.spent_nusd),
            ("held", self.held_nusd or 0),
            ("reserved", self.reserved_nusd),
            ("remaining", self.remaining_nusd),
        )
        widths = _shares([nusd for _, nusd in parts])
        starts = [sum(widths[:index]) for index in range(len(parts))]
        return tuple(
            BarPart(name, nusd, start, width)
            for (name, nusd), start, width in zip(parts, starts, widths, strict=True)
        )


def balance(
    *,
    budget_nusd: int | None,
    spent_nusd: int | None,
    reserved_nusd: int | None,
    remaining_nusd: int | None,
) -> Balance | None:
    """The balance from the figures of the key; None without a budget or before a first reading.

    Held is what the other figures leave over of the budget; without the platform's own remainder
    it is unknown, and the remainder is then only what is neither spent nor reserved.
    """
    if budget_nusd is None or spent_nusd is None:
        return None
    reserved = reserved_nusd or 0
    left = max(0, budget_nusd - spent_nusd - reserved)
    remaining = left if remaining_nusd is None else min(left, max(0, remaining_nusd))
    return Balance(
        budget_nusd=budget_nusd,
        spent_nusd=spent_nusd,
        reserved_nusd=reserved,
        remaining_nusd=remaining,
        held_nusd=None if remaining_nusd is None else left - remaining,
    )


def tells_of_calls(burn_nusd_per_min: int, *, machines_nusd_per_hour: int) -> bool:
    """Whether a rate is more than machines cost by themselves, so that calls have settled in it."""
    return burn_nusd_per_min * 60 * 100 > machines_nusd_per_hour * _MACHINES_ALONE_PERCENT


@dataclass(frozen=True, slots=True)
class SpendReading:
    """What had been spent when the platform was asked."""

    at: datetime
    spent_nusd: int


def burn_nusd_per_min(readings: Sequence[SpendReading], *, now: datetime) -> int | None:
    """How fast money goes, from the readings of the last two minutes; None with fewer than two."""
    since = now - timedelta(seconds=BURN_WINDOW_S)
    recent = sorted((r for r in readings if r.at >= since), key=lambda reading: reading.at)
    if len(recent) < 2:
        return None
    span = recent[-1].at - recent[0].at
    if not span:
        return None
    gained = max(0, recent[-1].spent_nusd - recent[0].spent_nusd)
    return (
        gained
        * timedelta(minutes=1)
        // timedelta(microseconds=1)
        // (span // timedelta(microseconds=1))
    )


def out_in_s(remaining_nusd: int, *, burn_nusd_per_min: int | None) -> int | None:
    """Seconds until nothing remains at this rate; None when nothing burns, or nobody knows."""
    if not burn_nusd_per_min:
        return None
    return max(0, remaining_nusd) * 60 // burn_nusd_per_min


def _shares(amounts: Sequence[int]) -> list[int]:
    """Basis points of each amount, by largest remainder, so that they add up to the whole."""
    whole = sum(amounts)
    if whole == 0:
        return [0] * (len(amounts) - 1) + [_WHOLE_BP]
    shares = [amount * _WHOLE_BP // whole for amount in amounts]
    by_rest = sorted(range(len(amounts)), key=lambda i: (-(amounts[i] * _WHOLE_BP % whole), i))
    for index in by_rest[: _WHOLE_BP - sum(shares)]:
        shares[index] += 1
    return shares


def _percent(basis_points: int) -> str:
    return f"{basis_points // 100}.{basis_points % 100:02}%"
