"""The timeline of a fleet, newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from fleets.models import Fleet, FleetEvent

MOST_ROWS: Final = 200
IN_PANEL: Final = 12


@dataclass(frozen=True, slots=True)
class EventRow:
    """One line: when, whose, what."""

    pk: int
    at: datetime
    kind: str
    state: str
    agent_id: str
    text: str


@dataclass(frozen=True, slots=True)
class EventPage:
    """Lines newest first; `before` is the pk to go on from, None on the last page."""

    rows: Sequence[EventRow]
    before: int | None


def event_page(
    fleet: Fleet, *, before: int | None = None, agent_id: str = "", limit: int = MOST_ROWS
) -> EventPage:
    """A page of the timeline. One query."""
    events = FleetEvent.objects.filter(fleet=fleet)
    if before is not None:
        events = events.filter(pk__lt=before)
    if agent_id:
        events = events.filter(agent__agent_id=agent_id)
    limit = min(limit, MOST_ROWS)
    found = list(
        events.order_by("-pk").values_list("pk", "at", "kind", "agent__agent_id", "text")[
            : limit + 1
        ]
    )
    shown = [
        EventRow(pk, at, kind, _state_of(kind), agent or "", text)
        for pk, at, kind, agent, text in found[:limit]
    ]
    return EventPage(shown, shown[-1].pk if len(found) > limit else None)


# The end of a kind says how its line looks: `agent_failed`, `fleet_held`, `budget_exhausted`.
_ENDINGS: Final = (
    ("not_started", "not_started"),
    ("failed", "failed"),
    ("refused", "failed"),
    ("timed_out", "timed_out"),
    ("budget_exhausted", "budget_exhausted"),
    ("budget", "budget_exhausted"),
    ("cut_off", "cancelled"),
    ("cancelled", "cancelled"),
    ("cancel", "cancelled"),
    ("deleted", "deleted"),
    ("delete", "deleting"),
    ("held", "held"),
    ("hold", "held"),
    ("release", "running"),
    ("reopen", "running"),
    ("waiting_approval", "waiting"),
    ("waiting_question", "waiting"),
    ("waiting_plan", "waiting"),
    ("unknown", "unknown"),
    ("finished", "finished"),
    ("completed", "finished"),
    ("ready", "finished"),
    ("started", "running"),
    ("running", "running"),
)


def _state_of(kind: str) -> str:
    return next((state for ending, state in _ENDINGS if kind.endswith(ending)), "queued")
