"""Which changes between two bodies are read as text, and those texts beside each other."""

from collections.abc import Sequence
from dataclasses import dataclass

from fleets.domain.profile_diff import FieldChange
from fleets.domain.text_diff import TextDiff, text_diff


@dataclass(frozen=True, slots=True)
class ChangedText:
    """A field that is read as text, line by line."""

    path: str
    diff: TextDiff


def changed_texts(changes: Sequence[FieldChange]) -> list[ChangedText]:
    """Those of the changes that are read as text; a side that has none counts as empty."""
    return [_text(change) for change in changes if change.is_long]


def changed_source(before: str, after: str) -> list[ChangedText]:
    """Two sources as one changed text."""
    return [ChangedText("source", text_diff(before, after))]


def _text(change: FieldChange) -> ChangedText:
    sides = [one if isinstance(one, str) else "" for one in (change.before, change.after)]
    return ChangedText(change.shown_path, text_diff(*sides))
