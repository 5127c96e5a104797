"""The fleet's timeline: lines for people, written in the transaction of what they tell."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from fleets.live import publish
from fleets.models import Agent, Fleet, FleetEvent


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a timeline. `kind` chooses the icon; `text` is plain text, at most 400 signs."""

    kind: str
    text: str
    agent: Agent | None = None
    at: datetime | None = None


def note(fleet: Fleet, *lines: Line) -> None:
    """Append lines to the fleet's timeline and tell those who watch it."""
    note_all(fleet, lines)


def note_all(fleet: Fleet, lines: Iterable[Line]) -> None:
    """As `note`, for a list."""
    now = timezone.now()
    rows = [
        FleetEvent(
            fleet=fleet, agent=line.agent, at=line.at or now, kind=line.kind, text=line.text[:400]
        )
        for line in lines
    ]
    if rows:
        FleetEvent.objects.bulk_create(rows)
        publish(f"fleet:{fleet.public_id}", {"kind": "events"})
