"""Who uses a profile: fleets with the revision they have; what stands in the way of deleting."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count, Q, QuerySet

from fleets.models import AgentProfile, Definition, Fleet, Profile
from fleets.selectors.profile_usage import RECENT

MOST_FLEETS: Final = 50


@dataclass(frozen=True, slots=True)
class ProfileUser:
    """A fleet at work (or whatever else follows the profile) and the revision it has."""

    kind: str
    name: str
    ident: str
    revision: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class FleetUse:
    """A fleet that has or had the profile. `is_old`: the head has moved on since."""

    name: str
    public_id: str
    state: str
    number: int
    agents: int
    owner: str
    created_at: datetime
    is_at_work: bool
    is_old: bool


@dataclass(frozen=True, slots=True)
class UsePage:
    """Newest first; `older` is the row to go on from, None at the end."""

    rows: Sequence[FleetUse]
    older: int | None


def users_of(profile: Profile) -> tuple[ProfileUser, ...]:
    """Fleets that still work with it, and definitions that name it, archived ones too. Two
    queries. What has ended keeps its own copy.
    """
    rows = (
        Fleet.objects.filter(
            profiles__revision__profile=profile,
            work_ended_at__isnull=True,
            deleted_at__isnull=True,
        )
        .order_by("name", "profiles__revision__number")
        .values_list("name", "public_id", "profiles__revision__number")
        .distinct()
    )
    fleets = [ProfileUser("fleet", name, ident, f"r{number}") for name, ident, number in rows]
    return (*fleets, *definitions_of(profile))


def definitions_of(profile: Profile) -> tuple[ProfileUser, ...]:
    """Definitions that name it, archived ones too. One query."""
    named = Definition.objects.filter(profile_slugs__contains=[profile.slug])
    return tuple(
        ProfileUser("definition", one.name, one.slug, "")
        for one in named.only("name", "slug").order_by("name", "pk")
    )


def count_fleets(profile: Profile, *, now: datetime) -> tuple[int, int]:
    """Fleets that ever had it, and those of the last 30 days, trials left out. One query."""
    since = Q(fleet__created_at__gte=now - RECENT)
    found = _uses(profile).aggregate(
        ever=Count("fleet", distinct=True),
        recent=Count("fleet", distinct=True, filter=since),
    )
    return found["ever"], found["recent"]


def fleet_uses(profile: Profile, *, before: int | None = None) -> UsePage:
    """At most `MOST_FLEETS` lines, one for each fleet and revision, trials left out. One query."""
    found = _uses(profile)
    if before is not None:
        found = found.filter(pk__lt=before)
    rows = list(
        found.order_by("-pk")
        .annotate(of_agents=Count("agents"))
        .values_list(
            *("pk", "fleet__name", "fleet__public_id", "fleet__state", "revision__number"),
            *("of_agents", "fleet__owner__username", "fleet__created_at"),
            *("fleet__work_ended_at", "fleet__deleted_at"),
        )[: MOST_FLEETS + 1]
    )
    head = profile.head.number if profile.head else 0
    shown = rows[:MOST_FLEETS]
    return UsePage(
        rows=[
            FleetUse(
                name=row[1],
                public_id=row[2],
                state=row[3],
                number=row[4],
                agents=row[5],
                owner=row[6] or "",
                created_at=row[7],
                is_at_work=row[8] is None and row[9] is None,
                is_old=row[4] < head,
            )
            for row in shown
        ],
        older=shown[-1][0] if len(rows) > MOST_FLEETS else None,
    )


def _uses(profile: Profile) -> "QuerySet[AgentProfile]":
    return AgentProfile.objects.filter(revision__profile=profile, fleet__trial__isnull=True)
