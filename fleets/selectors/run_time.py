"""How long a fleet has run: the one definition for its page, its closing sentence, its commands."""

from dataclasses import dataclass
from datetime import datetime

from fleets.models import Fleet


@dataclass(frozen=True, slots=True)
class RunTime:
    """From the order to the end of the work; `ended_at` is None while it goes on."""

    since: datetime
    ended_at: datetime | None

    def seconds(self, *, now: datetime) -> float:
        """Its length, or so far."""
        return max(0.0, ((self.ended_at or now) - self.since).total_seconds())


def run_time(fleet: Fleet, *, since: datetime | None = None) -> RunTime:
    """The run time of a fleet, or of what was ordered of it `since`.

    Work that a delete ends, ends with its order: what follows is clearing away.
    """
    ended = fleet.work_ended_at or fleet.delete_requested_at or fleet.deleted_at
    return RunTime(since or fleet.created_at, ended)
