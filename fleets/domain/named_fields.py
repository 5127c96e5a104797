"""Shapes of a document that people write by hand: a wrong name is answered with the nearest one."""

import difflib
from collections.abc import Collection, Mapping
from typing import Any, Final

from fleets.domain.credentials import find_credentials
from fleets.domain.profile_schema.issues import Code, Issue, Path
from fleets.domain.profile_schema.shapes import Note, Rule, Shape, closed, kind_of
from fleets.domain.spec_fields import shorten

_CLOSE: Final = 0.5


def fields(
    known: Mapping[str, Shape], *, required: Collection[str] = (), rule: Rule | None = None
) -> Shape:
    """An object with these fields and no other; each unknown one is a problem at its own place."""
    shape = closed(known, required=required, rule=rule)

    def check(value: Any, path: Path, note: Note) -> Any:
        own: Note = []
        result = shape(value, path, own)
        for issue in own:
            if issue.code is Code.UNRECOGNIZED_KEYS and issue.path == path:
                note.extend(_unknown(key, path, known) for key in issue.keys)
            else:
                note.append(issue)
        return result

    return check


def choice(*words: str) -> Shape:
    """Exactly one of these words."""

    def check(value: Any, path: Path, note: Note) -> Any:
        if not isinstance(value, str):
            words_ = f"is one of {', '.join(words)}, not {kind_of(value)}"
            note.append(Issue(Code.INVALID_TYPE, path, words_))
        elif value not in words:
            note.append(Issue(Code.INVALID_VALUE, path, unknown_word(value, words)))
        return value

    return check


def line(*, most_chars: int) -> Shape:
    """One line of text that is not empty."""

    def check(value: Any, path: Path, note: Note) -> Any:
        words = ""
        if not isinstance(value, str):
            words = f"must be text, not {kind_of(value)}"
        elif not value.strip():
            words = "must not be empty"
        elif len(value) > most_chars:
            words = f"has {len(value):,} characters; at most {most_chars:,} fit"
        elif any(ord(char) < 0x20 or char == "\x7f" for char in value):
            words = "must be one line without control characters"
        if words:
            note.append(Issue(Code.CUSTOM, path, words))
        return value

    return check


def whole(*, least: int, most: int) -> Shape:
    """A whole number within bounds."""

    def check(value: Any, path: Path, note: Note) -> Any:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            words = f"must be a whole number from {least:,} to {most:,}"
            note.append(Issue(Code.CUSTOM, path, words))
        return value

    return check


def unknown_word(word: str, known: Collection[str]) -> str:
    """What to say of a word that is none of the known ones."""
    near = nearest(word, known)
    shown = "“…”" if find_credentials(word) else f"“{shorten(word)}”"
    listed = f"known are {', '.join(list(known)[:12])}"
    return f"{shown} is none; did you mean {near}?" if near else f"{shown} is none; {listed}"


def nearest(word: str, known: Collection[str]) -> str:
    """The known word that is most like it, "" where none is."""
    by_lower = {one.lower(): one for one in known}
    found = difflib.get_close_matches(word.strip().lower(), by_lower, n=1, cutoff=_CLOSE)
    return by_lower[found[0]] if found else ""


def _unknown(key: str, path: Path, known: Mapping[str, Shape]) -> Issue:
    near = nearest(key, known)
    hint = f"did you mean {near}?" if near else f"known are {', '.join(known)}"
    return Issue(Code.UNRECOGNIZED_KEYS, (*path, key), f"is no field here; {hint}")
