"""One change that can be made to many profiles, and what it does to a body.

A body it does not touch comes back as it is, with the reason. Nothing is lost on the way: what
stands where a field would have to be made is a refusal.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final
from urllib.parse import urlsplit

from fleets.domain.json_lines import MAX_BYTES, Path
from fleets.domain.profile_diff import MISSING, same
from fleets.domain.profile_form import at, put
from fleets.domain.profile_parts import PLACES, is_inline, text_digest
from fleets.domain.profile_schema.shapes import show_path

_LONGEST_SHOWN: Final = 60
_MODELS: Final = (
    ("model", "default"),
    ("model", "small"),
    ("subagents", "*", "model"),
    ("modes", "*", "model"),
)
_TEXTS: Final = (
    ("prompt", "systemPrompt"),
    ("prompt", "appendSystemPrompt"),
    ("prompt", "instructions", "*"),
    ("subagents", "*", "prompt"),
    ("modes", "*", "prompt"),
    ("resources", "instructions"),
    ("resources", "instructions", "content"),
)


class ChangeKind(StrEnum):
    """What is changed."""

    MODEL = "model"
    HARNESS = "harness"
    FIELD = "field"
    UNSET = "unset"
    TEXT = "text"
    ADD_TAG = "add_tag"
    REMOVE_TAG = "remove_tag"
    HOST = "host"
    SKILL = "skill"


@dataclass(frozen=True, slots=True)
class ProfileChange:
    """`old` is what is looked for ("": any), `new` what takes its place, `path` the field.

    `old` of a skill is the digest of its text; `new` of a field is a JSON value.
    """

    kind: ChangeKind
    old: str = ""
    new: Any = ""
    path: Path = ()

    @property
    def as_json(self) -> dict[str, Any]:
        """As it is kept with the record of what was done."""
        parts = {"old": self.old, "new": self.new, "path": list(self.path)}
        return {"kind": self.kind.value, **{key: one for key, one in parts.items() if one != ""}}

    @property
    def words(self) -> str:
        """What is done, in a few words."""
        old, new = _short(self.old), _short(self.new)
        return {
            ChangeKind.MODEL: f"model {old or 'whatever it is'} → {new}",
            ChangeKind.HARNESS: f"harness {old or 'whatever it is'} → {new}",
            ChangeKind.FIELD: f"{_short(show_path(self.path))} = {new}",
            ChangeKind.UNSET: f"{_short(show_path(self.path))} taken away",
            ChangeKind.TEXT: f"“{old}” → “{new}”" if new else f"“{old}” taken out",
            ChangeKind.ADD_TAG: f"tag {new} added",
            ChangeKind.REMOVE_TAG: f"tag {old} taken away",
            ChangeKind.HOST: f"MCP host {old} → {new}",
            ChangeKind.SKILL: f"text {self.old[:8]} → {text_digest(str(self.new))[:8]}",
        }[self.kind]


@dataclass(frozen=True, slots=True)
class Changed:
    """The body afterwards and in how many places it was changed; 0 has its reason in `why`.

    `is_refused`: it cannot be changed like this, and `why` says what stands in the way.
    """

    body: Any
    hits: int
    why: str = ""
    is_refused: bool = False


def apply_change(change: ProfileChange, body: Mapping[str, Any]) -> Changed:
    """What the change does to a body that the schema accepts."""
    found = _APPLY[change.kind](change, body)
    if found.hits and same(found.body, body):
        return Changed(body, 0, "says so already")
    return found


def _model(change: ProfileChange, body: Any) -> Changed:
    if not change.old:
        return _put(body, ("model", "default"), change.new)
    return _everywhere(
        body,
        _MODELS,
        lambda one: (change.new, 1) if one == change.old else (one, 0),
        why=f"does not use {_short(change.old)}",
    )


def _harness(change: ProfileChange, body: Any) -> Changed:
    now = body.get("harness", "")
    if change.old and now != change.old:
        return Changed(body, 0, f"runs on {now}" if now else "names no harness")
    return _put(body, ("harness",), change.new)


def _field(change: ProfileChange, body: Any) -> Changed:
    return _put(body, change.path, change.new)


def _unset(change: ProfileChange, body: Any) -> Changed:
    if at(body, change.path) is MISSING:
        return Changed(body, 0, f"has no {_short(show_path(change.path))}")
    return Changed(put(body, change.path, MISSING), 1)


def _text(change: ProfileChange, body: Any) -> Changed:
    def found(one: Any) -> tuple[Any, int]:
        return one, one.count(change.old) if isinstance(one, str) else 0

    def replaced(one: Any) -> tuple[Any, int]:
        _, hits = found(one)
        return (one.replace(change.old, change.new), hits) if hits else (one, 0)

    # Counted before it is made: a long text in many places would fill the memory first.
    if _everywhere(body, _TEXTS, found, why="").hits * len(change.new) > MAX_BYTES:
        return Changed(body, 0, "would be larger than 1 MiB", is_refused=True)
    return _everywhere(body, _TEXTS, replaced, why="the text is not in its instructions")


def _add_tag(change: ProfileChange, body: Any) -> Changed:
    tags = body.get("tags", [])
    if change.new in tags:
        return Changed(body, 0, "has the tag already")
    return _put(body, ("tags",), [*tags, change.new])


def _remove_tag(change: ProfileChange, body: Any) -> Changed:
    tags = body.get("tags", [])
    if change.old not in tags:
        return Changed(body, 0, "has no such tag")
    kept = [tag for tag in tags if tag != change.old]
    return Changed(put(body, ("tags",), kept or MISSING), 1)


def _host(change: ProfileChange, body: Any) -> Changed:
    def moved(url: Any) -> tuple[Any, int]:
        if host_of(url) != change.old:
            return url, 0
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port and ":" not in change.new else ""
        return parts._replace(netloc=f"{change.new}{port}").geturl(), 1

    why = f"has no MCP server at {_short(change.old)}"
    return _everywhere(body, (("mcp", "*", "url"),), moved, why=why)


def _skill(change: ProfileChange, body: Any) -> Changed:
    def renewed(one: Any) -> tuple[Any, int]:
        if not is_inline(one) or text_digest(one["content"]) != change.old:
            return one, 0
        return {**one, "content": change.new}, 1

    return _everywhere(body, tuple(PLACES.values()), renewed, why="does not have this text")


_APPLY: Final[Mapping[ChangeKind, Callable[[ProfileChange, Any], Changed]]] = {
    ChangeKind.MODEL: _model,
    ChangeKind.HARNESS: _harness,
    ChangeKind.FIELD: _field,
    ChangeKind.UNSET: _unset,
    ChangeKind.TEXT: _text,
    ChangeKind.ADD_TAG: _add_tag,
    ChangeKind.REMOVE_TAG: _remove_tag,
    ChangeKind.HOST: _host,
    ChangeKind.SKILL: _skill,
}


def models_of(body: Any) -> set[str]:
    """Every model that a body names."""
    return set(_found(body, _MODELS)) - {""}


def hosts_of(body: Any) -> set[str]:
    """The hosts of its MCP servers."""
    return {host_of(url) for url in _found(body, (("mcp", "*", "url"),))} - {""}


def host_of(url: Any) -> str:
    """The host of an address, "" where there is none."""
    try:
        return urlsplit(url).hostname or "" if isinstance(url, str) else ""
    except ValueError:
        return ""


def _put(body: Any, path: Path, value: Any) -> Changed:
    for count in range(1, len(path)):
        above = at(body, path[:count])
        if above is not MISSING and not isinstance(above, Mapping):
            words = f"{_short(show_path(path[:count]))} is a value of its own here"
            return Changed(body, 0, f"{words}: nothing can be set below it", is_refused=True)
    return Changed(put(body, path, value), 1)


def _found(body: Any, places: tuple[tuple[str, ...], ...]) -> list[str]:
    found: list[str] = []

    def look(one: Any) -> tuple[Any, int]:
        found.extend([one] if isinstance(one, str) else [])
        return one, 0

    _everywhere(body, places, look, why="")
    return found


def _everywhere(
    body: Any,
    places: tuple[tuple[str, ...], ...],
    change: Callable[[Any], tuple[Any, int]],
    *,
    why: str,
) -> Changed:
    hits = 0
    for place in places:
        body, found = _rewritten(body, place, change)
        hits += found
    return Changed(body, hits, "" if hits else why)


def _rewritten(
    value: Any, place: tuple[str, ...], change: Callable[[Any], tuple[Any, int]]
) -> tuple[Any, int]:
    """The value with what stands at this place changed, and how often it was."""
    if not place:
        return change(value)
    step, *below = place
    if isinstance(value, list) and step == "*":
        made = [_rewritten(one, tuple(below), change) for one in value]
        hits = sum(count for _, count in made)
        return ([one for one, _ in made], hits) if hits else (value, 0)
    if not isinstance(value, Mapping):
        return value, 0
    own, hits = dict(value), 0
    for key in own if step == "*" else (step,) if step in own else ():
        own[key], count = _rewritten(own[key], tuple(below), change)
        hits += count
    return (own, hits) if hits else (value, 0)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
