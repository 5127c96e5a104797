"""Tokens, durations, memory, ids and times as people read them. None means unknown: a dash."""

import re
from typing import Final

from fleets.domain.money import UNKNOWN

_EXACT_TOKENS_BELOW: Final = 10_000
_MIB_PER_GIB: Final = 1_024
_SHORT_HEAD: Final = 10
_SHORT_TAIL: Final = 4


def show_count(count: int | None) -> str:
    """An exact count with groups: "10,000"."""
    return UNKNOWN if count is None else f"{count:,}"


def counted(count: int, noun: str) -> str:
    """A count with its noun: "1 machine", "1,200 agents"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def show_tokens(tokens: int | None) -> str:
    """Exact under 10,000 ("4,120"), else rounded to a tenth of k, M or G ("12.3k")."""
    if tokens is None:
        return UNKNOWN
    if tokens < _EXACT_TOKENS_BELOW:
        return f"{tokens:,}"
    for unit, letter in ((1_000, "k"), (1_000_000, "M")):
        tenths = (tokens * 10 + unit // 2) // unit
        if tenths < _EXACT_TOKENS_BELOW:
            return f"{tenths // 10}.{tenths % 10}{letter}"
    return f"{tokens / 1_000_000_000:,.1f}G"


def show_duration_s(duration_s: int | None) -> str:
    """A setting or a distance in whole seconds: "30 s", "30 min", "7 h 30 m", "2 h"."""
    if duration_s is None:
        return UNKNOWN
    minutes, seconds = divmod(duration_s, 60)
    hours, minutes_left = divmod(minutes, 60)
    if minutes == 0:
        return f"{seconds} s"
    if hours == 0:
        return f"{minutes} m {seconds:02} s" if seconds else f"{minutes} min"
    return f"{hours} h {minutes_left:02} m" if minutes_left else f"{hours} h"


def show_memory(memory_mib: int | None) -> str:
    """ "570 MiB", "3.5 GiB", "4 GiB"."""
    if memory_mib is None:
        return UNKNOWN
    if memory_mib < _MIB_PER_GIB:
        return f"{memory_mib} MiB"
    return f"{memory_mib / _MIB_PER_GIB:.1f}".removesuffix(".0") + " GiB"


def show_memory_use(used_mib: int, total_mib: int) -> str:
    """Used of total in one unit: "3.5 / 4.0 GiB"."""
    if total_mib < _MIB_PER_GIB:
        return f"{used_mib} / {total_mib} MiB"
    return f"{used_mib / _MIB_PER_GIB:.1f} / {total_mib / _MIB_PER_GIB:.1f} GiB"


def short_id(ident: str) -> str:
    """A long id shortened in the middle: "fleet-4b71…c826"; a short one as it is."""
    if len(ident) <= _SHORT_HEAD + _SHORT_TAIL + 1:
        return ident
    return f"{ident[:_SHORT_HEAD]}…{ident[-_SHORT_TAIL:]}"


def natural_key(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key that puts agent-2 before agent-10."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return tuple((0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts)
