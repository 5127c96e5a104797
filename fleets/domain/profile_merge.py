"""Two people's changes to one profile brought together, field by field.

What only one of them changed is taken. What both changed, differently, is a conflict that a person
decides; until then the newer revision's value stands.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from fleets.domain.json_lines import Path
from fleets.domain.profile_diff import MISSING, entries, same, show_value
from fleets.domain.profile_schema.shapes import show_path


class Choice(StrEnum):
    """Whose value a conflict gets."""

    MINE = "mine"
    THEIRS = "theirs"


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """A field that both changed, each from `base`; `MISSING` where a side has none."""

    path: Path
    base: Any
    mine: Any
    theirs: Any
    chosen: Choice | None

    @property
    def key(self) -> str:
        """The name by which a form tells the choice."""
        return path_key(self.path)

    @property
    def shown_path(self) -> str:
        """The field as people write it."""
        return show_path(self.path)

    @property
    def shown(self) -> tuple[str, str, str]:
        """Base, mine and theirs as text."""
        return show_value(self.base), show_value(self.mine), show_value(self.theirs)


@dataclass(frozen=True, slots=True)
class Merge:
    """The merged body, and every conflict with what was chosen for it."""

    body: Any
    conflicts: tuple[MergeConflict, ...]

    @property
    def is_decided(self) -> bool:
        """Whether nothing is left to choose."""
        return all(one.chosen for one in self.conflicts)


def path_key(path: Path) -> str:
    """A path as one word."""
    return json.dumps(path, ensure_ascii=True, separators=(",", ":"))


def merge(
    base: Any, *, mine: Any, theirs: Any, choices: Mapping[str, Choice] | None = None
) -> Merge:
    """Bring `mine` and `theirs`, both started from `base`, together."""
    work = _Work(choices or {})
    body = work.value(base, mine, theirs, ())
    return Merge(body, tuple(work.conflicts))


@dataclass(slots=True)
class _Work:
    choices: Mapping[str, Choice]
    conflicts: list[MergeConflict] = field(default_factory=list)

    def value(self, base: Any, mine: Any, theirs: Any, path: Path) -> Any:
        if same(mine, theirs) or same(base, mine):
            return theirs
        if same(base, theirs):
            return mine
        both_lists = isinstance(mine, list) and isinstance(theirs, list)
        if both_lists or (isinstance(mine, Mapping) and isinstance(theirs, Mapping)):
            sides = [_named(one, is_list=both_lists) for one in (base, mine, theirs)]
            if None not in sides:
                return self._below(sides, path, is_list=both_lists)
        conflict = MergeConflict(path, base, mine, theirs, self.choices.get(path_key(path)))
        self.conflicts.append(conflict)
        return mine if conflict.chosen is Choice.MINE else theirs

    def _below(self, sides: list[Any], path: Path, *, is_list: bool) -> Any:
        base, mine, theirs = sides
        found = {}
        for key in [*theirs, *(key for key in mine if key not in theirs)]:
            old, own, other = (side.get(key, MISSING) for side in (base, mine, theirs))
            value = self.value(old, own, other, (*path, key))
            if value is not MISSING:
                found[key] = value
        return list(found.values()) if is_list else found


def _named(value: Any, *, is_list: bool) -> Mapping[str | int, Any] | None:
    """What is below by name; None where entries of a list have none to be matched by."""
    if value is MISSING or (is_list and value == []):
        return {}
    if isinstance(value, list) != is_list:
        return {}
    found = entries(value)
    if found is None or any(isinstance(key, int) for key in found):
        return None
    return found
