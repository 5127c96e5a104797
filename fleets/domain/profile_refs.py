"""How a profile of the catalog is named: its id, and which of its revisions is meant."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fleets.domain.number_input import parse_revision


class RefMode(StrEnum):
    """Which revision is meant."""

    HEAD = "head"
    EXPECT = "expect"
    FIXED = "fixed"
    LABEL = "label"


@dataclass(frozen=True, slots=True)
class ProfileRef:
    """`head`: what the catalog has at the launch. `expect`: that, refused when it has moved from
    `number`. `fixed`: the content of `number`, whatever the head is. `label`: where `label` points.
    """

    slug: str
    mode: RefMode = RefMode.HEAD
    number: int | None = None
    label: str = ""

    def __str__(self) -> str:
        if self.mode is RefMode.LABEL:
            return f"{self.slug} {self.label}"
        return f"{self.slug} {self.mode}" + (f" r{self.number}" if self.number else "")

    @property
    def as_json(self) -> dict[str, Any]:
        """As it stands in a file of agents (contract 4.2, `fixed` and `label` are ours)."""
        found: dict[str, Any] = {"profileId": self.slug}
        if self.mode is RefMode.EXPECT:
            found["revision"] = self.number
        elif self.mode is RefMode.FIXED:
            found["fixed"] = self.number
        elif self.mode is RefMode.LABEL:
            found["label"] = self.label
        return found


def ref_of_words(text: str) -> ProfileRef | str:
    """Read `code-reviewer`, `code-reviewer expect r12`, `… fixed r12`, `… stable` (a label), or
    say in words what is wrong.
    """
    slug, *words = text.split()
    if not words or words == [RefMode.HEAD]:
        return ProfileRef(slug)
    if len(words) == 1 and not _number(words[0]):
        return ProfileRef(slug, RefMode.LABEL, label=words[0])
    mode, number = words[0], _number(words[-1])
    if len(words) == 2 and number and mode in (RefMode.EXPECT, RefMode.FIXED):
        return ProfileRef(slug, RefMode(mode), number)
    return "behind a profile's id stands nothing (its head), expect r12, fixed r12, or a label."


def _number(word: str) -> int:
    return parse_revision(word) or 0


_FIELDS = {"revision": RefMode.EXPECT, "fixed": RefMode.FIXED, "label": RefMode.LABEL}


def ref_of_json(value: Mapping[str, Any]) -> ProfileRef | str:
    """Read `{"profileId", "revision" | "fixed" | "label"}`, or say in words what is wrong."""
    slug = value.get("profileId")
    if not isinstance(slug, str) or not slug:
        return "profileId is the id of a profile of the catalog, such as code-reviewer."
    unknown = sorted(set(value) - {"profileId", *_FIELDS})
    chosen = [name for name in _FIELDS if name in value]
    if unknown:
        return "beside profileId there may be revision, fixed or label, and nothing else."
    if len(chosen) > 1:
        return f"{' and '.join(chosen)} say different things: leave one."
    if not chosen:
        return ProfileRef(slug)
    return _chosen(slug, chosen[0], value[chosen[0]])


def _chosen(slug: str, field: str, given: Any) -> ProfileRef | str:
    mode = _FIELDS[field]
    if mode is RefMode.LABEL:
        is_text = isinstance(given, str) and bool(given)
        return ProfileRef(slug, mode, label=given) if is_text else "a label is a name like stable."
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        return f"{field} is the number of a revision, from 1."
    return ProfileRef(slug, mode, number=given)
