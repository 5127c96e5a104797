"""The shape of a definition's document: which fields there are, and what each may hold."""

from typing import Any, Final

from fleets.domain.errors import InvalidInput
from fleets.domain.ids import MAX_AGENTS
from fleets.domain.machine_needs import NEEDS
from fleets.domain.matrix import MAX_VARIANTS
from fleets.domain.named_fields import fields, line, whole
from fleets.domain.only_machines import MAX_MACHINES
from fleets.domain.placement_input import placement_of_json, read_placement
from fleets.domain.profile_schema.issues import Code, Issue, Path
from fleets.domain.profile_schema.shapes import (
    Note,
    Shape,
    anything,
    boolean,
    is_number,
    kind_of,
    list_of,
    record,
    text,
)
from fleets.domain.spec import MAX_NAME_CHARS
from fleets.domain.spec_fields import MAX_PROMPT_BYTES

MAX_HEADER_CHARS: Final = 80
MAX_DESCRIPTION_CHARS: Final = 500
DIGEST_CHARS: Final = 32


def _amount(value: Any, path: Path, note: Note) -> Any:
    """Text as people type amounts, or a number; what it means is read later."""
    if value is not None and not isinstance(value, str) and not is_number(value):
        words = f'is dollars such as "3.00", or null for none, not {kind_of(value)}'
        note.append(Issue(Code.INVALID_TYPE, path, words))
    return value


def _typed(example: str) -> Shape:
    """Text as people type it in the form, or a whole number."""

    def check(value: Any, path: Path, note: Note) -> Any:
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole and not isinstance(value, str):
            words = f"is text such as “{example}”, not {kind_of(value)}"
            note.append(Issue(Code.INVALID_TYPE, path, words))
        return value

    return check


def _placement(value: Any, path: Path, note: Note) -> Any:
    try:
        if isinstance(value, dict) and placement_of_json(value) is None:
            raise InvalidInput.at("placement", "")
        if not isinstance(value, dict):
            read_placement(str(value))
    except InvalidInput:
        words = "is auto, dedicated, or {“agentsPerSandbox”: how many share a machine}"
        note.append(Issue(Code.CUSTOM, path, words))
    return value


def _rows(value: Any, path: Path, note: Note) -> Any:
    is_digest = (
        isinstance(value, str)
        and len(value) == DIGEST_CHARS
        and all(char in "0123456789abcdef" for char in value)
    )
    if value != "ask" and not is_digest:
        words = "is “ask” (rows come with each launch) or the mark of rows that are stored here"
        note.append(Issue(Code.CUSTOM, path, words))
    return value


def _bounded(item: Shape, *, most: int, what: str, least: int = 0) -> Shape:
    shape = list_of(item, least=least)

    def check(value: Any, path: Path, note: Note) -> Any:
        if isinstance(value, list) and len(value) > most:
            words = f"has {len(value):,} {what}; at most {most:,} fit"
            note.append(Issue(Code.TOO_BIG, path, words))
            return value
        return shape(value, path, note)

    return check


def _short(most_bytes: int) -> Shape:
    def check(value: Any, path: Path, note: Note) -> Any:
        text(value, path, note)
        if isinstance(value, str) and len(value.encode("utf-8", "replace")) > most_bytes:
            note.append(Issue(Code.TOO_BIG, path, f"is longer than {most_bytes:,} bytes"))
        return value

    return check


_HEADER: Final = line(most_chars=MAX_HEADER_CHARS)
# Harness, model, profile and placement are read as those of a file of agents.
_VARIANT: Final = fields(
    {
        "name": line(most_chars=40),
        "profile": anything,
        "harness": anything,
        "model": anything,
        "placement": anything,
    }
)
_MATRIX: Final = fields(
    {
        "profiles": _bounded(_VARIANT, most=MAX_VARIANTS, what="profiles"),
        "rows": _rows,
        "columns": fields(
            {
                "agentId": _HEADER,
                "task": _HEADER,
                "profile": _HEADER,
                "fields": record(_HEADER),
            }
        ),
        "rowsPerAgent": whole(least=1, most=MAX_AGENTS),
        "groupBy": _HEADER,
        "rowText": _short(MAX_PROMPT_BYTES),
    }
)
# The ways to say which agents there are; a document uses one.
AGENTS: Final = ("count", "list", "matrix", "machines")
DOCUMENT: Final = fields(
    {
        "name": line(most_chars=MAX_NAME_CHARS),
        "description": _short(MAX_DESCRIPTION_CHARS),
        "agents": fields(
            {
                "count": whole(least=1, most=MAX_AGENTS),
                "profile": anything,
                "list": _bounded(anything, most=MAX_AGENTS, what="agents", least=1),
                "matrix": _MATRIX,
                "machines": whole(least=1, most=MAX_MACHINES),
                "coordinator": boolean,
            }
        ),
        "tasks": anything,
        "session": text,
        "message": _short(MAX_PROMPT_BYTES),
        "harness": text,
        "model": text,
        "size": text,
        "placement": _placement,
        "budgetUsd": _amount,
        "atOnce": _typed("auto"),
        "lifetime": _typed("60 min"),
        "taskTimeout": _typed("10 min"),
        "afterwards": text,
        "afterwardsDelay": _typed("30 min"),
        "tags": list_of(line(most_chars=40)),
        "machine": NEEDS,
        "answer": anything,
    },
    required=("name", "agents"),
)
