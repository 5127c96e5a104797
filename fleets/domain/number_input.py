"""Whole numbers as addresses and forms bring them."""

from typing import Final

_MOST_DIGITS: Final = 9


def parse_whole(text: str, *, most_digits: int = _MOST_DIGITS) -> int | None:
    """The number that ASCII digits alone write, at most so many; None for anything else.

    `int` takes more: signs, spaces, underscores, digits of other scripts, numbers no column holds.
    """
    is_number = text.isascii() and text.isdigit() and len(text) <= most_digits
    return int(text) if is_number else None


def parse_revision(text: str) -> int | None:
    """The number of a revision, with or without its r: "r12" and "12"."""
    return parse_whole(text.removeprefix("r"))
