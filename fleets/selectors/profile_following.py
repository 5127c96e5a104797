"""What was published in what a person follows, and which of their definitions it reaches."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse

from fleets.domain.definition import check_definition
from fleets.domain.reference_effect import RefEffect, effect_of
from fleets.models import (
    AuditEvent,
    Catalog,
    Definition,
    Profile,
    ProfileFollow,
    ProfileLabel,
    ProfileRevision,
    User,
)

MOST_ROWS: Final = 100
_MOST_DEFINITIONS: Final = 200


@dataclass(frozen=True, slots=True)
class DefinitionUse:
    """A definition of the person or of their team, and what the profile's head means for it."""

    name: str
    url: str
    effects: Sequence[RefEffect]


@dataclass(frozen=True, slots=True)
class Publication:
    """A revision that became a head. `previous` is the head before it, None for the first.

    `uses` stand at the newest publication of a profile alone: they are about its head now.
    """

    slug: str
    name: str
    catalog: str
    number: int
    previous: int | None
    note: str
    who: str
    at: datetime
    is_new: bool
    uses: Sequence[DefinitionUse] = ()

    @property
    def url(self) -> str:
        """What it changed, or the profile where there was nothing before."""
        if self.previous is None:
            return reverse("fleets:profile_detail", args=[self.slug])
        diff = reverse("fleets:profile_diff", args=[self.slug])
        return f"{diff}?a={self.previous}&b={self.number}"


@dataclass(frozen=True, slots=True)
class Followed:
    """A profile or catalog that is followed."""

    kind: str
    slug: str
    name: str


@dataclass(frozen=True, slots=True)
class FollowingPage:
    """At most `MOST_ROWS` publications, newest first; `until` is the moment of the newest."""

    followed: Sequence[Followed]
    others: Sequence[Catalog]
    rows: Sequence[Publication]
    unseen: int
    until: datetime | None


@dataclass(frozen=True, slots=True)
class FollowState:
    """Whether a person follows a profile itself, and whether they follow its catalog."""

    is_followed: bool
    is_catalog_followed: bool


def follow_state(profile: Profile, user: User) -> FollowState:
    """The state for one profile's page. One query."""
    found = ProfileFollow.objects.filter(
        Q(profile=profile) | Q(catalog=profile.catalog_id), user=user
    )
    kinds = set(found.values_list("profile_id", flat=True))
    return FollowState(profile.pk in kinds, None in kinds)


@dataclass(frozen=True, slots=True)
class CatalogState:
    """A catalog, and whether a person follows it."""

    slug: str
    name: str
    is_followed: bool


def catalog_state(slug: str, user: User) -> CatalogState | None:
    """The state for the list of one catalog, None when there is none of that id. One query."""
    mine = ProfileFollow.objects.filter(user=user, catalog=OuterRef("pk"))
    found = Catalog.objects.filter(slug=slug).annotate(is_followed=Exists(mine))
    row = found.values_list("slug", "name", "is_followed").first()
    return CatalogState(*row) if row else None


def unseen_count(user: User) -> int:
    """How many publications of others are news to this person. Two queries, or one."""
    follows = list(ProfileFollow.objects.filter(user=user))
    if not follows:
        return 0
    since = min(one.seen_at for one in follows)
    mine = (
        _published(follows).filter(published_at__gt=since).filter(~Q(author=user) | Q(author=None))
    )
    return mine.filter(Exists(_unseen(user))).count()


def following_page(user: User) -> FollowingPage:
    """What is followed, and what was published there. At most eight queries."""
    follows = list(ProfileFollow.objects.filter(user=user).select_related("profile", "catalog"))
    followed = sorted(
        (_followed(one) for one in follows), key=lambda one: (one.kind, one.name.lower())
    )
    catalogs = {one.catalog_id for one in follows}
    rows = _rows(user, follows) if follows else []
    slugs = list(dict.fromkeys(row["profile__slug"] for row in rows))
    who = _publishers(rows)
    uses = _uses(user, slugs)
    newest = {row["profile__slug"]: row["number"] for row in reversed(rows)}
    shown = [
        _publication(
            row,
            who=who.get((row["profile__slug"], row["number"])),
            uses=uses.get(row["profile__slug"], ())
            if newest[row["profile__slug"]] == row["number"]
            else (),
        )
        for row in rows
    ]
    return FollowingPage(
        followed=followed,
        others=[one for one in Catalog.objects.all() if one.pk not in catalogs],
        rows=shown,
        unseen=unseen_count(user) if rows else 0,
        until=rows[0]["published_at"] if rows else None,
    )


def _published(follows: Collection[ProfileFollow]) -> "QuerySet[ProfileRevision]":
    profiles = [one.profile_id for one in follows if one.profile_id]
    catalogs = [one.catalog_id for one in follows if one.catalog_id]
    found = ProfileRevision.objects.filter(published_at__isnull=False).order_by()
    return found.filter(Q(profile__in=profiles) | Q(profile__catalog__in=catalogs))


def _unseen(user: User) -> "QuerySet[ProfileFollow]":
    """What the person follows and has not looked at since a revision was published."""
    mine = ProfileFollow.objects.filter(user=user, seen_at__lt=OuterRef("published_at"))
    return mine.filter(Q(profile=OuterRef("profile")) | Q(catalog=OuterRef("profile__catalog")))


def _by_others(user: User) -> Q:
    return ~Q(author=user) | Q(author=None)


def _rows(user: User, follows: Collection[ProfileFollow]) -> list[dict[str, Any]]:
    before = ProfileRevision.objects.filter(
        profile=OuterRef("profile"), number__lt=OuterRef("number"), published_at__isnull=False
    )
    rows = (
        _published(follows)
        .annotate(
            previous=Subquery(before.values("number")[:1]),
            is_new=Exists(_unseen(user)) & _by_others(user),
        )
        .order_by("-published_at", "-pk")
        .values(
            *("profile__slug", "profile__name", "profile__catalog__name", "number", "previous"),
            *("note", "author__username", "published_at", "is_new"),
        )
    )
    return [dict(row) for row in rows[:MOST_ROWS]]


def _publishers(rows: Collection[Mapping[str, Any]]) -> dict[tuple[str, int], str]:
    """Who published a draft of somebody else's, from the audit."""
    found = AuditEvent.objects.filter(
        act="profile.publish",
        object_type="profile",
        object_id__in={row["profile__slug"] for row in rows},
        after__head__in=list({row["number"] for row in rows}),
    )
    return {
        (slug, number): name
        for slug, number, name in found.order_by("pk").values_list(
            "object_id", "after__head", "actor__username"
        )
        if name
    }


def _uses(user: User, slugs: Sequence[str]) -> dict[str, list[DefinitionUse]]:
    """Definitions of the person and of their teams that name one of these profiles."""
    if not slugs:
        return {}
    teams = list(user.teams.values_list("pk", flat=True))
    own = Q(owner=user) | Q(owner__in=User.objects.filter(teams__in=teams))
    found = (
        Definition.objects.filter(own, profile_slugs__overlap=list(slugs))
        .filter(archived_at__isnull=True, head__isnull=False)
        .order_by("name", "pk")
        .values_list("name", "slug", "head__body")[:_MOST_DEFINITIONS]
    )
    published = Profile.objects.filter(slug__in=slugs, head__isnull=False)
    heads: dict[str, int] = dict(published.values_list("slug", "head__number"))
    labels: dict[str, dict[str, int]] = defaultdict(dict)
    placed = ProfileLabel.objects.filter(profile__slug__in=slugs)
    for slug, name, number in placed.values_list("profile__slug", "name", "revision__number"):
        labels[slug][name] = number
    uses: dict[str, list[DefinitionUse]] = defaultdict(list)
    for name, definition_slug, body in found:
        recipe = check_definition(json.loads(body)).definition
        effects: dict[str, list[RefEffect]] = defaultdict(list)
        for ref in recipe.refs if recipe else ():
            if ref.slug in heads:
                effect = effect_of(ref, head=heads[ref.slug], labels=labels[ref.slug])
                effects[ref.slug].append(effect)
        url = reverse("fleets:definition_detail", args=[definition_slug])
        for slug, said in effects.items():
            uses[slug].append(DefinitionUse(name, url, said))
    return uses


def _followed(one: ProfileFollow) -> Followed:
    if one.profile is not None:
        return Followed("profile", one.profile.slug, one.profile.name)
    assert one.catalog is not None
    return Followed("catalog", one.catalog.slug, one.catalog.name)


def _publication(
    row: Mapping[str, Any], *, who: str | None, uses: Sequence[DefinitionUse]
) -> Publication:
    return Publication(
        slug=row["profile__slug"],
        name=row["profile__name"],
        catalog=row["profile__catalog__name"],
        number=row["number"],
        previous=row["previous"],
        note=row["note"],
        who=who or row["author__username"] or "Fleetdash",
        at=row["published_at"],
        is_new=row["is_new"],
        uses=uses,
    )
