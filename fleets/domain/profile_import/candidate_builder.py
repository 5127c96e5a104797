"""A profile being put together from a source, each part knowing where it came from."""

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.json_lines import Path
from fleets.domain.profile_import.candidate import Candidate, Loss
from fleets.domain.profile_problems import LEAK, ProfileProblem, check_body
from fleets.domain.profile_schema.shapes import show_path
from fleets.domain.profile_secrets import safe_path, secret_problems
from fleets.domain.slugs import LONGEST_SLUG, is_slug, slug_of

_LONGEST_SHOWN: Final = 80


@dataclass(frozen=True, slots=True)
class Source:
    """What a profile is read from: the parsed value and the line of each place in it."""

    place: str
    value: Any
    line_of: Callable[[Path], int]


@dataclass(slots=True)
class CandidateBuilder:
    """Put fields, note losses and problems by their place in the source, then `finish`."""

    source: Source
    body: dict[str, Any] = field(default_factory=dict)
    came_from: dict[Path, Path] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def put(self, path: Path, value: Any, *, at: Path) -> None:
        """Set one place of the profile, last of its object; what is between is made as objects."""
        below: dict[str, Any] = self.body
        for step in path[:-1]:
            below = below.setdefault(str(step), {})
        # Taken out first: where the last of several rules counts, the order says which one it is.
        below.pop(str(path[-1]), None)
        below[str(path[-1])] = value
        self.came_from[path] = at

    def add(self, path: Path, value: Any, *, at: Path) -> None:
        """Append to a list of the profile."""
        below: dict[str, Any] = self.body
        for step in path[:-1]:
            below = below.setdefault(str(step), {})
        into = below.setdefault(str(path[-1]), [])
        self.came_from[(*path, len(into))] = at
        into.append(value)

    def lose(self, at: Path, words: str) -> None:
        """Note that the profile has no place for this."""
        self.losses.append(Loss(self.source.line_of(at), shown_place(at), words))

    def lose_rule(self, at: Path, words: str) -> None:
        """Note that a permission cannot be said in the profile."""
        self.losses.append(Loss(self.source.line_of(at), shown_place(at), words, is_rule=True))

    def lose_rest(self, value: Mapping[str, Any], *, known: frozenset[str], at: Path = ()) -> None:
        """Note every field of an object that nobody has read."""
        for name in value:
            if name not in known:
                self.lose((*at, name), "has no place in a profile")

    def refuse(self, at: Path, message: str) -> None:
        """Note what must be changed in the source before this can be kept."""
        self.problems.append(Problem(self._line(at), message))

    def finish(self, *, name: str, slug: str = "") -> Candidate:
        """The candidate, checked by the schema and searched for secrets with the source's lines."""
        secrets = secret_problems(self.source.value, line_of=self.source.line_of)
        checked = check_body(self.body)
        has_secret = bool(secrets) or any(one.code == LEAK for one in checked.problems)
        for one in () if secrets else checked.problems:
            self.refuse(self._origin(one.path), f"{one.shown_path}: {_words(one)}".lstrip(": "))
        slug = slug or suggested_slug(name)
        if not has_secret and not is_slug(slug):
            self.refuse((), _no_slug(slug))
        is_sound = not secrets and not self.problems
        return Candidate(
            place=self.source.place,
            line=self.source.line_of(()),
            slug="" if has_secret else slug[:LONGEST_SLUG],
            name="" if has_secret else name[:_LONGEST_SHOWN],
            body=checked.body if is_sound else {},
            problems=(*secrets, *self.problems),
            losses=tuple(sorted(self.losses, key=lambda loss: (not loss.is_rule, loss.line))),
            notes=tuple(self.notes),
        )

    def _origin(self, path: Path) -> Path:
        for length in range(len(path), 0, -1):
            if path[:length] in self.came_from:
                return (*self.came_from[path[:length]], *path[length:])
        return ()

    def _line(self, at: Path) -> str:
        return f"Line {self.source.line_of(at)}"


def _words(problem: ProfileProblem) -> str:
    """What the schema says; where it wants text and YAML saw something else, also the way out."""
    is_unquoted = problem.message.startswith(("must be text, not a n", "must be text, not true"))
    return f"{problem.words} Put it in quotes." if is_unquoted else problem.words


def refused(place: str, error: InvalidInput) -> Candidate:
    """A source that could not even be read."""
    problems = tuple(Problem("", problem.message) for problem in error.problems)
    return Candidate(place, 1, "", "", {}, problems)


def shown_place(path: Path) -> str:
    """A place of the source as people write it, without secrets."""
    return show_path(safe_path(path))


def suggested_slug(name: str) -> str:
    """The id that a name suggests, accents taken off; "" when nothing of it can be written so."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return slug_of(plain)


def _no_slug(slug: str) -> str:
    if slug:
        return "profileId: small letters, digits and hyphens, at most 63, such as code-reviewer."
    return "No id can be made of its name: add profileId, such as code-reviewer."
