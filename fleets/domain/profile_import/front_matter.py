"""Markdown with front matter: YAML between two lines of three hyphens, then the text."""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from fleets.domain.errors import InvalidInput
from fleets.domain.json_lines import Path
from fleets.domain.yaml_lines import YamlText, read_yaml

BODY: Final = "(text)"
_FENCE: Final = re.compile(r"---[ \t]*")
_INDENTED_BY_TAB: Final = re.compile(r" *\t")
# Fields that hold one line of prose; people write colons and hashes into them without quotes.
_PROSE: Final = re.compile(
    r"(name|description|model|color)[ \t]*:[ \t]+(?![\"'|>\[{&*!])(.*\S)[ \t]*"
)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields, the text below them, and where everything stands.

    `was_repaired`: a line of prose was no YAML and was taken as it stands.
    """

    fields: dict[str, Any]
    text: str
    lines: YamlText
    text_line: int
    was_repaired: bool = False

    @property
    def value(self) -> dict[str, Any]:
        """Fields and text as one value, to be searched."""
        return {**self.fields, BODY: self.text}

    def line_of(self, path: Path) -> int:
        """The line of a field, or of the text."""
        return self.text_line if path[:1] == (BODY,) else self.lines.line_of(path)


def has_front_matter(text: str) -> bool:
    """Whether it begins with a fence that is closed again."""
    lines = text.split("\n")
    return bool(_FENCE.fullmatch(lines[0])) and any(_FENCE.fullmatch(one) for one in lines[1:])


def read_front_matter(text: str, *, place: str) -> FrontMatter:
    """Split and read. Raises InvalidInput that names the line and says what to change."""
    lines = text.split("\n")
    end = next((at for at, one in enumerate(lines[1:], 1) if _FENCE.fullmatch(one)), None)
    if not _FENCE.fullmatch(lines[0]) or end is None:
        words = "Line 1: no front matter: begin with --- and close it with --- above the text."
        raise InvalidInput.at(place, words)
    # A comment takes the place of the fence, so that lines are those of the file.
    matter = "#\n" + "\n".join(lines[1:end])
    read, was_repaired = _read(matter, place=place)
    if read.value is not None and not isinstance(read.value, dict):
        raise InvalidInput.at(place, "Line 2: the front matter must be fields, such as name: x.")
    body = "\n".join(lines[end + 1 :])
    first = end + 2 + (len(body) - len(body.lstrip("\n")))
    return FrontMatter(read.value or {}, body.strip("\n"), read, first, was_repaired)


def _read(matter: str, *, place: str) -> tuple[YamlText, bool]:
    for number, line in enumerate(matter.split("\n"), 1):
        if _INDENTED_BY_TAB.match(line):
            words = f"Line {number}: it begins with a tab; YAML is indented by spaces."
            raise InvalidInput.at(place, words)
    try:
        return read_yaml(matter, place=place), False
    except InvalidInput as error:
        repaired = "\n".join(_quoted(line) for line in matter.split("\n"))
        if repaired == matter:
            raise _explained(error, matter) from None
        try:
            return read_yaml(repaired, place=place), True
        except InvalidInput:
            raise _explained(error, matter) from None


def _quoted(line: str) -> str:
    found = _PROSE.fullmatch(line)
    return f"{found[1]}: {json.dumps(found[2], ensure_ascii=False)}" if found else line


def _explained(error: InvalidInput, matter: str) -> InvalidInput:
    problem = error.problems[0]
    if "neither JSON nor YAML" not in problem.message:
        return error
    line = problem.message.partition(":")[0]
    hint = "put a text with a colon, a hash or a bracket in quotes, and indent by spaces."
    return InvalidInput.at(problem.place, f"{line}: the front matter is no YAML: {hint}")
