"""Building blocks of the schema: each takes a value, notes what is wrong, returns what passes.

Nothing is converted and nothing has a default. The one thing dropped is a `__proto__` key that a
closed object does not know: the public validator does not notice it either.
"""

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from fleets.domain.profile_schema.issues import Code, Issue, Path
from fleets.domain.profile_schema.texts import is_well_formed

Note = list[Issue]
Shape = Callable[[Any, Path, Note], Any]
Rule = Callable[[Any, Path, Note], None]

LARGEST_SAFE: Final = 9_007_199_254_740_991
_WORDS_SHOWN: Final = 20


def text(value: Any, path: Path, note: Note) -> Any:
    """Any text, the empty one included."""
    if not isinstance(value, str):
        note.append(Issue(Code.INVALID_TYPE, path, f"must be text, not {kind_of(value)}"))
    return value


def filled(value: Any, path: Path, note: Note) -> Any:
    """Text of at least one character."""
    if not isinstance(value, str):
        return text(value, path, note)
    if not value:
        note.append(Issue(Code.TOO_SMALL, path, "must not be empty"))
    return value


def boolean(value: Any, path: Path, note: Note) -> Any:
    """true or false."""
    if not isinstance(value, bool):
        note.append(Issue(Code.INVALID_TYPE, path, f"must be true or false, not {kind_of(value)}"))
    return value


def number(value: Any, path: Path, note: Note) -> Any:
    """A finite number."""
    if not is_number(value):
        note.append(Issue(Code.INVALID_TYPE, path, f"must be a number, not {kind_of(value)}"))
    return value


def above_zero(value: Any, path: Path, note: Note) -> Any:
    """A finite number greater than zero."""
    if not is_number(value):
        return number(value, path, note)
    if value <= 0:
        note.append(Issue(Code.TOO_SMALL, path, "must be greater than 0"))
    return value


def whole_above_zero(value: Any, path: Path, note: Note) -> Any:
    """A whole number from 1 to the largest that JSON carries exactly; `100.0` is whole."""
    if not is_number(value):
        return number(value, path, note)
    if value != int(value):
        note.append(Issue(Code.INVALID_TYPE, path, "must be a whole number"))
    elif value < 1:
        note.append(Issue(Code.TOO_SMALL, path, "must be at least 1"))
    elif value > LARGEST_SAFE:
        note.append(Issue(Code.TOO_BIG, path, f"must be at most {LARGEST_SAFE}"))
    return value


def one_of(*words: str) -> Shape:
    """Exactly one of these words."""
    known = ", ".join(words[:_WORDS_SHOWN])

    def check(value: Any, path: Path, note: Note) -> Any:
        if not isinstance(value, str) or value not in words:
            note.append(Issue(Code.INVALID_VALUE, path, f"must be one of {known}"))
        return value

    return check


def exactly(wanted: bool) -> Shape:  # noqa: FBT001  # the literal itself, not a switch
    """Exactly `true`, or exactly `false`."""

    def check(value: Any, path: Path, note: Note) -> Any:
        if value is not wanted:
            word = "true" if wanted else "false"
            note.append(Issue(Code.INVALID_VALUE, path, f"must be {word}, or left out"))
        return value

    return check


def list_of(item: Shape, *, least: int = 0) -> Shape:
    """A list of such items."""

    def check(value: Any, path: Path, note: Note) -> Any:
        if not isinstance(value, list):
            note.append(Issue(Code.INVALID_TYPE, path, f"must be a list, not {kind_of(value)}"))
            return value
        if len(value) < least:
            note.append(Issue(Code.TOO_SMALL, path, f"must hold at least {least}"))
        return [item(one, (*path, at), note) for at, one in enumerate(value)]

    return check


def record(item: Shape, *, rule: Rule | None = None) -> Shape:
    """An object whose keys the author chooses; `rule` runs over it once its shape is right."""

    def check(value: Any, path: Path, note: Note) -> Any:
        if not isinstance(value, Mapping):
            note.append(Issue(Code.INVALID_TYPE, path, f"must be an object, not {kind_of(value)}"))
            return value
        own: Note = []
        result = {}
        for key, one in value.items():
            if not is_well_formed(key):
                own.append(Issue(Code.INVALID_KEY, (*path, key), "half a character in a key"))
            result[key] = item(one, (*path, key), own)
        _then(rule, value, path, own)
        note.extend(own)
        return result

    return check


def closed(
    fields: Mapping[str, Shape], *, required: Collection[str] = (), rule: Rule | None = None
) -> Shape:
    """An object with these fields and no other; `rule` runs once its shape is right."""

    def check(value: Any, path: Path, note: Note) -> Any:
        if not isinstance(value, Mapping):
            note.append(Issue(Code.INVALID_TYPE, path, f"must be an object, not {kind_of(value)}"))
            return value
        own: Note = []
        result = {}
        for name, shape in fields.items():
            if name in value:
                result[name] = shape(value[name], (*path, name), own)
            elif name in required:
                own.append(Issue(Code.INVALID_TYPE, (*path, name), "is missing"))
        unknown = tuple(key for key in value if key not in fields and key != "__proto__")
        if unknown:
            words = "is no field" if len(unknown) == 1 else "are no fields"
            own.append(Issue(Code.UNRECOGNIZED_KEYS, path, f"{words} here", unknown))
        _then(rule, value, path, own)
        note.extend(own)
        return result

    return check


def either(*shapes: Shape, what: str) -> Shape:
    """One of several shapes. When exactly one fits in shape, what it misses is reported."""

    def check(value: Any, path: Path, note: Note) -> Any:
        tried: list[tuple[Any, Note]] = []
        for shape in shapes:
            own: Note = []
            result = shape(value, path, own)
            if not own:
                return result
            tried.append((result, own))
        fitting = [entry for entry in tried if not any(issue.breaks_shape for issue in entry[1])]
        if len(fitting) == 1:
            note.extend(fitting[0][1])
            return fitting[0][0]
        note.append(Issue(Code.INVALID_UNION, path, f"must be {what}{_nearest(tried, path)}"))
        return value

    return check


def _nearest(tried: list[tuple[Any, Note]], path: Path) -> str:
    """What the alternative misses that misses least: the likeliest to be meant."""
    first = min((own for _, own in tried), key=lambda own: (len(own), -len(own[0].path)))[0]
    below = first.path[len(path) :]
    if not below and not first.keys:
        return ""
    place = show_path(below)
    return f" (nearest: {place + ' ' if place else ''}{', '.join(first.keys)} {first.message})"


def opened(value: Any, path: Path, note: Note) -> Any:
    """An object of any JSON; only keys with half a character are refused."""
    return record(anything)(value, path, note)


def anything(value: Any, _path: Path, _note: Note) -> Any:
    """Any JSON."""
    return value


def is_number(value: Any) -> bool:
    """Whether it is a number that JSON could carry: finite, and no boolean."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def kind_of(value: Any) -> str:
    """The kind of a value in words, without the value."""
    if value is None:
        return "null"
    names = ((bool, "true or false"), (str, "text"), (Mapping, "an object"), (list, "a list"))
    return next((name for kind, name in names if isinstance(value, kind)), "a number")


def show_path(path: Path) -> str:
    """A path as people write it: `mcp.docs.args[0]`."""
    shown = ""
    for step in path:
        shown += f"[{step}]" if isinstance(step, int) else f".{step}" if shown else step
    return shown


def _then(rule: Rule | None, value: Any, path: Path, own: Note) -> None:
    if rule is not None and not any(issue.breaks_shape for issue in own):
        rule(value, path, own)
