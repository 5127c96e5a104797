"""What the editor shows beside the text: where it started, what came since, who else is typing."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from fleets.models import Catalog, Profile, ProfileDraft, ProfileRevision, User
from fleets.selectors.editing import Editing, editing


@dataclass(frozen=True, slots=True)
class Newer:
    """A revision that was saved after the one somebody started from."""

    number: int
    author: str
    created_at: datetime
    note: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Around the text. `newest` 0: nothing is saved yet. `newer` None: nobody was faster."""

    newest: int
    newest_is_draft: bool
    newer: Newer | None
    editing: Sequence[Editing]
    catalogs: Sequence[tuple[str, str]]
    draft_at: datetime | None


def surroundings(profile: Profile | None, user: User, *, base: int, now: datetime) -> Surroundings:
    """At most four queries."""
    newer = None
    if profile is not None and base < profile.newest:
        found = revision(profile, profile.newest)
        author = found.author.get_username() if found.author else "Fleetdash"
        newer = Newer(found.number, author, found.created_at, found.note)
    head = profile.head.number if profile and profile.head else 0
    drafts = ProfileDraft.objects.filter(profile=profile)
    own = drafts.filter(user_id=user.pk)
    return Surroundings(
        newest=profile.newest if profile else 0,
        newest_is_draft=bool(profile and profile.newest > head),
        newer=newer,
        editing=editing(drafts, user, now=now) if profile else (),
        catalogs=[] if profile else catalogs_for(user),
        draft_at=own.values_list("updated_at", flat=True).first(),
    )


def catalogs_for(user: User) -> list[tuple[str, str]]:
    """The catalogs that this person may write in, everybody's first. One query."""
    found = Catalog.objects.order_by("team_id", "name")
    if not user.is_admin:
        found = found.filter(Q(team__isnull=True) | Q(team__members=user.pk))
    return list(found.order_by("team__name", "name").values_list("slug", "name"))


def own_draft(profile: Profile | None, user: User) -> ProfileDraft | None:
    """What this person was typing. One query."""
    found = ProfileDraft.objects.filter(profile=profile, user_id=user.pk)
    return found.select_related("base", "catalog").first()


def revision(profile: Profile, number: int) -> ProfileRevision:
    """The revision of that number. Raises ProfileRevision.DoesNotExist."""
    return ProfileRevision.objects.select_related("author").get(profile=profile, number=number)


def body_of(profile: Profile, number: int) -> dict[str, Any]:
    """What a revision says, {} for one that is not there. One query."""
    text = profile.revisions.filter(number=number).values_list("body", flat=True).first()
    found: dict[str, Any] = json.loads(text) if text else {}
    return found
