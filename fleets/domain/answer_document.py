"""Reads and writes the document of an answer's check, with the place of every mistake.

Strict: nothing unknown is passed over, nothing is converted.
"""

import difflib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from fleets.domain.answer_check import (
    DEFAULT_COMMAND_TIMEOUT_S,
    AnswerCheck,
    CheckKind,
    Shape,
)
from fleets.domain.answer_schema import schema_problems
from fleets.domain.credentials import find_credentials
from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.json_lines import Path, nodes
from fleets.domain.patterns import BadPattern, compile_pattern
from fleets.domain.profile_schema.shapes import kind_of, show_path
from fleets.domain.raw_keys import unstorable
from fleets.domain.spec_fields import shorten

PLACE: Final = "answer"
MAX_COMMAND_CHARS: Final = 2_000
MAX_COMMAND_TIMEOUT_S: Final = 600
MAX_FIELD_CHARS: Final = 200
_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "not_empty": (),
    "matches": ("pattern", "ignoreCase"),
    "field_equals": ("field", "value"),
    "command": ("command", "timeoutSeconds"),
    "person": (),
}


@dataclass(slots=True)
class _Reading:
    found: list[tuple[Path, str]] = field(default_factory=list)

    def note(self, path: Path, words: str) -> None:
        self.found.append((path, words))

    def closed(self, value: Mapping[str, Any], known: Collection[str], path: Path) -> None:
        for name in value:
            if name not in known:
                near = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.6)
                hint = f"Did you mean {near[0]}?" if near else f"Known are {', '.join(known)}."
                self.note((*path, shorten(str(name))), f"there is no such field. {hint}")


def read_answer_check(value: Any, *, place: str = PLACE) -> AnswerCheck:
    """Read the document. Raises InvalidInput with all problems, each `place.path: words`."""
    problems, check = answer_check_problems(value)
    if problems:
        raise InvalidInput(
            Problem(place, f"{_name(place, path)}: {words}") for path, words in problems
        )
    return check


def answer_check_problems(value: Any) -> tuple[list[tuple[Path, str]], AnswerCheck]:
    """What is wrong with a document, each with its path in it; and the check, once nothing is."""
    reading = _Reading()
    if not isinstance(value, Mapping):
        return [((), f"it is an object {{shape, schema, check}}, not {kind_of(value)}.")], (
            AnswerCheck()
        )
    reading.closed(value, ("shape", "schema", "check"), ())
    for path, one in nodes(value):
        words = unstorable(one) or (unstorable(path[-1]) if path else "")
        if words:
            reading.note(path, words)
    shape = _shape(value, reading)
    schema = _schema(value, shape, reading)
    kind, said = _check(value, reading)
    if kind is CheckKind.FIELD_EQUALS and shape is Shape.TEXT:
        reading.note(("shape",), "a field is looked for in JSON: say json or json_schema.")
    check = AnswerCheck(shape=shape, schema=schema, kind=kind, **_said(kind, said, reading))
    return reading.found, check


def answer_document(check: AnswerCheck) -> dict[str, Any]:
    """The document that reads as this check; nothing in it that was left out."""
    document: dict[str, Any] = {}
    if check.shape is not Shape.TEXT:
        document["shape"] = check.shape.value
    if check.shape is Shape.JSON_SCHEMA:
        document["schema"] = check.schema
    if check.kind is not CheckKind.NONE:
        document["check"] = dict(_check_fields(check))
    return document


def _check_fields(check: AnswerCheck) -> Iterator[tuple[str, Any]]:
    yield "kind", check.kind.value
    match check.kind:
        case CheckKind.MATCHES:
            yield "pattern", check.pattern
            if check.ignore_case:
                yield "ignoreCase", True
        case CheckKind.FIELD_EQUALS:
            yield "field", check.field
            yield "value", check.value
        case CheckKind.COMMAND:
            yield "command", check.command
            if check.command_timeout_s != DEFAULT_COMMAND_TIMEOUT_S:
                yield "timeoutSeconds", check.command_timeout_s


def _name(place: str, path: Path) -> str:
    below = show_path(path)
    return f"{place}.{below}" if below else place


def _shape(value: Mapping[str, Any], reading: _Reading) -> Shape:
    word = value.get("shape", Shape.TEXT.value)
    if isinstance(word, str) and word in {shape.value for shape in Shape}:
        return Shape(word)
    reading.note(("shape",), f"must be one of {', '.join(shape.value for shape in Shape)}.")
    return Shape.TEXT


def _schema(value: Mapping[str, Any], shape: Shape, reading: _Reading) -> Any:
    if shape is not Shape.JSON_SCHEMA:
        if "schema" in value:
            reading.note(("schema",), "a schema is read only where shape is json_schema.")
        return None
    if "schema" not in value:
        reading.note(("schema",), "is missing: the JSON Schema that answers must fit.")
        return None
    schema = value["schema"]
    for path, words in schema_problems(schema):
        reading.note(("schema", *path), words)
    return schema


def _check(value: Mapping[str, Any], reading: _Reading) -> tuple[CheckKind, Mapping[str, Any]]:
    if "check" not in value:
        return CheckKind.NONE, {}
    said = value["check"]
    if not isinstance(said, Mapping):
        reading.note(("check",), f"a check is an object {{kind, …}}, not {kind_of(said)}.")
        return CheckKind.NONE, {}
    kind = said.get("kind")
    if not isinstance(kind, str) or kind not in _FIELDS:
        reading.note(("check", "kind"), f"must be one of {', '.join(_FIELDS)}.")
        return CheckKind.NONE, {}
    reading.closed(said, ("kind", *_FIELDS[kind]), ("check",))
    return CheckKind(kind), said


def _said(kind: CheckKind, said: Mapping[str, Any], reading: _Reading) -> dict[str, Any]:
    match kind:
        case CheckKind.MATCHES:
            return _matches(said, reading)
        case CheckKind.FIELD_EQUALS:
            return _field_equals(said, reading)
        case CheckKind.COMMAND:
            return _command(said, reading)
    return {}


def _matches(said: Mapping[str, Any], reading: _Reading) -> dict[str, Any]:
    pattern = _filled(said, "pattern", reading)
    ignore_case = said.get("ignoreCase", False)
    if not isinstance(ignore_case, bool):
        reading.note(("check", "ignoreCase"), "must be true or false.")
    elif pattern:
        try:
            compile_pattern(pattern, ignore_case=ignore_case)
        except BadPattern as error:
            reading.note(("check", "pattern"), str(error))
    return {"pattern": pattern, "ignore_case": ignore_case is True}


def _field_equals(said: Mapping[str, Any], reading: _Reading) -> dict[str, Any]:
    name = _filled(said, "field", reading)
    if len(name) > MAX_FIELD_CHARS:
        reading.note(("check", "field"), f"at most {MAX_FIELD_CHARS} characters fit.")
    if "value" not in said:
        reading.note(("check", "value"), "is missing: what the field must be.")
    elif isinstance(said["value"], dict | list):
        reading.note(("check", "value"), "must be text, a number, true, false or null.")
    return {"field": name, "value": said.get("value")}


def _command(said: Mapping[str, Any], reading: _Reading) -> dict[str, Any]:
    command = _filled(said, "command", reading)
    if len(command) > MAX_COMMAND_CHARS:
        reading.note(("check", "command"), f"at most {MAX_COMMAND_CHARS:,} characters fit.")
    for find in find_credentials(command)[:1]:
        reading.note(("check", "command"), f"{find.form}. Name a secret of the machine instead.")
    seconds = said.get("timeoutSeconds", DEFAULT_COMMAND_TIMEOUT_S)
    is_whole = isinstance(seconds, int) and not isinstance(seconds, bool)
    if not is_whole or not 1 <= seconds <= MAX_COMMAND_TIMEOUT_S:
        words = f"must be a whole number from 1 to {MAX_COMMAND_TIMEOUT_S}."
        reading.note(("check", "timeoutSeconds"), words)
        seconds = DEFAULT_COMMAND_TIMEOUT_S
    return {"command": command, "command_timeout_s": seconds}


def _filled(said: Mapping[str, Any], name: str, reading: _Reading) -> str:
    value = said.get(name)
    if isinstance(value, str) and value.strip():
        return value
    words = "is missing." if name not in said else "must be text that is not empty."
    reading.note(("check", name), words)
    return ""
