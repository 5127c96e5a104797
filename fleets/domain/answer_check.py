"""What a good answer is: its shape and one check, and what becomes of an answer by them.

One JSON document says it, in a fleet, a definition, or beside an example of a profile:

    {"shape": "text" | "json" | "json_schema", "schema": {…}, "check": {"kind": …}}

Checks: `not_empty`; `matches` {pattern, ignoreCase?}; `field_equals` {field, value}; `command`
{command, timeoutSeconds?} (exits 0 on the agent's machine); `person`. Everything may be left out:
`{}` asks for nothing, and its answers are unchecked.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from fleets.domain.answer_schema import first_mistake
from fleets.domain.answer_text import NoJson, json_of
from fleets.domain.patience import OutOfPatience, Patience
from fleets.domain.patterns import compile_pattern

DEFAULT_COMMAND_TIMEOUT_S: Final = 60
# What is looked at; a longer answer is judged by its beginning where a pattern is asked for.
MOST_CHARS: Final = 200_000
REASON_CHARS: Final = 300
_ONE_ANSWER_S: Final = 0.25
_VALUE_SHOWN: Final = 60


class Shape(StrEnum):
    """What an answer is made of."""

    TEXT = "text"
    JSON = "json"
    JSON_SCHEMA = "json_schema"


class CheckKind(StrEnum):
    """How it is decided whether an answer is good."""

    NONE = ""
    NOT_EMPTY = "not_empty"
    MATCHES = "matches"
    FIELD_EQUALS = "field_equals"
    COMMAND = "command"
    PERSON = "person"


class Verdict(StrEnum):
    """What became of an answer. The waiting ones are still to be decided, by whom they say."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    UNCHECKED = "unchecked"
    WAITING_COMMAND = "waiting_command"
    WAITING_PERSON = "waiting_person"


WAITING_VERDICTS: Final = (Verdict.WAITING_COMMAND, Verdict.WAITING_PERSON)


@dataclass(frozen=True, slots=True)
class AnswerCheck:
    """The document, read. Only what its `kind` needs is filled in."""

    shape: Shape = Shape.TEXT
    schema: Mapping[str, Any] | None = None
    kind: CheckKind = CheckKind.NONE
    pattern: str = ""
    ignore_case: bool = False
    field: str = ""
    value: Any = None
    command: str = ""
    command_timeout_s: int = DEFAULT_COMMAND_TIMEOUT_S

    @property
    def asks_nothing(self) -> bool:
        """Whether every answer stays unchecked."""
        return self.shape is Shape.TEXT and self.kind is CheckKind.NONE


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with its reason: one sentence of at most 300 characters, "" where none is needed.

    A reason may quote the answer: it is hostile text.
    """

    verdict: Verdict
    reason: str = ""


def judge(check: AnswerCheck, answer: str, *, patience: Patience) -> Judgement:
    """What becomes of an answer: by its shape first, then by the check.

    `waiting_command` and `waiting_person` mean that nothing is against it so far. An answer that
    cannot be judged within the patience stays unchecked.
    """
    if check.asks_nothing:
        return Judgement(Verdict.UNCHECKED)
    try:
        return _judge(check, answer, patience=patience.at_most(_ONE_ANSWER_S))
    except OutOfPatience:
        return Judgement(Verdict.UNCHECKED, "It took too long to check this answer.")


def command_judgement(exit_code: int | None, *, words: str = "") -> Judgement:
    """What a check by command came to; `exit_code` None: it could not be run, `words` say why."""
    if exit_code is None:
        return _judgement(Verdict.UNCHECKED, f"The command could not be run: {words}")
    if exit_code == 0:
        return Judgement(Verdict.ACCEPTED, "The command exited 0.")
    told = f": {words}" if words else "."
    return _judgement(Verdict.REFUSED, f"The command exited {exit_code}{told}")


def words_of(check: AnswerCheck) -> str:
    """The check in one line, for people: "JSON by a schema, and verdict is \"ok\"" ."""
    shape = {Shape.TEXT: "", Shape.JSON: "JSON", Shape.JSON_SCHEMA: "JSON by a schema"}
    kind = {
        CheckKind.NONE: "",
        CheckKind.NOT_EMPTY: "not empty",
        CheckKind.MATCHES: f"matches {_short(check.pattern)}",
        CheckKind.FIELD_EQUALS: f"{check.field} is {_short(_shown(check.value))}",
        CheckKind.COMMAND: f"{_short(check.command)} exits 0 on the machine",
        CheckKind.PERSON: "a person accepts it",
    }
    return " and ".join(part for part in (shape[check.shape], kind[check.kind]) if part)


def _judge(check: AnswerCheck, answer: str, *, patience: Patience) -> Judgement:
    value: Any = None
    if check.shape is not Shape.TEXT:
        try:
            value = json_of(answer)
        except NoJson as error:
            return _judgement(Verdict.REFUSED, str(error))
    if check.shape is Shape.JSON_SCHEMA:
        assert check.schema is not None
        mistake = first_mistake(value, check.schema, patience=patience)
        if mistake:
            return _judgement(Verdict.REFUSED, mistake)
    return _by_kind(check, answer, value, patience=patience)


def _by_kind(check: AnswerCheck, answer: str, value: Any, *, patience: Patience) -> Judgement:
    match check.kind:
        case CheckKind.COMMAND:
            return Judgement(Verdict.WAITING_COMMAND)
        case CheckKind.PERSON:
            return Judgement(Verdict.WAITING_PERSON)
        case CheckKind.NOT_EMPTY:
            if not answer.strip():
                return Judgement(Verdict.REFUSED, "The answer is empty.")
        case CheckKind.MATCHES:
            pattern = compile_pattern(check.pattern, ignore_case=check.ignore_case)
            if not patience.finds(pattern, answer[:MOST_CHARS]):
                words = f"It does not match {_short(check.pattern)}."
                return _judgement(Verdict.REFUSED, words)
        case CheckKind.FIELD_EQUALS:
            return _by_field(check, value)
        case CheckKind.NONE:
            pass
    return Judgement(Verdict.ACCEPTED)


def _by_field(check: AnswerCheck, value: Any) -> Judgement:
    found = value
    for step in check.field.split("."):
        if isinstance(found, dict) and step in found:
            found = found[step]
        elif isinstance(found, list) and step.isdecimal() and int(step) < len(found):
            found = found[int(step)]
        else:
            return _judgement(Verdict.REFUSED, f"There is no field {check.field} in it.")
    if _same(found, check.value):
        return Judgement(Verdict.ACCEPTED)
    is_now, wanted = _short(_shown(found)), _short(_shown(check.value))
    return _judgement(Verdict.REFUSED, f"{check.field} is {is_now}, not {wanted}.")


def _same(found: Any, wanted: Any) -> bool:
    """Equal as JSON says it: `true` is not 1, and 1.0 is 1."""
    return isinstance(found, bool) is isinstance(wanted, bool) and bool(found == wanted)


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _VALUE_SHOWN else f"{line[:_VALUE_SHOWN]}…"


def _judgement(verdict: Verdict, reason: str) -> Judgement:
    return Judgement(verdict, reason[:REASON_CHARS])
