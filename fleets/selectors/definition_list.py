"""Definitions as a list: one keyset page of rows with what their last fleets came to."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import F, Func, Window
from django.db.models.functions import RowNumber
from django.urls import reverse

from fleets.domain.money import UNKNOWN, show, show_limit
from fleets.domain.status import FleetState
from fleets.models import Definition, Fleet, User
from fleets.selectors.definition_filter import DefinitionFilter
from fleets.selectors.keyset import page_of

MOST_CHOICES: Final = 1_000
MOST_ROWS: Final = 50
# Success and cost are those of so many fleets, the newest ones.
LAST_FLEETS: Final = 10
_MOST_CHOICES: Final = 200
_ENDED: Final = (
    FleetState.FINISHED,
    FleetState.FAILED,
    FleetState.BUDGET_EXHAUSTED,
    FleetState.CANCELLED,
    FleetState.DELETED,
)


@dataclass(frozen=True, slots=True)
class LastLaunches:
    """What the newest fleets of a definition came to; None and "" before the first."""

    at: datetime | None = None
    by: str = ""
    state: str = ""
    url: str = ""
    completed: int = 0
    tasks: int = 0
    cost: str = UNKNOWN


@dataclass(frozen=True, slots=True)
class DefinitionRow:
    """A line of the list, as it is shown."""

    slug: str
    url: str
    name: str
    description: str
    tags: Sequence[str]
    revision: str
    shape: str
    agents: int | None
    budget: str
    owner: str
    updated_at: datetime
    is_archived: bool
    last: LastLaunches


@dataclass(frozen=True, slots=True)
class DefinitionPage:
    """At most `MOST_ROWS` rows of `total`; a cursor is "" where there is nothing further."""

    rows: Sequence[DefinitionRow]
    total: int
    after: str
    before: str


@dataclass(frozen=True, slots=True)
class Choices:
    """What the filters offer."""

    owners: Sequence[str]
    tags: Sequence[str]


def definition_page(
    chosen: DefinitionFilter, user: User, *, after: str = "", before: str = ""
) -> DefinitionPage:
    """One page of the filter. Three queries, however many rows."""
    found = chosen.definitions(user)
    rows = found.values(
        *("pk", "sort_value", "slug", "name", "description", "tags", "head__number", "shape"),
        *("agents_count", "budget_nusd", "owner__username", "updated_at", "archived_at"),
    )
    page = page_of(
        rows, is_descending=chosen.is_descending, size=MOST_ROWS, after=after, before=before
    )
    last = last_launches([row["pk"] for row in page.rows])
    return DefinitionPage(
        rows=[_row(row, last.get(row["pk"], LastLaunches())) for row in page.rows],
        total=found.count(),
        after=page.after,
        before=page.before,
    )


def last_launches(pks: Sequence[int]) -> dict[int, LastLaunches]:
    """What the newest fleets of these definitions came to, by definition. One query."""
    newest = Window(
        RowNumber(),
        partition_by=F("definition_revision__definition"),
        order_by=F("created_at").desc(),
    )
    rows = (
        Fleet.objects.filter(definition_revision__definition__in=pks)
        .annotate(place=newest, of=F("definition_revision__definition"))
        .filter(place__lte=LAST_FLEETS)
        .order_by("of", "place")
        .values(
            *("of", "public_id", "state", "created_at", "owner__username", "spent_nusd"),
            *("tasks_completed", "tasks_total"),
        )
    )
    grouped: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        grouped.setdefault(row["of"], []).append(row)
    return {pk: _last(fleets) for pk, fleets in grouped.items()}


def open_definitions() -> list[tuple[str, str]]:
    """Id and name of every definition that is not archived, to choose from. One query."""
    found = Definition.objects.filter(archived_at__isnull=True).order_by("name", "pk")
    rows = found.values_list("slug", "name")
    return [(slug, f"{name} ({slug})") for slug, name in rows[:MOST_CHOICES]]


def choices() -> Choices:
    """What there is to filter by. Two queries."""
    definitions = Definition.objects.order_by()
    tags = definitions.annotate(tag=Func("tags", function="unnest")).values_list("tag", flat=True)
    owners = definitions.filter(owner__isnull=False).values_list("owner__username", flat=True)
    return Choices(
        owners=list(owners.distinct().order_by("owner__username")[:_MOST_CHOICES]),
        tags=sorted(tags.distinct()[:_MOST_CHOICES]),
    )


def _last(fleets: Sequence[dict[str, Any]]) -> LastLaunches:
    """The newest first; only ended fleets say what they came to."""
    first = fleets[0]
    ended = [row for row in fleets if row["state"] in _ENDED]
    costs = [row["spent_nusd"] for row in ended if row["spent_nusd"] is not None]
    return LastLaunches(
        at=first["created_at"],
        by=first["owner__username"] or "Fleetdash",
        state=first["state"],
        url=reverse("fleets:fleet_detail", args=[first["public_id"]]),
        completed=sum(row["tasks_completed"] for row in ended),
        tasks=sum(row["tasks_total"] for row in ended),
        cost=show(sum(costs) // len(costs)) if costs else UNKNOWN,
    )


def _row(row: dict[str, Any], last: LastLaunches) -> DefinitionRow:
    budget = row["budget_nusd"]
    return DefinitionRow(
        slug=row["slug"],
        url=reverse("fleets:definition_detail", args=[row["slug"]]),
        name=row["name"],
        description=row["description"],
        tags=row["tags"],
        revision=f"r{row['head__number']}",
        shape=row["shape"],
        agents=row["agents_count"],
        budget=UNKNOWN if budget is None else show_limit(budget),
        owner=row["owner__username"] or "",
        updated_at=row["updated_at"],
        is_archived=row["archived_at"] is not None,
        last=last,
    )
