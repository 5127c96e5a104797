"""Saved profiles of the platform's catalog (contract 6.2, 10 row 17)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from fleets.platform_api.fields import FieldError, Fields, each, unwrap, unwrap_rows


@dataclass(frozen=True, slots=True)
class ProfileListed:
    """A row of the catalog; `revision` is its newest."""

    profile_id: str
    revision: int
    name: str | None
    description: str | None
    updated_at: datetime | None


@dataclass(frozen=True, slots=True)
class ProfilePage:
    """Some of the catalog; `total` is None when it was not told."""

    profiles: tuple[ProfileListed, ...]
    total: int | None


@dataclass(frozen=True, slots=True)
class SavedProfile:
    """A revision in full; `profile` is the agent profile of contract 6.1 as it was stored."""

    profile_id: str
    revision: int
    profile: Mapping[str, Any] = field(repr=False)


def parse_profiles(body: Any, /) -> ProfilePage:
    """`{profiles:[…], total}`. Raises FieldError."""
    rows, total = unwrap_rows(body, "profiles")
    return ProfilePage(profiles=each(rows, _listed), total=total)


def parse_saved(body: Any, /) -> SavedProfile:
    """`{profileId, revision, profile}`; a body is taken as it is, nothing hidden. FieldError."""
    row = unwrap(body, "data")
    profile = row.child("profile")
    if profile is None:
        raise FieldError("answer.profile", "missing")
    return SavedProfile(
        profile_id=row.text("profileId", "id"), revision=_revision(row), profile=profile.body
    )


def parse_put(body: Any, /, *, profile_id: str) -> ProfileListed:
    """The new revision: as a number, a list row or the whole. Raises FieldError."""
    if isinstance(body, int) and not isinstance(body, bool):
        return ProfileListed(profile_id, body, None, None, None)
    row = unwrap(body, "data")
    return ProfileListed(
        profile_id=row.maybe_text("profileId", "id") or profile_id,
        revision=_revision(row),
        name=row.maybe_text("name"),
        description=row.maybe_text("description"),
        updated_at=row.maybe_time("updatedAt"),
    )


def _listed(row: Fields) -> ProfileListed:
    return ProfileListed(
        profile_id=row.text("profileId", "id"),
        revision=_revision(row),
        name=row.maybe_text("name"),
        description=row.maybe_text("description"),
        updated_at=row.maybe_time("updatedAt"),
    )


def _revision(row: Fields) -> int:
    found = row.maybe_int("revision")
    if found is None:
        raise FieldError("answer.revision", "missing")
    return found
