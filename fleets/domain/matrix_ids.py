"""Ids of agents made from cells: legal on the platform, each given once."""

import re
import unicodedata
from typing import Final

from fleets.domain.ids import AGENT_ID

_LONGEST_ID: Final = 63
_NO_ID: Final = re.compile(r"[^A-Za-z0-9._-]+")


def legal_id(text: str) -> str:
    """The text as an agent's id, other characters replaced; "" where nothing is left of it."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return _NO_ID.sub("-", plain).strip("-._")[:_LONGEST_ID].rstrip("-._")


class Names:
    """Gives out ids, each once: what is taken gets a number."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def take(self, wanted: tuple[str, str]) -> str:
        """The id wanted (in two parts, the second kept whole), or the next one that is free."""
        own, suffix = wanted
        suffix = suffix[: _LONGEST_ID // 2]
        name = own[: _LONGEST_ID - len(suffix)] + suffix
        base, again = name, self._next.get(name, 1)
        while name in self._taken:
            again += 1
            number = f"-{again}"
            name = base[: _LONGEST_ID - len(number)] + number
        self._next[base] = again
        self._taken.add(name)
        assert AGENT_ID.fullmatch(name)
        return name
