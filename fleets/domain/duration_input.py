"""Durations as people type them: "60 min", "7 h 30 m", "90 s", and a bare number of minutes."""

import re
from itertools import pairwise
from typing import Final

from fleets.domain.errors import InvalidInput, Repair
from fleets.domain.numbers import show_duration_s

_UNITS: Final = {
    "s": 1, "sec": 1, "second": 1, "seconds": 1,
    "m": 60, "min": 60, "minute": 60, "minutes": 60,
    "h": 3_600, "hour": 3_600, "hours": 3_600,
    "d": 86_400, "day": 86_400, "days": 86_400,
}  # fmt: skip
_PART: Final = re.compile(r"\s*([0-9]{1,9})\s*([a-z]*)\s*", re.ASCII)
_MAX_CHARS: Final = 40


def parse_duration_s(text: str, *, place: str, least_s: int, most_s: int) -> int:
    """Whole seconds; a bare number counts minutes. Raises InvalidInput outside the bounds."""
    total = _total_s(text.strip().lower())
    if total is None:
        raise InvalidInput.at(place, "That is no duration. Write it as 45 min, 90 s or 7 h 30 m.")
    if total < least_s:
        raise InvalidInput.at(
            place, f"At least {show_duration_s(least_s)}.", repair=_use(place, least_s)
        )
    if total > most_s:
        raise InvalidInput.at(
            place, f"At most {show_duration_s(most_s)}.", repair=_use(place, most_s)
        )
    return total


def _use(place: str, duration_s: int) -> Repair:
    shown = show_duration_s(duration_s)
    return Repair(f"Use {shown}", place, shown)


def _total_s(text: str) -> int | None:
    if not text or len(text) > _MAX_CHARS:
        return None
    parts: list[tuple[int, str]] = []
    end = 0
    while end < len(text):
        match = _PART.match(text, end)
        if match is None:
            return None
        parts.append((int(match[1]), match[2]))
        end = match.end()
    if len(parts) == 1 and not parts[0][1]:
        return parts[0][0] * _UNITS["min"]
    sizes = [_UNITS.get(unit, 0) for _, unit in parts]
    # Each unit once, from large to small: "30 m 7 h" and "5 5 min" are slips, not durations.
    if 0 in sizes or any(left <= right for left, right in pairwise(sizes)):
        return None
    return sum(number * size for (number, _), size in zip(parts, sizes, strict=True))
