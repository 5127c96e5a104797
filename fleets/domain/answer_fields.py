"""What a good answer is, as the fields of a form: read into the one document, and back.

The fields: answer_shape, answer_schema, answer_check (a kind, "" for none), answer_pattern,
answer_field, answer_value (JSON, else text as it stands), answer_command. A field that the chosen
shape or check does not need is not read. Or the whole document as JSON in `answer`.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from fleets.domain.answer_check import AnswerCheck, CheckKind, Shape
from fleets.domain.answer_document import (
    PLACE,
    answer_check_problems,
    answer_document,
    read_answer_check,
)
from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.json_lines import Path, read_json
from fleets.domain.profile_schema.shapes import show_path

FIELDS: Final = (
    "answer_shape",
    "answer_schema",
    "answer_check",
    "answer_pattern",
    "answer_field",
    "answer_value",
    "answer_command",
)
_PLACES: Final[Mapping[str, str]] = {
    "kind": "answer_check",
    "pattern": "answer_pattern",
    "ignoreCase": "answer_pattern",
    "field": "answer_field",
    "value": "answer_value",
    "command": "answer_command",
    "timeoutSeconds": "answer_command",
}


def read_answer_fields(raw: Mapping[str, str]) -> AnswerCheck:
    """The check of a form. Raises InvalidInput with the problems at their fields."""
    whole = raw.get(PLACE, "").strip()
    if whole:
        return read_answer_check(read_json(whole, place=PLACE).value)
    document = _document(raw)
    problems, check = answer_check_problems(document)
    if problems:
        raise InvalidInput(Problem(_place(path), _words(path, words)) for path, words in problems)
    return check


def answer_fields(check: AnswerCheck) -> dict[str, str]:
    """The fields that read as this check."""
    document = answer_document(check)
    said = document.get("check", {})
    schema = document.get("schema")
    return {
        "answer_shape": check.shape.value,
        "answer_schema": "" if schema is None else json.dumps(schema, indent=1, ensure_ascii=False),
        "answer_check": check.kind.value,
        "answer_pattern": check.pattern,
        "answer_field": check.field,
        "answer_value": _value_text(check.value) if "value" in said else "",
        "answer_command": check.command,
    }


def _document(raw: Mapping[str, str]) -> dict[str, Any]:
    shape = raw.get("answer_shape", "").strip() or Shape.TEXT.value
    document: dict[str, Any] = {"shape": shape}
    if shape == Shape.JSON_SCHEMA:
        text = raw.get("answer_schema", "")
        if text.strip():
            document["schema"] = read_json(text, place="answer_schema").value
    kind = raw.get("answer_check", "").strip()
    if kind:
        document["check"] = {"kind": kind, **_said(kind, raw)}
    return document


def _said(kind: str, raw: Mapping[str, str]) -> dict[str, Any]:
    match kind:
        case CheckKind.MATCHES:
            return {"pattern": raw.get("answer_pattern", "")}
        case CheckKind.FIELD_EQUALS:
            value = raw.get("answer_value", "").strip()
            return {"field": raw.get("answer_field", "").strip(), "value": _json_or_text(value)}
        case CheckKind.COMMAND:
            return {"command": raw.get("answer_command", "").strip()}
    return {}


def _json_or_text(text: str) -> Any:
    try:
        return read_json(text, place="answer_value").value
    except InvalidInput:
        return text


def _value_text(value: Any) -> str:
    """Text as it stands, unless it would be read as something else."""
    if isinstance(value, str) and _json_or_text(value) == value:
        return value
    return json.dumps(value, ensure_ascii=False)


def _place(path: Path) -> str:
    if path[:1] == ("check",):
        return _PLACES.get(str(path[1]) if len(path) > 1 else "", "answer_check")
    return "answer_schema" if path[:1] == ("schema",) else "answer_shape"


def _words(path: Path, words: str) -> str:
    """With the place in a schema; the others are fields of their own."""
    below = show_path(path[1:]) if path[:1] == ("schema",) else ""
    sentence = f"{below}: {words}" if below else words
    return sentence[:1].upper() + sentence[1:] if not below else sentence
