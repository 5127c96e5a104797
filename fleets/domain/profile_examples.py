"""Example tasks of a profile: what it is tried on, each with what a good answer is."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from fleets.domain.answer_check import AnswerCheck, words_of
from fleets.domain.answer_document import answer_document, read_answer_check
from fleets.domain.answer_fields import read_answer_fields
from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.prompt_text import read_prompt_text

MOST_EXAMPLES: Final = 10
# Fewer say little about a profile.
FEWEST_USEFUL: Final = 3
_PROMPT_IN_AUDIT: Final = 200
_ASKS_NOTHING: Final = AnswerCheck()


class Direction(StrEnum):
    """Where an example is moved."""

    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Example:
    """A task as the agent is told it, and what a good answer to it is."""

    prompt: str
    check: AnswerCheck = _ASKS_NOTHING

    @property
    def acceptance(self) -> dict[str, Any]:
        """The check as its document, {} where nothing is asked."""
        return answer_document(self.check)

    @property
    def check_words(self) -> str:
        """The check in one line, "" where nothing is asked."""
        return words_of(self.check)

    @property
    def mark(self) -> str:
        """Names this content: two examples that say the same have the same mark."""
        said = json.dumps([self.prompt, self.acceptance], sort_keys=True)
        return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def for_audit(self) -> dict[str, Any]:
        """What is written down of a change: the beginning of the prompt, and the check."""
        shown = self.prompt[:_PROMPT_IN_AUDIT]
        return {"prompt": shown, "characters": len(self.prompt), "check": self.check_words}


def read_example(raw: Mapping[str, str]) -> Example:
    """An example from the fields of a form: `prompt`, and those of `domain.answer_fields`.

    Raises InvalidInput with the problems of all fields.
    """
    problems: list[Problem] = []
    prompt, check = "", _ASKS_NOTHING
    try:
        missing = "The prompt is missing: what should the agent do?"
        prompt = read_prompt_text(raw.get("prompt", "").strip(), place="prompt", missing=missing)
    except InvalidInput as error:
        problems += error.problems
    try:
        check = read_answer_fields(raw)
    except InvalidInput as error:
        problems += error.problems
    if problems:
        raise InvalidInput(problems)
    return Example(prompt, check)


def example_of(*, prompt: str, acceptance: Any) -> Example:
    """A stored example. Its check was read when it was saved; one that no longer can be, asks
    nothing.
    """
    try:
        return Example(prompt, read_answer_check(acceptance))
    except InvalidInput:
        return Example(prompt)


def moved(order: Sequence[int], which: int, direction: Direction) -> list[int]:
    """The order with one of it a place further; the same where there is no place further."""
    at = order.index(which)
    to = at - 1 if direction is Direction.UP else at + 1
    found = list(order)
    if 0 <= to < len(found):
        found[at], found[to] = found[to], found[at]
    return found


def number_words(count: int) -> str:
    """That so few hardly tell two revisions apart, "" where there are none or enough."""
    if not count or count >= FEWEST_USEFUL:
        return ""
    few = "One example says" if count == 1 else f"{count} examples say"
    return f"{few} little: {FEWEST_USEFUL} to {MOST_EXAMPLES} tell most."
