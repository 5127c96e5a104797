"""One profile: its head, what one of its revisions says, and all revisions in a list."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, Q
from django.db.models.functions import Length

from fleets.domain.profile_outline import Outline, outline
from fleets.models import Profile, ProfileDraft, ProfileRevision, User
from fleets.selectors.editing import Editing, editing
from fleets.selectors.profile_trials import Tried, tried
from fleets.selectors.profile_users import count_fleets

MOST_REVISIONS: Final = 50


@dataclass(frozen=True, slots=True)
class ProfileHead:
    """What stands above every tab. `newest` is the last revision saved, `is_draft` if unpublished.

    `may_edit` and `may_delete` are of the person who looks.
    """

    slug: str
    name: str
    description: str
    catalog: str
    owner: str
    tags: Sequence[str]
    head: int | None
    newest: int
    is_draft: bool
    draft_by: str
    draft_at: datetime | None
    is_archived: bool
    labels: Sequence[tuple[str, int]]
    fleets_recent: int
    fleets: int
    examples: int
    may_edit: bool
    may_delete: bool
    editing: Sequence[Editing]


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """A revision in the list. `running` counts fleets at work that still have it."""

    number: int
    digest: str
    note: str
    author: str
    created_at: datetime
    published_at: datetime | None
    base: int | None
    restored_from: int | None
    labels: Sequence[str]
    running: int
    is_head: bool
    size_bytes: int
    tried: Tried | None

    @property
    def previous(self) -> int:
        """The revision that a difference is shown to: where it was started from."""
        return self.base or max(1, self.number - 1)


@dataclass(frozen=True, slots=True)
class RevisionPage:
    """Newest first; `older` is the number to go on from, None at the end."""

    rows: Sequence[RevisionRow]
    older: int | None


@dataclass(frozen=True, slots=True)
class Configuration:
    """What one revision says."""

    number: int
    digest: str
    note: str
    author: str
    created_at: datetime
    is_published: bool
    outline: Outline
    text: str
    lines: Sequence[str]


def profile_head(profile: Profile, user: User, *, now: datetime) -> ProfileHead:
    """The head of a profile that came from `access.get_profile`. At most seven queries."""
    head = profile.head.number if profile.head else None
    is_draft = profile.newest > (head or 0)
    newest = None
    if is_draft:
        found = profile.revisions.filter(number=profile.newest)
        newest = found.values_list("author__username", "created_at").first()
    fleets, recent = count_fleets(profile, now=now)
    return ProfileHead(
        slug=profile.slug,
        name=profile.name,
        description=profile.description,
        catalog=profile.catalog.name,
        owner=profile.owner.get_username() if profile.owner else "",
        tags=profile.tags,
        head=head,
        newest=profile.newest,
        is_draft=is_draft,
        draft_by=(newest[0] or "") if newest else "",
        draft_at=newest[1] if newest else None,
        is_archived=profile.archived_at is not None,
        labels=list(profile.labels.values_list("name", "revision__number")),
        fleets_recent=recent,
        fleets=fleets,
        examples=profile.examples.count(),
        may_edit=may_edit(user, profile),
        may_delete=user.is_admin or (user.is_operator and profile.owner_id == user.pk),
        editing=editing(ProfileDraft.objects.filter(profile=profile), user, now=now),
    )


def may_edit(user: User, profile: Profile) -> bool:
    """Whether this person may write in its catalog; the services decide the same again."""
    team = profile.catalog.team_id
    if user.is_admin or (user.is_operator and team is None):
        return True
    return user.is_operator and user.teams.filter(pk=team or 0).exists()


def configuration(profile: Profile, number: int | None) -> Configuration | None:
    """What a revision says; None without a number is the head, or the newest draft. One query."""
    wanted = number or (profile.head.number if profile.head else profile.newest)
    found = profile.revisions.filter(number=wanted).select_related("author").first()
    if found is None:
        return None
    return Configuration(
        number=found.number,
        digest=found.digest,
        note=found.note,
        author=found.author.get_username() if found.author else "Fleetdash",
        created_at=found.created_at,
        is_published=found.published_at is not None,
        outline=outline(json.loads(found.body)),
        text=found.body,
        lines=found.body.split("\n"),
    )


def revision_page(profile: Profile, *, before: int | None = None) -> RevisionPage:
    """At most `MOST_REVISIONS`, those below number `before`. Four queries."""
    found = ProfileRevision.objects.filter(profile=profile)
    if before is not None:
        found = found.filter(number__lt=before)
    at_work = Q(used_as__fleet__work_ended_at__isnull=True, used_as__isnull=False)
    rows = list(
        found.order_by("-number")
        .annotate(
            running=Count("used_as__fleet", filter=at_work, distinct=True),
            size_bytes=Length("body"),
        )
        .values(
            *("pk", "number", "digest", "note", "author__username", "created_at", "running"),
            *("published_at", "base__number", "restored_from__number", "size_bytes"),
        )[: MOST_REVISIONS + 1]
    )
    labels: dict[int, list[str]] = {}
    for name, number in profile.labels.values_list("name", "revision__number"):
        labels.setdefault(number, []).append(name)
    shown = rows[:MOST_REVISIONS]
    trials = tried(profile, [row["number"] for row in shown])
    return RevisionPage(
        rows=[_row(row, labels, profile, trials) for row in shown],
        older=shown[-1]["number"] if len(rows) > MOST_REVISIONS else None,
    )


def _row(
    row: dict[str, Any],
    labels: dict[int, list[str]],
    profile: Profile,
    trials: dict[int, Tried],
) -> RevisionRow:
    return RevisionRow(
        number=row["number"],
        digest=row["digest"],
        note=row["note"],
        author=row["author__username"] or "Fleetdash",
        created_at=row["created_at"],
        published_at=row["published_at"],
        base=row["base__number"],
        restored_from=row["restored_from__number"],
        labels=labels.get(row["number"], []),
        running=row["running"],
        is_head=profile.head_id == row["pk"],
        size_bytes=row["size_bytes"],
        tried=trials.get(row["number"]),
    )
