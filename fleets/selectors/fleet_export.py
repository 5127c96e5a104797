"""The fleets of a filter as flat records, money exact, unknown as None."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from fleets.domain.money import usd_string
from fleets.models import Fleet, User
from fleets.selectors.fleet_filter import FleetFilter
from fleets.selectors.fleet_list import sorted_by

_CHUNK: Final = 500
Record = dict[str, str | int | None]

_COUNTERS: Final = {
    "tasks": "tasks_total",
    "completed": "tasks_completed",
    "failed": "tasks_failed",
    "budgetExhausted": "tasks_budget",
    "cancelled": "tasks_cancelled",
    "timedOut": "tasks_timed_out",
    "notStarted": "tasks_not_started",
    "unknown": "tasks_unknown",
}


def fleet_records(chosen: FleetFilter, user: User, *, now: datetime) -> Iterator[Record]:
    """Every fleet of the filter in its order, read in chunks: no page, no limit."""
    found = chosen.fleets(user, now=now).filter(chosen.in_state(now=now))
    rows = sorted_by(found, chosen.sort).select_related("owner", "team", "parent")
    for fleet in rows.defer("prompt", "key_secret").iterator(_CHUNK):
        yield _record(fleet)


def _record(fleet: Fleet) -> Record:
    return {
        "fleetId": fleet.public_id,
        "name": fleet.name,
        "state": fleet.state,
        "parentFleetId": fleet.parent.public_id if fleet.parent else None,
        "team": fleet.team.slug,
        "owner": fleet.owner.get_username() if fleet.owner else None,
        "tags": " ".join(fleet.tags),
        "harness": fleet.harness,
        "model": fleet.model,
        "createdAt": _instant(fleet.created_at),
        "startedAt": _instant(fleet.started_at),
        "workEndedAt": _instant(fleet.work_ended_at),
        "agents": fleet.agents_total,
        **{name: getattr(fleet, column) for name, column in _COUNTERS.items()},
        "budgetUsd": _usd(fleet.budget_nusd),
        "spentUsd": _usd(fleet.spent_nusd),
        "reservedForChildrenUsd": _usd(fleet.reserved_nusd),
        "remainingUsd": _usd(fleet.remaining_nusd),
        "machinesRunning": fleet.machines_running,
        "stopSentence": fleet.stop_sentence,
    }


def _usd(nusd: int | None) -> str | None:
    return None if nusd is None else usd_string(nusd)


def _instant(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(UTC).isoformat()
