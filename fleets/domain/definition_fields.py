"""The fields of a definition's form: where each is in the document, and how it is written."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from fleets.domain.definition_tasks import tasks_text, tasks_value
from fleets.domain.placement_input import placement_of_json, placement_word

KINDS: Final = ("count", "matrix", "list", "machines")


class Kind(StrEnum):
    """How a value stands in its field."""

    TEXT = "text"
    WHOLE = "whole"
    TAGS = "tags"
    LINES = "lines"
    SWITCH = "switch"
    JSON = "json"
    PLACEMENT = "placement"
    FIELDS = "fields"
    TASKS = "tasks"


@dataclass(frozen=True, slots=True)
class Field:
    """A field and its place; a value of another kind than it expects is shown as JSON."""

    path: tuple[str, ...]
    kind: Kind = Kind.TEXT


_MATRIX: Final = ("agents", "matrix")
FIELDS: Final[Mapping[str, Field]] = {
    "name": Field(("name",)),
    "description": Field(("description",)),
    "tags": Field(("tags",), Kind.TAGS),
    "count": Field(("agents", "count"), Kind.WHOLE),
    "list": Field(("agents", "list"), Kind.JSON),
    "machines": Field(("agents", "machines"), Kind.WHOLE),
    "coordinator": Field(("agents", "coordinator"), Kind.SWITCH),
    "rows": Field((*_MATRIX, "rows")),
    "column_id": Field((*_MATRIX, "columns", "agentId")),
    "column_task": Field((*_MATRIX, "columns", "task")),
    "column_profile": Field((*_MATRIX, "columns", "profile")),
    "column_names": Field((*_MATRIX, "columns", "fields"), Kind.FIELDS),
    "rows_per_agent": Field((*_MATRIX, "rowsPerAgent"), Kind.WHOLE),
    "group_by": Field((*_MATRIX, "groupBy")),
    "row_text": Field((*_MATRIX, "rowText")),
    "tasks": Field(("tasks",), Kind.TASKS),
    "session": Field(("session",)),
    "message": Field(("message",)),
    "harness": Field(("harness",)),
    "model": Field(("model",)),
    "size": Field(("size",)),
    "placement": Field(("placement",), Kind.PLACEMENT),
    "budget": Field(("budgetUsd",)),
    "at_once": Field(("atOnce",)),
    "lifetime": Field(("lifetime",)),
    "task_timeout": Field(("taskTimeout",)),
    "after": Field(("afterwards",)),
    "after_delay": Field(("afterwardsDelay",)),
    "image": Field(("machine", "image")),
    "template": Field(("machine", "template")),
    "git_url": Field(("machine", "git", "url")),
    "git_ref": Field(("machine", "git", "ref")),
    "setup": Field(("machine", "setup", "command")),
    "setup_timeout": Field(("machine", "setup", "timeout")),
    "secrets": Field(("machine", "secrets"), Kind.TAGS),
    "domains": Field(("machine", "egress", "domains"), Kind.LINES),
    "implicit": Field(("machine", "egress", "includeImplicit"), Kind.SWITCH),
    "answer_shape": Field(("answer", "shape")),
    "answer_schema": Field(("answer", "schema"), Kind.JSON),
    "answer_check": Field(("answer", "check", "kind")),
    "answer_pattern": Field(("answer", "check", "pattern")),
    "answer_field": Field(("answer", "check", "field")),
    "answer_value": Field(("answer", "check", "value"), Kind.JSON),
    "answer_command": Field(("answer", "check", "command")),
}
# Places of numbered fields.
PREFIXES: Final = (
    (re.compile(r"agents\.matrix\.profiles\[([0-9]+)\]\.(name|harness|model|profile)"), "v{0}_{1}"),
    (re.compile(r"agents\.matrix\.profiles\[([0-9]+)\]"), "v{0}_profile"),
    (re.compile(r"machine\.files\[([0-9]+)\]\.(path|content)"), "f{0}_{1}"),
    (re.compile(r"machine\.files\[([0-9]+)\]"), "f{0}_path"),
    (re.compile(r"agents\.profile"), "profile"),
    (re.compile(r"tasks\[[0-9]+\]"), "tasks"),
)
# The fields of what machines get.
MACHINE_FIELD: Final = re.compile(
    "|".join(
        [
            *(name for name, one in FIELDS.items() if one.path[0] == "machine"),
            r"f[0-9]{1,3}_(?:path|content)",
        ]
    )
)
_SWITCHES: Final = {"yes": True, "no": False}


def place_of(path: tuple[str, ...]) -> str:
    """A path as problems name it."""
    return ".".join(path)


def field_text(value: Any, field: Field) -> str:
    """What stands in the field."""
    if value is None:
        return ""
    if field.kind is Kind.TAGS and _is_texts(value):
        return ", ".join(value)
    if field.kind is Kind.LINES and _is_texts(value):
        return "\n".join(value)
    if field.kind is Kind.SWITCH and isinstance(value, bool):
        return "yes" if value else "no"
    if field.kind is Kind.PLACEMENT:
        rule = placement_of_json(value)
        return placement_word(rule) if rule is not None else _raw(value)
    if field.kind is Kind.FIELDS and isinstance(value, Mapping) and _is_texts([*value.values()]):
        return "\n".join(f"{name}: {column}" for name, column in value.items())
    if field.kind is Kind.TASKS:
        return tasks_text(value)
    if field.kind is Kind.JSON:
        return json.dumps(value, ensure_ascii=False, indent=2)
    return _raw(value)


def field_value(text: str, field: Field) -> Any:
    """What a changed field means; None takes the place away. Never raises: the document is
    checked as a whole."""
    stripped = text.strip()
    if not stripped:
        return None
    match field.kind:
        case Kind.TAGS:
            return [one.strip() for one in stripped.split(",") if one.strip()]
        case Kind.LINES:
            return [one.strip() for one in re.split(r"[\n,]", stripped) if one.strip()]
        case Kind.SWITCH:
            return _SWITCHES.get(stripped, stripped)
        case Kind.WHOLE:
            digits = stripped.replace(",", "")
            return int(digits) if re.fullmatch(r"[0-9]{1,12}", digits) else stripped
        case Kind.PLACEMENT:
            return (
                {"agentsPerSandbox": int(stripped)}
                if re.fullmatch(r"[0-9]{1,4}", stripped)
                else stripped
            )
        case Kind.FIELDS:
            return _named_columns(stripped)
        case Kind.TASKS:
            return tasks_value(text)
        case Kind.JSON:
            return _json(stripped)
        case _:
            return text if "\n" in text else stripped


def _named_columns(text: str) -> Any:
    found = {}
    for line in text.splitlines():
        name, colon, column = line.partition(":")
        if line.strip():
            found[name.strip()] = column.strip() if colon else ""
    return found


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _raw(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
