"""The catalog as a list: one keyset page of rows with their use, and what can be filtered by."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Func, OuterRef, Subquery
from django.urls import reverse

from fleets.domain.money import column_precision, show_at_precision
from fleets.domain.profile_drift import WORDS, Drift
from fleets.models import Catalog, Profile, ProfileRevision, User
from fleets.selectors.keyset import page_of
from fleets.selectors.platform_catalog import drifts_of
from fleets.selectors.profile_filter import ProfileFilter
from fleets.selectors.profile_usage import RECENT, Usage, usage_of

MOST_ROWS: Final = 50
_MOST_CHOICES: Final = 200


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """A line of the list, as it is shown. `head` "" while nothing is published."""

    slug: str
    url: str
    name: str
    description: str
    head: str
    draft: str
    catalog: str
    harness: str
    model: str
    skills: int
    mcp_servers: int
    usage: Usage
    cost: str
    updated_at: datetime
    updated_by: str
    is_archived: bool
    drift: str


@dataclass(frozen=True, slots=True)
class ProfilePage:
    """At most `MOST_ROWS` rows of `total`; a cursor is "" where there is nothing further."""

    rows: Sequence[ProfileRow]
    total: int
    after: str
    before: str


@dataclass(frozen=True, slots=True)
class Choices:
    """What the filters offer."""

    catalogs: Sequence[tuple[str, str]]
    harnesses: Sequence[str]
    owners: Sequence[str]
    tags: Sequence[str]


def profile_page(
    chosen: ProfileFilter, user: User, *, now: datetime, after: str = "", before: str = ""
) -> ProfilePage:
    """One page of the filter. At most six queries, however many rows."""
    found = chosen.profiles(user)
    newest = ProfileRevision.objects.filter(profile=OuterRef("pk"), number=OuterRef("newest"))
    rows = found.annotate(by=Subquery(newest.values("author__username")[:1])).values(
        *("pk", "sort_value", "slug", "name", "description", "newest", "head__number", "harness"),
        "head__digest",
        *("model", "skills", "mcp_servers", "updated_at", "archived_at", "catalog__name", "by"),
    )
    page = page_of(
        rows, is_descending=chosen.is_descending, size=MOST_ROWS, after=after, before=before
    )
    usage = usage_of([row["pk"] for row in page.rows], since=now - RECENT)
    costs = [one.cost_per_turn_nusd for one in usage.values() if one.cost_per_turn_nusd]
    decimals = column_precision(costs) if costs else 2
    drifts = drifts_of({row["slug"]: row["head__digest"] or "" for row in page.rows}, now=now)
    return ProfilePage(
        rows=[
            _row(
                row,
                usage.get(row["pk"], Usage()),
                decimals=decimals,
                drift=drifts.get(row["slug"], Drift.UNKNOWN),
            )
            for row in page.rows
        ],
        total=found.count(),
        after=page.after,
        before=page.before,
    )


def choices() -> Choices:
    """What there is to filter by. Four queries."""
    profiles = Profile.objects.order_by()
    tags = profiles.annotate(tag=Func("tags", function="unnest")).values_list("tag", flat=True)
    harnesses = profiles.exclude(harness="").values_list("harness", flat=True)
    owners = profiles.filter(owner__isnull=False).values_list("owner__username", flat=True)
    return Choices(
        catalogs=list(Catalog.objects.values_list("slug", "name")[:_MOST_CHOICES]),
        harnesses=list(harnesses.distinct().order_by("harness")),
        owners=list(owners.distinct().order_by("owner__username")[:_MOST_CHOICES]),
        tags=sorted(tags.distinct()[:_MOST_CHOICES]),
    )


def _row(row: dict[str, Any], usage: Usage, *, decimals: int, drift: Drift) -> ProfileRow:
    head, newest = row["head__number"], row["newest"]
    return ProfileRow(
        slug=row["slug"],
        url=reverse("fleets:profile_detail", args=[row["slug"]]),
        name=row["name"],
        description=row["description"],
        head=f"r{head}" if head else "",
        draft=f"r{newest}" if newest > (head or 0) else "",
        catalog=row["catalog__name"],
        harness=row["harness"],
        model=row["model"],
        skills=row["skills"],
        mcp_servers=row["mcp_servers"],
        usage=usage,
        cost=show_at_precision(usage.cost_per_turn_nusd, decimals=decimals),
        updated_at=row["updated_at"],
        updated_by=row["by"] or "",
        is_archived=row["archived_at"] is not None,
        drift=WORDS[drift] if drift in (Drift.BEHIND, Drift.CHANGED) else "",
    )
