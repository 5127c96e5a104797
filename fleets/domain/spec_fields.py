"""Readers for single fields of a launch: each returns the value or raises InvalidInput."""

import difflib
import re
import unicodedata
from collections.abc import Collection
from typing import Final

from fleets.domain.errors import InvalidInput, Problem, Repair

MAX_PROMPT_BYTES: Final = 64 * 1_024
MAX_MODEL_CHARS: Final = 120
MAX_TAGS: Final = 20
MAX_TAG_CHARS: Final = 40
_SHOWN_CHARS: Final = 40
_WHOLE: Final = re.compile(r"[0-9]{1,12}|[0-9]{1,3}(,[0-9]{3}){1,3}", re.ASCII)
_CHOICES_SHOWN: Final = 16
_MODEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@+-]*(/[A-Za-z0-9._:@+-]+)*")


def read_line(text: str, *, place: str, what: str, most_chars: int) -> str:
    """One line of text that is not empty and has no control characters."""
    if not text:
        raise InvalidInput.at(place, f"{what} is missing.")
    if len(text) > most_chars:
        raise InvalidInput.at(
            place, f"{what} has {len(text):,} characters; at most {most_chars} fit."
        )
    if any(unicodedata.category(char) in {"Cc", "Cs"} for char in text):
        raise InvalidInput.at(place, f"{what} must be one line without control characters.")
    return text


def read_whole(text: str, *, place: str, what: str, least: int, most: int) -> int:
    """A whole number from `least` to `most`."""
    bounds = f"from {least:,} to {most:,}"
    if not text:
        raise InvalidInput.at(place, f"{what} is missing: a whole number {bounds}.")
    if not _WHOLE.fullmatch(text):
        raise InvalidInput.at(place, f"“{shorten(text)}” is no whole number {bounds}.")
    number = int(text.replace(",", ""))
    if least <= number <= most:
        return number
    nearest = min(max(number, least), most)
    raise InvalidInput.at(
        place,
        f"{what} must be {bounds}, not {number:,}.",
        repair=Repair(f"Use {nearest:,}", place, str(nearest)),
    )


def read_choice(text: str, *, place: str, what: str, choices: Collection[str]) -> str:
    """One of some words; a near miss is offered as a repair."""
    if text in choices:
        return text
    near = difflib.get_close_matches(text.lower(), list(choices), n=1, cutoff=0.5)
    if near:
        message = f"There is no {what} “{shorten(text)}”. Did you mean {near[0]}?"
        raise InvalidInput.at(place, message, repair=Repair(f"Use {near[0]}", place, near[0]))
    known = ", ".join(list(choices)[:_CHOICES_SHOWN])
    raise InvalidInput.at(place, f"There is no {what} “{shorten(text)}”. Known are: {known}.")


def read_tags(text: str, *, place: str) -> tuple[str, ...]:
    """Tags separated by commas, each once, in the order given."""
    tags = tuple(dict.fromkeys(tag.strip() for tag in text.split(",") if tag.strip()))
    problems = [
        Problem(place, f"The tag “{shorten(tag)}” is too long: at most {MAX_TAG_CHARS} characters.")
        for tag in tags
        if len(tag) > MAX_TAG_CHARS
    ]
    if len(tags) > MAX_TAGS:
        problems.append(Problem(place, f"{len(tags)} tags are too many: at most {MAX_TAGS}."))
    if any(unicodedata.category(char) in {"Cc", "Cs"} for tag in tags for char in tag):
        problems.append(Problem(place, "Tags cannot have control characters in them."))
    if problems:
        raise InvalidInput(problems)
    return tags


def is_model_id(text: str) -> bool:
    """Whether a router could know a model by this id."""
    return len(text) <= MAX_MODEL_CHARS and bool(_MODEL.fullmatch(text))


def shorten(text: str) -> str:
    """What was typed, short enough to be quoted in a message."""
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
