"""What an import found: profiles that could be kept, and files nothing was read from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fleets.domain.errors import Problem


@dataclass(frozen=True, slots=True)
class Loss:
    """Something of the source that the schema has no place for; a person must accept it.

    `is_rule`: it allowed or forbade something, so without it an agent may do more than before.
    """

    line: int
    what: str
    words: str
    is_rule: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """One profile of a source. With problems it cannot be kept, and its name may be unsafe to show.

    `place` is the file, with the document where it holds several; `line` where the profile begins.
    `notes` say how something was read; they need no consent.
    """

    place: str
    line: int
    slug: str
    name: str
    body: Mapping[str, Any]
    problems: tuple[Problem, ...] = ()
    losses: tuple[Loss, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unread:
    """A file from which no profile was read, and why."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """Everything read from an upload, in the order of its files."""

    candidates: tuple[Candidate, ...]
    unread: tuple[Unread, ...] = ()
