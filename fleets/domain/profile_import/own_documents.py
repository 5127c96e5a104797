"""Our own JSON and YAML: a profile, an entry that names it, or lists and streams of those."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from fleets.domain.errors import Problem
from fleets.domain.json_lines import Path
from fleets.domain.profile_import.candidate import Candidate
from fleets.domain.profile_import.candidate_builder import (
    CandidateBuilder,
    Source,
    suggested_slug,
)
from fleets.domain.slugs import is_slug

# No file can be the id of a profile and be called so.
PASTED: Final = "pasted text"
ENTRY: Final = frozenset({"profileId", "revision", "profile"})


def read_own(source: Source, *, is_alone: bool) -> list[Candidate]:
    """The profiles of one document. `is_alone`: the file holds no other, so its name may serve."""
    entries = list(_entries(source.value, ()))
    if not entries:
        problem = Problem("Line 1", "There is no profile in it.")
        return [Candidate(source.place, 1, "", "", {}, (problem,))]
    is_alone = is_alone and len(entries) == 1
    return [_read(source, value, at=at, is_alone=is_alone) for value, at in entries]


def _entries(value: Any, at: Path) -> Iterator[tuple[Any, Path]]:
    if isinstance(value, list):
        for number, one in enumerate(value):
            yield one, (*at, number)
    elif isinstance(value, Mapping) and isinstance(value.get("profiles"), list):
        yield from _entries(value["profiles"], (*at, "profiles"))
    else:
        yield value, at


def _read(source: Source, value: Any, *, at: Path, is_alone: bool) -> Candidate:
    place = f"{source.place}, profile {int(at[-1]) + 1}" if at and not is_alone else source.place

    def line_of(path: Path) -> int:
        return source.line_of((*at, *path))

    builder = CandidateBuilder(Source(place, value, line_of))
    if not isinstance(value, Mapping):
        builder.refuse((), "must be a profile: an object.")
        return builder.finish(name="", slug="none")
    body: Any = value
    slug: Any = ""
    if "profile" in value or "profileId" in value:
        body, slug = value.get("profile"), value.get("profileId", "")
        builder.lose_rest(value, known=ENTRY)
        builder.came_from[()] = ("profile",)
    if not isinstance(body, Mapping):
        builder.refuse(("profile",), "profile must be an object.")
        return builder.finish(name="", slug="none")
    for field in body:
        builder.came_from[(field,)] = (*builder.came_from.get((), ()), field)
    builder.body = dict(body)
    if not isinstance(slug, str):
        builder.refuse(("profileId",), "profileId must be text.")
        slug = "none"
    name = body.get("name")
    stem = PurePosixPath(source.place.partition(",")[0]).stem
    if not slug and is_alone and not stem.startswith(PASTED):
        return builder.finish(name=name if isinstance(name, str) else stem, slug=_slug(stem))
    return builder.finish(name=name if isinstance(name, str) else "", slug=slug)


def _slug(stem: str) -> str:
    return stem if is_slug(stem) else suggested_slug(stem)
