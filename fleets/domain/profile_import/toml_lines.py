"""TOML that somebody wrote, read as the JSON it stands for, with the line of most places in it.

The parser tells no lines, so they are found again by reading headers and keys; inside a value that
goes over several lines a place has the line where that value begins.
"""

import datetime
import math
import re
import tomllib
from collections.abc import Iterator
from typing import Any, Final

from fleets.domain.errors import InvalidInput
from fleets.domain.json_lines import MAX_BYTES, MAX_DEPTH, Path, nodes
from fleets.domain.yaml_lines import YamlText

_LINE: Final = re.compile(r"line (\d+)")
_KEY: Final = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_KEYS: Final = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_HEADER: Final = re.compile(rf"[ \t]*(\[\[?)[ \t]*({_KEYS})[ \t]*\]")
_PAIR: Final = re.compile(rf"[ \t]*({_KEYS})[ \t]*=(.*)")
_ONE_KEY: Final = re.compile(_KEY)


def read_toml(text: str, *, place: str) -> YamlText:
    """Read a text of at most 1 MiB. Raises InvalidInput that names the line, no content."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise InvalidInput.at(place, "The file has more than 1 MiB: split it.")
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _LINE.search(str(error))
        line = found[1] if found else str(text.count("\n") + 1)
        twice = "Cannot" in str(error)
        words = "this name stands here a second time" if twice else "this is no TOML"
        raise InvalidInput.at(place, f"Line {line}: {words}.") from None
    except RecursionError:
        raise InvalidInput.at(place, "It is nested too deep.") from None
    if any(len(path) > MAX_DEPTH for path, _ in nodes(value)):
        raise InvalidInput.at(place, f"It is nested more than {MAX_DEPTH} levels deep.")
    return YamlText(_as_json(value), dict(_lines(text)))


def _as_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _as_json(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_as_json(one) for one in value]
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return math.inf
    return value


def _lines(text: str) -> Iterator[tuple[Path, int]]:
    table: Path = ()
    counts: dict[Path, int] = {}
    closing = ""
    for number, line in enumerate(text.split("\n"), 1):
        if closing:
            closing = "" if closing in line else closing
            continue
        header = _HEADER.match(line)
        pair = None if header else _PAIR.match(line)
        if header:
            table = _keys(header[2])
            if header[1] == "[[":
                at = counts[table] = counts.get(table, -1) + 1
                table = (*table, at)
            yield from ((table[:length], number) for length in range(1, len(table) + 1)[::-1])
        elif pair:
            yield (*table, *_keys(pair[1])), number
            closing = next((mark for mark in ('"""', "'''") if pair[2].count(mark) == 1), "")


def _keys(dotted: str) -> Path:
    return tuple(_unquoted(key) for key in _ONE_KEY.findall(dotted))


def _unquoted(key: str) -> str:
    if key.startswith('"'):
        return str(next(iter(tomllib.loads(f"{key} = 1"))))
    return key.strip("'")
