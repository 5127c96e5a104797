"""Placement as it is written: a word or a number in forms and rows, JSON in a file of agents."""

import re
from collections.abc import Mapping
from typing import Any, Final

from fleets.domain.errors import InvalidInput, Repair
from fleets.domain.placement import Auto, Dedicated, PerMachine, PlacementRule

MOST_PER_MACHINE: Final = 100
WORDS: Final[Mapping[str, PlacementRule]] = {"auto": Auto(), "dedicated": Dedicated()}
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)
_EXPECTED: Final = f"auto, dedicated, or how many agents share a machine (1 to {MOST_PER_MACHINE})"


def read_placement(text: str) -> PlacementRule:
    """A rule from a form or a command. Raises InvalidInput at `placement`."""
    word = text.strip().lower()
    if word in WORDS:
        return WORDS[word]
    if _NUMBER.fullmatch(word) and int(word) <= MOST_PER_MACHINE:
        return PerMachine(int(word))
    raise InvalidInput.at(
        "placement",
        f"Placement is {_EXPECTED}.",
        repair=Repair("Use auto", "placement", "auto"),
    )


def placement_of_json(value: Any) -> PlacementRule | None:
    """A rule as the platform writes it (contract 4.2); None when it is none."""
    if isinstance(value, str):
        return WORDS.get(value)
    if isinstance(value, dict) and value.keys() == {"agentsPerSandbox"}:
        agents = value["agentsPerSandbox"]
        is_whole = isinstance(agents, int) and not isinstance(agents, bool)
        if is_whole and 1 <= agents <= MOST_PER_MACHINE:
            return PerMachine(agents)
    return None


def placement_word(rule: PlacementRule | None) -> str:
    """How rows keep a rule: `auto`, `dedicated`, a number, "" for none of its own."""
    if rule is None:
        return ""
    if isinstance(rule, PerMachine):
        return str(rule.agents)
    return "dedicated" if isinstance(rule, Dedicated) else "auto"
