"""YAML that somebody wrote, read as the JSON it stands for, with the line of every place in it.

Only what JSON can say is understood: no anchors, no merge keys, no tags of one's own. Dates stay
the text they were written as.
"""

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.composer import MaxDepthExceededError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from fleets.domain.errors import InvalidInput
from fleets.domain.json_lines import LONGEST_INTEGER, MAX_DEPTH, Path

# Reading YAML takes some ten times as long as JSON; a file this large was made by a program.
MAX_YAML_BYTES: Final = 128 * 1_024
_CORE: Final = "tag:yaml.org,2002:"
_DECIMAL: Final = re.compile(r"[-+]?[0-9]+")


@dataclass(frozen=True, slots=True)
class YamlText:
    """A value, and the lines of all places in it."""

    value: Any
    lines: dict[Path, int]

    def line_of(self, path: Path) -> int:
        """The line (from 1) of a place, or of what is around it where it is missing."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_yaml(text: str, *, place: str) -> YamlText:
    """Read a text of at most 128 KiB. Raises InvalidInput that names the line, no content."""
    with _reading(text, place=place) as yaml:
        node = yaml.compose(text)
    return _yaml_text(node, place=place)


def read_yaml_documents(text: str, *, place: str) -> tuple[YamlText, ...]:
    """The same for a text of several documents; those that are empty are left out."""
    with _reading(text, place=place) as yaml:
        nodes = [node for node in yaml.compose_all(text) if node is not None]
    read = (_yaml_text(node, place=place) for node in nodes)
    return tuple(one for one in read if one.value is not None)


@contextmanager
def _reading(text: str, *, place: str) -> Iterator[YAML]:
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_YAML_BYTES:
        raise InvalidInput.at(
            place, f"The file has {size:,} bytes; as YAML at most 128 KiB fit. Write it as JSON."
        )
    try:
        yaml = YAML(typ="safe", pure=True)
        # What is deeper is refused below with its line; far deeper would take seconds to read.
        yaml.max_depth = MAX_DEPTH + 2
        yield yaml
    except MaxDepthExceededError as error:
        line = f"Line {error.problem_mark.line + 1}" if error.problem_mark else "Line 1"
        words = f"{line}: it is nested more than {MAX_DEPTH} levels deep."
        raise InvalidInput.at(place, words) from None
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f"Line {mark.line + 1}" if mark else "Line 1"
        raise InvalidInput.at(place, f"{line}: this is neither JSON nor YAML.") from None
    except (YAMLError, ValueError, RecursionError):
        raise InvalidInput.at(place, "Line 1: this is neither JSON nor YAML.") from None


def _yaml_text(node: Node | None, *, place: str) -> YamlText:
    reading = _Reading(place)
    value = None if node is None else reading.value(node, ())
    return YamlText(value, reading.lines)


@dataclass(slots=True)
class _Reading:
    place: str
    lines: dict[Path, int] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)

    def value(self, node: Node, path: Path) -> Any:
        line = node.start_mark.line + 1
        self.lines.setdefault(path, line)
        if id(node) in self.seen:
            self._refuse(self.lines[path], "an alias (*) is not understood here: write it out.")
        self.seen.add(id(node))
        if len(path) > MAX_DEPTH:
            self._refuse(line, f"it is nested more than {MAX_DEPTH} levels deep.")
        if isinstance(node, SequenceNode):
            return [self.value(one, (*path, at)) for at, one in enumerate(node.value)]
        if isinstance(node, MappingNode):
            return self._object(node, path)
        return self._scalar(node, line)

    def _object(self, node: MappingNode, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, one in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, ScalarNode) or str(key.tag) != f"{_CORE}str":
                self._refuse(line, "a name must be plain text.")
            if key.value in found:
                self._refuse(line, "this name stands here a second time.")
            self.lines[(*path, key.value)] = line
            found[key.value] = self.value(one, (*path, key.value))
        return found

    def _scalar(self, node: Node, line: int) -> Any:
        text, kind = str(node.value), str(node.tag).removeprefix(_CORE)
        if kind in ("str", "timestamp"):
            return text
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() == "true"
        if kind in ("int", "float"):
            return _number(text)
        return self._refuse(line, "a tag (!) is not understood here.")

    def _refuse(self, line: int, words: str) -> Any:
        raise InvalidInput.at(self.place, f"Line {line}: {words}")


def _number(text: str) -> Any:
    digits = text.replace("_", "")
    if len(digits) >= LONGEST_INTEGER:
        return math.inf
    if _DECIMAL.fullmatch(digits):
        return int(digits)
    if digits.lower().lstrip("+-") in (".inf", ".nan"):
        return math.inf
    try:
        return float(digits)
    except ValueError:
        pass
    try:
        return int(digits, 0)
    except ValueError:
        return text
