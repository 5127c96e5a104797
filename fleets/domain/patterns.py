"""Regular expressions that people write: compiled once, bounded in size; time is bounded in use."""

from functools import lru_cache
from typing import Final

import regex

MAX_PATTERN_CHARS: Final = 1_000


class BadPattern(ValueError):
    """No regular expression; the message says what is wrong with it, and where."""


@lru_cache(maxsize=256)
def compile_pattern(source: str, *, ignore_case: bool = False) -> "regex.Pattern[str]":
    """Compile a pattern; `^` and `$` are ends of lines. Raises `BadPattern`."""
    if len(source) > MAX_PATTERN_CHARS:
        raise BadPattern(
            f"The pattern has {len(source):,} characters; at most {MAX_PATTERN_CHARS:,} fit."
        )
    flags = regex.MULTILINE | (regex.IGNORECASE if ignore_case else 0)
    try:
        return regex.compile(source, flags)
    except (regex.error, OverflowError, RecursionError) as error:
        where = getattr(error, "pos", None)
        at = "" if where is None else f" at character {where + 1}"
        words = getattr(error, "msg", str(error) or "it is too deep")
        raise BadPattern(f"This is no regular expression: {words}{at}.") from None
