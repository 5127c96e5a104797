"""The JSON that an answer holds: the whole of it, or its one fenced block."""

import re
from typing import Any, Final

from fleets.domain.errors import InvalidInput
from fleets.domain.json_lines import read_json

_FENCED: Final = re.compile(r"^[ \t]*```[A-Za-z0-9_-]*[ \t]*\n(.*?)^[ \t]*```[ \t]*$", re.M | re.S)


class NoJson(ValueError):
    """The answer holds no JSON; the message says why, with the line."""


def json_of(answer: str) -> Any:
    """The value. An agent often wraps it in a fence and a sentence, so one block is enough; with
    two nobody knows which is meant. Raises `NoJson`.
    """
    text = answer.strip()
    if not text:
        raise NoJson("The answer is empty, not JSON.")
    try:
        return read_json(text, place="").value
    except InvalidInput as error:
        words = error.problems[0].message
    blocks = _FENCED.findall(answer)
    if len(blocks) > 1:
        raise NoJson(f"It holds {len(blocks)} fenced blocks; one is needed, or nothing but JSON.")
    if not blocks:
        raise NoJson(f"It is not JSON: {words}")
    try:
        return read_json(blocks[0], place="").value
    except InvalidInput as error:
        raise NoJson(f"Its fenced block is not JSON: {error.problems[0].message}") from None
