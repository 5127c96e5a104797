"""Message templates: `{agent_id}` and `{index}` replaced, nothing else; `{{` and `}}` are braces.

No attribute, index, conversion or format is understood: a template reads nothing but its fields.
"""

import difflib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from fleets.domain.errors import InvalidInput, Problem, Repair

LAUNCH_FIELDS: Final = ("agent_id", "index")
_TOKEN: Final = re.compile(r"\{\{|\}\}|\{([^{}\n]*)\}|[{}]")
_PROBLEMS_SHOWN: Final = 20
_NAME_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class Template:
    """A checked template: literal parts, and fields between them, in order."""

    source: str
    parts: tuple[tuple[str, str | None], ...]

    @property
    def fields(self) -> frozenset[str]:
        """The fields it uses."""
        return frozenset(name for _, name in self.parts if name is not None)

    def fill(self, values: Mapping[str, str]) -> str:
        """The text with every field replaced; values are put in as they are, never read again."""
        return "".join(
            literal if name is None else literal + values[name] for literal, name in self.parts
        )


def parse_template(source: str, *, place: str, fields: Collection[str] = LAUNCH_FIELDS) -> Template:
    """Check a template. Raises InvalidInput naming line and column of every problem."""
    parts: list[tuple[str, str | None]] = []
    problems: list[Problem] = []
    literal, end = "", 0
    for match in _TOKEN.finditer(source):
        literal += source[end : match.start()]
        end = match.end()
        if match.group() in ("{{", "}}"):
            literal += match.group()[0]
        elif match[1] in fields:
            parts.append((literal, match[1]))
            literal = ""
        elif len(problems) < _PROBLEMS_SHOWN:
            problems.append(_problem(source, match, place=place, fields=fields))
    if problems:
        raise InvalidInput(_with_repair(problems, source, fields=fields))
    parts.append((literal + source[end:], None))
    return Template(source, tuple(parts))


def render(source: str, values: Mapping[str, str], *, place: str = "prompt") -> str:
    """Check and fill in one step; the fields known are those that `values` has."""
    return parse_template(source, place=place, fields=tuple(values)).fill(values)


def escape_unknown(source: str, *, fields: Collection[str] = LAUNCH_FIELDS) -> str:
    """The same text with every brace doubled that belongs to no known field."""

    def doubled(match: re.Match[str]) -> str:
        text = match.group()
        if text in ("{{", "}}") or match[1] in fields:
            return text
        return "".join(char * 2 if char in "{}" else char for char in text)

    return _TOKEN.sub(doubled, source)


def _problem(source: str, match: re.Match[str], *, place: str, fields: Collection[str]) -> Problem:
    before = source[: match.start()]
    line = before.count("\n") + 1
    column = match.start() - (before.rfind("\n") + 1) + 1
    where = f"Line {line}, column {column}"
    name = match[1]
    if name is None:
        brace = match.group()
        return Problem(place, f"{where}: a single {brace}. Write {brace * 2} for a brace.")
    known = " and ".join(f"{{{field}}}" for field in fields)
    shown = name if len(name) <= _NAME_SHOWN else f"{name[:_NAME_SHOWN]}…"
    near = _nearest(name, fields)
    hint = f"Did you mean {{{near}}}?" if near else f"Known are {known}; {{{{ is a brace."
    repair = None
    if near:
        fixed = source[: match.start()] + f"{{{near}}}" + source[match.end() :]
        repair = Repair(f"Use {{{near}}}", place, fixed)
    return Problem(place, f"{where}: {{{shown}}} is no field. {hint}", repair)


def _nearest(name: str, fields: Collection[str]) -> str | None:
    if len(name) > _NAME_SHOWN:
        return None
    found = difflib.get_close_matches(name.strip().lower(), fields, n=1, cutoff=0.6)
    return found[0] if found else None


def _with_repair(
    problems: list[Problem], source: str, *, fields: Collection[str]
) -> Iterator[Problem]:
    """The first problem without a repair of its own offers to double all stray braces."""
    offered = False
    for problem in problems:
        if problem.repair is None and not offered:
            offered = True
            text = escape_unknown(source, fields=fields)
            repair = Repair("Take all other braces as they are", problem.place, text)
            yield Problem(problem.place, problem.message, repair)
        else:
            yield problem
