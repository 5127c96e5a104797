"""JSON that somebody wrote: read with bounds, and with the line of every place in it."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from fleets.domain.errors import InvalidInput

Path = tuple[str | int, ...]

MAX_BYTES: Final = 1_024 * 1_024
MAX_DEPTH: Final = 100
# Longer than the largest number that JSON readers everywhere can hold.
LONGEST_INTEGER: Final = 400
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)

_OPENING: Final = frozenset("[{")
_CLOSING: Final = frozenset("]}")
_PUNCTUATION: Final = frozenset("]},:")


@dataclass(frozen=True)
class JsonText:
    """A value and the text it was read from."""

    text: str
    value: Any

    def line_of(self, path: Path) -> int:
        """The line (from 1) of a place, or of what is around it where it is missing."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    @cached_property
    def _lines(self) -> dict[Path, int]:
        lines: dict[Path, int] = {}
        for path, line in _places(self.text):
            lines.setdefault(path, line)
        return lines


def read_json(text: str, *, place: str) -> JsonText:
    """Read a text of at most 1 MiB. Raises InvalidInput that names line and column, no content."""
    text = text.removeprefix("\ufeff")
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise InvalidInput.at(place, f"The file has {size:,} bytes; at most 1 MiB fits.")
    twice: list[str] = []
    try:
        value = json.loads(
            text,
            object_pairs_hook=lambda pairs: _object(pairs, twice),
            parse_int=lambda digits: int(digits) if len(digits) < LONGEST_INTEGER else math.inf,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError as error:
        raise InvalidInput.at(
            place, f"Line {error.lineno}, column {error.colno}: this is no JSON ({error.msg})."
        ) from None
    except (RecursionError, ValueError) as error:
        words = str(error) if type(error) is ValueError else "It is nested too deep."
        raise InvalidInput.at(place, words) from None
    if _is_deep(value):
        raise InvalidInput.at(place, f"It is nested more than {MAX_DEPTH} levels deep.")
    if twice:
        raise InvalidInput.at(place, _said_twice(text))
    return JsonText(text, value)


def nodes(value: Any) -> Iterator[tuple[Path, Any]]:
    """Every place of a value with what is there, the value itself first."""
    waiting: list[tuple[Path, Any]] = [((), value)]
    while waiting:
        path, one = waiting.pop()
        yield path, one
        if isinstance(one, Mapping):
            waiting += [((*path, key), below) for key, below in one.items()]
        elif isinstance(one, list):
            waiting += [((*path, at), below) for at, below in enumerate(one)]


def _object(pairs: list[tuple[str, Any]], twice: list[str]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice.append("")
    return found


def _refuse_constant(_word: str) -> Any:
    raise ValueError("NaN and Infinity are no JSON.")


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        below = (
            one.values() if isinstance(one, Mapping) else one
            for one in level
            if isinstance(one, Mapping | list)
        )
        level = [deeper for found in below for deeper in found]
        if not level:
            return False
    return True


def _said_twice(text: str) -> str:
    seen: dict[Path, int] = {}
    for path, line in _places(text):
        if path in seen and path and isinstance(path[-1], str):
            return f"Line {line}: this name stands here a second time; first in line {seen[path]}."
        seen[path] = line
    return "The same name stands twice in one object."


def _places(text: str) -> Iterator[tuple[Path, int]]:
    """Paths of valid JSON in reading order, each with its line; a key's place is its name's."""
    path: list[str | int] = []
    is_key = False
    line, at = 1, 0
    for found in _TOKEN.finditer(text):
        line += text.count("\n", at, found.start())
        at = found.start()
        word = found.group()
        if is_key and word[0] == '"':
            path[-1] = json.loads(word)
            yield tuple(path), line
        elif word not in _PUNCTUATION and (not path or isinstance(path[-1], int)):
            yield tuple(path), line
        is_key = _step(path, word)


def _step(path: list[str | int], word: str) -> bool:
    """Move the path past a piece of text; whether a key comes next."""
    if word in _OPENING:
        path.append(0 if word == "[" else "")
        return word == "{"
    if word == ",":
        last = path[-1]
        if isinstance(last, int):
            path[-1] = last + 1
        return isinstance(last, str)
    if word in _CLOSING:
        path.pop()
    return False
