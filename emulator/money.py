"""Money on the wire: JSON numbers in USD, written exactly; integers of nanodollars inside."""

import json
import re
from decimal import Decimal
from typing import Any

NUSD_PER_USD = 1_000_000_000
_MARK = "\ue000"
_MARKED = re.compile(f'"{_MARK}([-0-9.]+){_MARK}"')


class Usd:
    """An amount that `dumps` writes as an exact JSON number."""

    __slots__ = ("nusd",)

    def __init__(self, nusd: int) -> None:
        self.nusd = nusd


def usd_or_none(nusd: int | None) -> Usd | None:
    return None if nusd is None else Usd(nusd)


def usd_text(nusd: int) -> str:
    """`250000000` → `0.25`."""
    sign = "-" if nusd < 0 else ""
    whole, fraction = divmod(abs(nusd), NUSD_PER_USD)
    digits = f"{fraction:09d}".rstrip("0")
    return f"{sign}{whole}.{digits}" if digits else f"{sign}{whole}"


def to_nusd(amount: int | Decimal) -> int | None:
    """Nanodollars of an amount in USD; None when it is finer than one nanodollar."""
    scaled = Decimal(amount) * NUSD_PER_USD
    nusd = int(scaled)
    return nusd if nusd == scaled else None


def dumps(value: Any) -> str:
    """Compact JSON in which `Usd` and `Decimal` are plain numbers without float noise."""
    text = json.dumps(value, default=_marked, separators=(",", ":"), ensure_ascii=False)
    return _MARKED.sub(r"\1", text) if _MARK in text else text


def loads(text: str | bytes) -> Any:
    """JSON with exact numbers; raises ValueError for NaN and infinities."""
    return json.loads(text, parse_float=Decimal, parse_constant=_no_constant)


def _marked(value: object) -> str:
    if isinstance(value, Usd):
        return f"{_MARK}{usd_text(value.nusd)}{_MARK}"
    if isinstance(value, Decimal):
        return f"{_MARK}{value:f}{_MARK}"
    raise TypeError(f"not JSON: {type(value).__name__}")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
