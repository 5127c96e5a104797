"""Money: integers of nanodollars (nusd) inside, exact decimals at the edges, and how people see it.

1 USD = 1,000,000,000 nusd. Never a float. None means unknown and is shown as a dash, never as $0.
Used parts round up, what remains rounds down, single costs round half-even.
"""

from collections.abc import Sequence
from decimal import (
    ROUND_CEILING,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)
from typing import Final

NUSD_PER_USD: Final = 1_000_000_000
UNKNOWN: Final = "—"

_NUSD_DECIMALS: Final = 9
_MAX_DECIMALS: Final = 8
_MAX_COLUMN_DECIMALS: Final = 6
_CENT: Final = NUSD_PER_USD // 100
# The default context has 28 digits, too few for sums of very large columns.
_EXACT: Final = Context(prec=60, traps=[InvalidOperation, DivisionByZero, Overflow])


def nusd_to_usd(nusd: int) -> Decimal:
    """Exact dollars of an amount in nanodollars."""
    return Decimal(nusd).scaleb(-_NUSD_DECIMALS, _EXACT)


def usd_to_nusd(usd: Decimal, *, rounding: str | None = None) -> int:
    """Nanodollars of an exact amount in dollars.

    More than nine decimals are refused unless `rounding` (a `decimal.ROUND_…` constant) says how
    the rest is to go: the platform's JSON numbers may carry them, our own never do.
    Raises ValueError.
    """
    if not usd.is_finite():
        raise ValueError(f"not an amount of money: {usd}")
    scaled = usd.scaleb(_NUSD_DECIMALS, _EXACT)
    whole = scaled.to_integral_value(rounding or ROUND_HALF_EVEN, _EXACT)
    if rounding is None and whole != scaled:
        raise ValueError(f"more than {_NUSD_DECIMALS} decimals of a dollar: {usd}")
    return int(whole)


def usd_string(nusd: int) -> str:
    """The exact amount for JSON and CSV: "0.014123456", at least two decimals."""
    return _digits(nusd, decimals=_trimmed(nusd, least=2, most=_NUSD_DECIMALS), grouped=False)


def show(nusd: int | None) -> str:
    """A single cost, rounded half-even, with the precision that its size asks for."""
    return _shown(nusd, ROUND_HALF_EVEN)


def show_used(nusd: int | None) -> str:
    """A used part of a balance (spent, held, reserved): rounds up."""
    return _shown(nusd, ROUND_CEILING)


def show_remaining(nusd: int | None) -> str:
    """What a balance has left: rounds down, never promising money that is not there."""
    return _shown(nusd, ROUND_FLOOR)


def show_estimate(nusd: int | None) -> str:
    """An estimate, marked as one."""
    return UNKNOWN if nusd is None else f"~ {show(nusd)}"


def show_ceiling(nusd: int | None) -> str:
    """A worst case, marked as one; rounds up, so that it stays a ceiling."""
    return UNKNOWN if nusd is None else f"≤ {show_used(nusd)}"


def show_limit(nusd: int | None) -> str:
    """A limit somebody typed: every digit of it, at least two decimals."""
    if nusd is None:
        return UNKNOWN
    return _signed(nusd, _digits(abs(nusd), decimals=_trimmed(abs(nusd), least=2, most=9)))


def show_exact(nusd: int | None) -> str:
    """The full value, for hover, focus and copy: "$0.014123456"; no grouping, so that it pastes."""
    if nusd is None:
        return UNKNOWN
    return "$0" if nusd == 0 else _signed(nusd, usd_string(abs(nusd)))


def show_per_hour(nusd_per_hour: int | None) -> str:
    """A rate per hour: "$1.50/h"."""
    return UNKNOWN if nusd_per_hour is None else f"{show(nusd_per_hour)}/h"


def show_per_minute(nusd_per_minute: int | None) -> str:
    """A rate per minute: "$0.27/min"."""
    return UNKNOWN if nusd_per_minute is None else f"{show(nusd_per_minute)}/min"


def column_precision(values: Sequence[int | None]) -> int:
    """Decimals that a whole column uses, from two to six: as many as the cell that needs most.

    That is its smallest non-zero cell, unless that one is round and another is not.
    """
    known = [abs(value) for value in values if value]
    needed = [_decimals(value, ROUND_HALF_EVEN) for value in known]
    return min(_MAX_COLUMN_DECIMALS, max(needed, default=2))


def show_at_precision(nusd: int | None, *, decimals: int) -> str:
    """One cell of a column with that many decimals: "$0.0140" above "$0.0021"."""
    if nusd is None:
        return UNKNOWN
    if nusd == 0:
        return "$0"
    return _fixed(nusd, decimals=decimals, rounding=ROUND_HALF_EVEN)


def show_used_column(values: Sequence[int | None]) -> list[str]:
    """All cells of a column of used parts in the column's own precision, rounded up."""
    decimals = column_precision(values)
    return [
        _fixed(value, decimals=decimals, rounding=ROUND_CEILING) if value else show(value)
        for value in values
    ]


def show_column(values: Sequence[int | None]) -> list[str]:
    """All cells of a column in the column's own precision."""
    decimals = column_precision(values)
    return [show_at_precision(value, decimals=decimals) for value in values]


def _shown(nusd: int | None, rounding: str) -> str:
    if nusd is None:
        return UNKNOWN
    if nusd == 0:
        return "$0"
    return _fixed(nusd, decimals=_decimals(abs(nusd), rounding), rounding=rounding)


def _fixed(nusd: int, *, decimals: int, rounding: str) -> str:
    rounded = _round(nusd, decimals=decimals, rounding=rounding)
    if rounded == 0:
        return _too_small(nusd, decimals=decimals, rounding=rounding)
    return _signed(rounded, _digits(abs(rounded), decimals=decimals))


def _too_small(nusd: int, *, decimals: int, rounding: str) -> str:
    # Half a unit and more still counts as one; less is said to be less, and is never a zero.
    unit = 10 ** (_NUSD_DECIMALS - decimals)
    text = _digits(unit, decimals=decimals)
    is_less = rounding == ROUND_FLOOR or abs(nusd) * 2 < unit
    return f"< {_signed(nusd, text)}" if is_less and nusd > 0 else _signed(nusd, text)


def _decimals(amount: int, rounding: str) -> int:
    """Decimals that an amount above zero is shown with, once rounded: $0.00996 is $0.01."""
    if amount >= NUSD_PER_USD:
        return 2
    if amount >= _CENT:
        rounded = _round(amount, decimals=4, rounding=rounding)
        return _trimmed(rounded, least=2, most=4)
    leading_zeros = _NUSD_DECIMALS - len(str(amount))
    decimals = min(leading_zeros + 2, _MAX_DECIMALS)
    return 2 if _round(amount, decimals=decimals, rounding=rounding) >= _CENT else decimals


def _trimmed(nusd: int, *, least: int, most: int) -> int:
    """The fewest decimals, from `least` to `most`, that lose no digit the most would show."""
    decimals = most
    while decimals > least and nusd % 10 ** (_NUSD_DECIMALS - decimals + 1) == 0:
        decimals -= 1
    return decimals


def _round(nusd: int, *, decimals: int, rounding: str) -> int:
    usd = nusd_to_usd(nusd).quantize(Decimal(1).scaleb(-decimals), rounding, _EXACT)
    return usd_to_nusd(usd)


def _digits(nusd: int, *, decimals: int, grouped: bool = True) -> str:
    usd = nusd_to_usd(nusd).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN, _EXACT)
    return f"{usd:,f}" if grouped else f"{usd:f}"


def _signed(nusd: int, digits: str) -> str:
    return f"−${digits}" if nusd < 0 else f"${digits}"
