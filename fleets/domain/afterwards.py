"""When machines go after the last task, and what they cost until then (product C6).

Nothing bills after its work unless somebody chose that: by default machines are deleted after half
an hour.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from fleets.domain.numbers import show_duration_s
from fleets.domain.status import Afterwards

DEFAULT_DELAY_S: Final = 1_800


@dataclass(frozen=True, slots=True)
class Countdown:
    """What happens to the machines next. `left_s` is 0 once it is due."""

    act: Afterwards
    due_at: datetime
    left_s: int
    nusd_per_hour: int


def cleanup_due_at(
    *, after: Afterwards, work_ended_at: datetime | None, after_delay_s: int
) -> datetime | None:
    """When the machines are to be deleted or stopped; None while work is open, or if they stay.

    A cancelled fleet counts from the end of its last task like any other.
    """
    if work_ended_at is None or after is Afterwards.KEEP:
        return None
    return work_ended_at + timedelta(seconds=after_delay_s)


def cleanup_due(
    *, after: Afterwards, work_ended_at: datetime | None, after_delay_s: int, now: datetime
) -> bool:
    """Whether that moment has come."""
    due_at = cleanup_due_at(after=after, work_ended_at=work_ended_at, after_delay_s=after_delay_s)
    return due_at is not None and now >= due_at


def countdown(
    *,
    after: Afterwards,
    work_ended_at: datetime | None,
    after_delay_s: int,
    nusd_per_hour: int,
    now: datetime,
) -> Countdown | None:
    """The figures of the countdown; None when nothing is going to happen by itself.

    `nusd_per_hour`: what the machines that still run cost together.
    """
    due_at = cleanup_due_at(after=after, work_ended_at=work_ended_at, after_delay_s=after_delay_s)
    if due_at is None:
        return None
    left = due_at - now
    left_s = max(0, -(-left // timedelta(seconds=1)))
    return Countdown(act=after, due_at=due_at, left_s=left_s, nusd_per_hour=nusd_per_hour)


def afterwards_label(after: Afterwards, *, after_delay_s: int = DEFAULT_DELAY_S) -> str:
    """The choice in words: "delete after 30 min", "stop after 30 min", "keep"."""
    if after is Afterwards.KEEP:
        return "keep"
    if after_delay_s == 0:
        return f"{after} at once"
    return f"{after} after {show_duration_s(after_delay_s)}"
