"""Ids that people give to profiles and definitions, and those that a name suggests."""

import re
from collections.abc import Collection
from typing import Final

_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
LONGEST_SLUG: Final = 63
# What is kept of an id that gets a number, so that the number has room.
NUMBERED_FROM: Final = 58
_NO_SLUG: Final = re.compile(r"[^a-z0-9]+")


def is_slug(slug: str) -> bool:
    """Whether it can be the id of a profile or a definition."""
    return bool(_SLUG.fullmatch(slug))


def slug_of(name: str) -> str:
    """The id that a name suggests: small letters, digits and hyphens, "" when none is left."""
    return _NO_SLUG.sub("-", name.lower()).strip("-")[:LONGEST_SLUG].strip("-")


def first_free(wanted: str, *, taken: Collection[str]) -> str:
    """The id itself, or the first of wanted-2, wanted-3, … that is not taken.

    `taken` has to hold every id that begins with the first `NUMBERED_FROM` characters of it.
    """
    if wanted not in taken:
        return wanted
    numbered = (f"{wanted[:NUMBERED_FROM]}-{at}" for at in range(2, len(taken) + 3))
    return next(one for one in numbered if one not in taken)
