"""The peek beside the list: one fleet at a glance."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from fleets.models import Fleet, User
from fleets.selectors.fleet_events import EventRow, event_page
from fleets.selectors.fleet_rows import FleetRow, for_rows, row_of
from fleets.selectors.fleet_spend import SpendCard, spend_card

_EVENTS: Final = 5
_COUNTS: Final = (
    ("failed", "tasks_failed"),
    ("timed_out", "tasks_timed_out"),
    ("budget_exhausted", "tasks_budget"),
    ("unknown", "tasks_unknown"),
    ("waiting", "tasks_waiting"),
    ("running", "tasks_running"),
    ("queued", "tasks_queued"),
    ("not_started", "tasks_not_started"),
    ("cancelled", "tasks_cancelled"),
    ("completed", "tasks_completed"),
)


@dataclass(frozen=True, slots=True)
class FleetPeek:
    """What the peek shows. `counts` holds (word of state, count), what hurts first, no zeros."""

    row: FleetRow
    team: str
    since: datetime
    card: SpendCard
    counts: Sequence[tuple[str, int]]
    events: Sequence[EventRow]


def fleet_peek(user: User, public_id: str) -> FleetPeek | None:
    """The peek of a fleet that the user may read, None if there is none. Two queries."""
    if not user.is_viewer:
        return None
    fleet = for_rows(Fleet.objects.filter(public_id=public_id)).first()
    if fleet is None:
        return None
    card = spend_card(fleet)
    counted = ((word, getattr(fleet, counter)) for word, counter in _COUNTS)
    return FleetPeek(
        row=row_of(fleet),
        team=fleet.team.name,
        since=fleet.state_since,
        card=card,
        counts=[(word, count) for word, count in counted if count],
        events=event_page(fleet, limit=_EVENTS).rows,
    )
