"""Who else is typing at something, told before it hurts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import QuerySet

from fleets.models import User

# Whoever typed within this time is editing still.
RECENT: Final = timedelta(minutes=30)
MOST_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class Editing:
    """Somebody who has unsaved changes, and since when."""

    name: str
    since: datetime
    touched_at: datetime
    is_recent: bool


def editing(drafts: "QuerySet[Any]", user: User, *, now: datetime) -> Sequence[Editing]:
    """Others among the people of these drafts, the last to type first. One query."""
    rows = drafts.exclude(user_id=user.pk).values_list("user__username", "began_at", "updated_at")
    return [Editing(name, since, at, now - at < RECENT) for name, since, at in rows[:MOST_SHOWN]]
