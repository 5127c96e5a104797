"""The fleets that a definition launched."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.urls import reverse

from fleets.models import Definition, Fleet

MOST_ROWS: Final = 50


@dataclass(frozen=True, slots=True)
class LaunchRow:
    """One launch: of which revision, by whom, and what came of it. Money in nanodollars."""

    name: str
    url: str
    state: str
    revision: int
    agents: int
    completed: int
    failed: int
    spent_nusd: int | None
    budget_nusd: int | None
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class LaunchPage:
    """Newest first; `older` is the fleet's key to go on from, None at the end."""

    rows: Sequence[LaunchRow]
    older: int | None


def launch_page(definition: Definition, *, before: int | None = None) -> LaunchPage:
    """At most `MOST_ROWS` launches. One query."""
    found = Fleet.objects.filter(definition_revision__definition=definition)
    if before is not None:
        found = found.filter(pk__lt=before)
    rows = list(
        found.order_by("-pk").values(
            *("pk", "name", "public_id", "state", "definition_revision__number", "agents_total"),
            "tasks_total",
            *("tasks_completed", "tasks_failed", "spent_nusd", "budget_nusd", "created_at"),
            "owner__username",
        )[: MOST_ROWS + 1]
    )
    shown = rows[:MOST_ROWS]
    return LaunchPage(
        rows=[
            LaunchRow(
                name=row["name"],
                url=reverse("fleets:fleet_detail", args=[row["public_id"]]),
                state=row["state"],
                revision=row["definition_revision__number"],
                agents=row["tasks_total"] or row["agents_total"],
                completed=row["tasks_completed"],
                failed=row["tasks_failed"],
                spent_nusd=row["spent_nusd"],
                budget_nusd=row["budget_nusd"],
                by=row["owner__username"] or "Fleetdash",
                at=row["created_at"],
            )
            for row in shown
        ],
        older=shown[-1]["pk"] if len(rows) > MOST_ROWS else None,
    )


def last_team(definition: Definition) -> str:
    """The team of its last launch, "" before the first. One query."""
    teams = Fleet.objects.filter(definition_revision__definition=definition).order_by("-pk")
    return teams.values_list("team__slug", flat=True).first() or ""
