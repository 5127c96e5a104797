"""The errors a rule of ours may raise: one tree, which every door turns into its own form.

A message says what is wrong and what would be right, in words for the person who reads it; a
place says where. Secrets never stand in a message: whoever raises names the place, not the value.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_LINE: Final = re.compile(r"Line ([0-9]{1,7})\b")


@dataclass(frozen=True, slots=True)
class Repair:
    """A change that we know would help: what the button says, and which field gets which value."""

    label: str
    field: str
    value: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A profile whose revision `before` was named while `after` is the one that counts now."""

    slug: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong at one place (a form field, or a line and path of a file).

    `repair` is the best one, `also` are others; `moved` is what a person should compare first.
    """

    place: str
    message: str
    repair: Repair | None = None
    also: tuple[Repair, ...] = ()
    moved: Moved | None = None

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """All repairs, so that a page shows a problem and an advice alike."""
        return (self.repair, *self.also) if self.repair else self.also

    @property
    def as_advice(self) -> "Advice":
        """The same as a page shows it."""
        return Advice(self.place, self.message, self.repairs, moved=self.moved)

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


@dataclass(frozen=True, slots=True)
class Advice:
    """Something a person should know before acting, with every repair we know, best first.

    `line` is where in the text at that place, 0 where only its words may say so.
    """

    place: str
    message: str
    repairs: tuple[Repair, ...] = ()
    line: int = 0
    moved: Moved | None = None

    @property
    def at_line(self) -> int:
        """The line of the text, or the one that its words begin with; 0: of the whole."""
        named = _LINE.match(self.message)
        return self.line or (int(named[1]) if named else 0)


class DomainError(Exception):
    """The root: a refusal by our own rules, safe to show as it stands."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InvalidInput(DomainError):
    """What came in cannot be used. `problems` holds all of them, at least one, in reading order."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        if not self.problems:
            raise ValueError("InvalidInput needs at least one problem")
        super().__init__("; ".join(str(problem) for problem in self.problems))

    @classmethod
    def at(cls, place: str, message: str, *, repair: Repair | None = None) -> "InvalidInput":
        """The common case of one problem."""
        return cls((Problem(place, message, repair),))

    @property
    def by_place(self) -> dict[str, tuple[Problem, ...]]:
        """Problems grouped by their place, places in the order they first appear."""
        grouped: dict[str, tuple[Problem, ...]] = {}
        for problem in self.problems:
            grouped[problem.place] = (*grouped.get(problem.place, ()), problem)
        return grouped


class NotAllowed(DomainError):
    """This person may not do that. `who_can` names who may ("an admin"), "" if nobody."""

    def __init__(self, message: str, *, who_can: str = "") -> None:
        super().__init__(message)
        self.who_can = who_can


class Conflict(DomainError):
    """The state has moved on since the person looked; `state` is what it is now, if that helps."""

    def __init__(self, message: str, *, state: str = "") -> None:
        super().__init__(message)
        self.state = state


class AlreadySo(Conflict):
    """What was ordered is so already: the order that made it so stands for this one."""


class NotFoundHere(DomainError):
    """No such thing for this person; `kind` and `ident` say what was looked for."""

    def __init__(self, kind: str, ident: str) -> None:
        super().__init__(f"There is no {kind} {ident} here.")
        self.kind = kind
        self.ident = ident


class OverLimit(DomainError):
    """Well formed and allowed, but more than a limit permits. Figures are as shown to people."""

    def __init__(
        self,
        message: str,
        *,
        limit: str = "",
        asked: str = "",
        who_can: str = "",
        repairs: Iterable[Repair] = (),
    ) -> None:
        super().__init__(message)
        self.limit = limit
        self.asked = asked
        self.who_can = who_can
        self.repairs = tuple(repairs)
