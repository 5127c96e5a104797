"""Two bodies compared field by field, and three of them merged.

A field is a leaf of the body, or a list of plain values as a whole. Entries that have a name are
matched by it, so that a skill that moved is no change.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from fleets.domain.json_lines import Path
from fleets.domain.profile_schema.shapes import show_path

LONG_TEXT: Final = 100


class _Missing:
    """Stands for a field that is not there: null is a value of its own."""

    def __repr__(self) -> str:
        return "—"


MISSING: Final = _Missing()


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field that differs; `MISSING` where a side has none."""

    path: Path
    before: Any
    after: Any

    @property
    def shown_path(self) -> str:
        """The field as people write it."""
        return show_path(self.path)

    @property
    def is_long(self) -> bool:
        """Whether it is read better as a difference of texts."""
        sides = [one for one in (self.before, self.after) if isinstance(one, str)]
        return any(len(one) > LONG_TEXT or "\n" in one for one in sides)

    @property
    def shown_before(self) -> str:
        """The old value for a table cell."""
        return show_value(self.before)

    @property
    def shown_after(self) -> str:
        """The new value for a table cell."""
        return show_value(self.after)


def show_value(value: Any) -> str:
    """A value as text: strings as they are, everything else as JSON, a dash for nothing."""
    if value is MISSING:
        return "—"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def field_changes(before: Any, after: Any) -> tuple[FieldChange, ...]:
    """Every field that differs, in the order of the newer body."""
    return tuple(_changes(before, after, ()))


def count_fields(body: Any) -> int:
    """How many fields a body has."""
    return sum(1 for _ in _changes(MISSING, body, ()))


def _changes(before: Any, after: Any, path: Path) -> Iterator[FieldChange]:
    old = {} if before is MISSING else entries(before)
    new = {} if after is MISSING else entries(after)
    if old is None or new is None or not (old or new):
        if not same(before, after):
            yield FieldChange(path, before, after)
        return
    for key in [*new, *(key for key in old if key not in new)]:
        yield from _changes(old.get(key, MISSING), new.get(key, MISSING), (*path, key))


def entries(value: Any) -> Mapping[str | int, Any] | None:
    """What is below a value by name; None for a leaf."""
    if isinstance(value, Mapping):
        return {str(key): one for key, one in value.items()}
    if isinstance(value, list) and any(_is_large(one) for one in value):
        names = [_name(one) for one in value]
        if all(names) and len(set(names)) == len(names):
            return dict(zip(names, value, strict=True))
        return dict(enumerate(value))
    return None


def _is_large(value: Any) -> bool:
    """Whether an entry of a list is looked at by itself."""
    is_text = isinstance(value, str) and (len(value) > LONG_TEXT or "\n" in value)
    return is_text or isinstance(value, Mapping | list)


def same(before: Any, after: Any) -> bool:
    """Whether two values are the same JSON: 1 is not true."""
    if before is MISSING or after is MISSING:
        return before is after
    return _plain(before) == _plain(after)


def _plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _name(value: Any) -> str:
    if not isinstance(value, Mapping):
        return ""
    name = value.get("name") or value.get("path") or value.get("connectionId")
    return name if isinstance(name, str) else ""
