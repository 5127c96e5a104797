"""Regular expressions that people write: compiled once, bounded in size; time is bounded in use.

What must repeat n times is compiled n times over: the bound is on that, not on what is written.
"""

import re
from functools import lru_cache
from math import prod
from typing import Final

import regex

MAX_PATTERN_CHARS: Final = 1_000
# About 3 MB once compiled.
MAX_UNROLLED: Final = 10_000
_TOKEN: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]?|\{(\d+)(?:,\d*)?\}|.", re.DOTALL)
_TIMES: Final = re.compile(r"\{(\d+)")
_VERBOSE: Final = re.compile(r"\(\?[a-zA-Z0-9]*[xX]")
_MOST_DIGITS: Final = 9


class BadPattern(ValueError):
    """No regular expression; the message says what is wrong with it, and where."""


@lru_cache(maxsize=256)
def compile_pattern(source: str, *, ignore_case: bool = False) -> "regex.Pattern[str]":
    """Compile a pattern; `^` and `$` are ends of lines. Raises `BadPattern`."""
    if len(source) > MAX_PATTERN_CHARS:
        raise BadPattern(
            f"The pattern has {len(source):,} characters; at most {MAX_PATTERN_CHARS:,} fit."
        )
    if unrolled(source) > MAX_UNROLLED:
        raise BadPattern(
            f"The pattern repeats too much: with every {{n}} written out, at most {MAX_UNROLLED:,}"
            " parts fit. An upper bound costs nothing: {1,5000}."
        )
    flags = regex.MULTILINE | (regex.IGNORECASE if ignore_case else 0)
    try:
        return regex.compile(source, flags)
    except (regex.error, OverflowError, RecursionError) as error:
        where = getattr(error, "pos", None)
        at = "" if where is None else f" at character {where + 1}"
        words = getattr(error, "msg", str(error) or "it is too deep")
        raise BadPattern(f"This is no regular expression: {words}{at}.") from None


def unrolled(source: str) -> int:
    """How many parts a pattern has with each `{n}` written out; rather too many than too few."""
    if _VERBOSE.search(source):
        # Its comments and spaces would mislead: as if every repetition were within the others.
        return len(source) * prod(_times(found[1]) for found in _TIMES.finditer(source))
    # For each open group: the parts before the newest, and the newest.
    groups = [[0, 0]]
    for found in _TOKEN.finditer(source):
        word = found.group()
        if found[1]:
            groups[-1][1] *= _times(found[1])
        elif word == "(":
            groups.append([0, 0])
        elif word == ")" and len(groups) > 1:
            _take(groups, sum(groups.pop()) + 1)
        else:
            _take(groups, 1)
    return sum(sum(group) for group in groups)


def _take(groups: list[list[int]], parts: int) -> None:
    group = groups[-1]
    group[0] += group[1]
    group[1] = parts


def _times(digits: str) -> int:
    is_short = digits.isascii() and len(digits.lstrip("0")) <= _MOST_DIGITS
    return max(1, int(digits[-_MOST_DIGITS:])) if is_short else 10**_MOST_DIGITS
