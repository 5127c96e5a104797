"""When a process is killed: positions in the emulator's journal, three kinds of moment.

The worker is stopped in the middle of something by the emulator (a request that gets no answer yet)
and by the database (a row that this test holds), so that every kill strikes where it is meant to.
"""

import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum

from django.db import connection, transaction

from fleets.models import Agent, Fleet, Machine, OperationNode
from tests.integration.chaos.house import PATIENCE_S, House, eventually, is_at_work_on
from tests.support.worker import Background

WORK = ("sessions.dispatch", "sessions.list", "sessions.events", "keys.get")
LAUNCH = ("keys.mint", "fleets.create")
# What the write-back of an operation changes after its first rows.
_LATER_ROWS = {
    "keys.mint": OperationNode,
    "fleets.create": OperationNode,
    "fleets.get": Machine,
    "fleets.delete": OperationNode,
}


class Moment(Enum):
    """What has happened of a request when the process dies."""

    UNANSWERED = "sent and not answered"
    UNCOMMITTED = "answered and not committed"
    HALF_WRITTEN = "during write-back"


class Fate(Enum):
    """What becomes of an unanswered request after its sender died."""

    AT_ONCE = "happens before another process takes over"
    LATE = "happens after another process took over"
    NEVER = "never happens"


@dataclass(frozen=True, slots=True)
class Strike:
    """One kill: which moment, of which request."""

    moment: Moment
    operation: str
    skip: int
    happened: bool
    fate: Fate


def drawn(
    rng: random.Random,
    moments: Sequence[Moment],
    operations: Sequence[str],
    *,
    most_skipped: int = 2,
) -> list[Strike]:
    """One strike per moment, its place in the journal drawn from the seed."""
    return [
        Strike(
            moment=moment,
            operation=rng.choice(operations),
            skip=rng.randint(0, most_skipped),
            happened=rng.random() < 0.5,
            fate=rng.choice(list(Fate)),
        )
        for moment in moments
    ]


def strike(house: House, fleet: Fleet, victim: Background, what: Strike) -> bool:
    """Kill `victim` at the drawn moment and start it again; False when the moment never came."""
    return carry_out(house, fleet, victim, what, fault_id=arm(house, what))


def arm(house: House, what: Strike) -> str:
    """Have the emulator hold the answer to the drawn request; the id of that fault."""
    # `after`: it has been carried out when it is held.
    is_done = what.moment is not Moment.UNANSWERED or what.happened
    fault = {
        "operation": what.operation,
        "kind": "hold_until_released",
        "count": 1,
        "skip": what.skip,
        "when": "after" if is_done else "before",
    }
    return str(house.control("POST", "faults", fault)["fault"]["id"])


def carry_out(
    house: House, fleet: Fleet, victim: Background, what: Strike, *, fault_id: str
) -> bool:
    """Wait for the armed moment, kill, and start again; False when the moment never came."""
    if not _is_caught(house, fleet):
        house.control("DELETE", f"faults?id={fault_id}")
        return False
    if what.moment is Moment.UNANSWERED:
        _kill_unanswered(house, victim, what)
    else:
        _kill_writing(house, fleet, victim, what)
    house.control("DELETE", f"faults?id={fault_id}")
    if not victim.is_running:
        victim.start()
    return True


def _is_caught(house: House, fleet: Fleet) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if house.control("GET", "held")["held"]:
            return True
        fleet.refresh_from_db()
        if fleet.work_ended_at is not None and not is_at_work_on(fleet):
            return False
        time.sleep(0.02)
    return False


def _kill_unanswered(house: House, victim: Background, what: Strike) -> None:
    victim.kill()
    if what.fate is Fate.NEVER:
        house.control("POST", "release", {"drop": True})
    elif what.fate is Fate.AT_ONCE:
        house.control("POST", "release", {})
    else:
        victim.start()
        victim.wait_until_ready()
        time.sleep(1.0)
        house.control("POST", "release", {})


def _kill_writing(house: House, fleet: Fleet, victim: Background, what: Strike) -> None:
    with _rows_held(fleet, what):
        house.control("POST", "release", {})
        wait_until_somebody_waits_for_us()
        victim.kill()


@contextmanager
def _rows_held(fleet: Fleet, what: Strike) -> Iterator[None]:
    """Hold the fleet's row, which every write-back takes first, or rows that it takes later."""
    with transaction.atomic():
        if what.moment is Moment.UNCOMMITTED:
            list(Fleet.objects.select_for_update().filter(pk=fleet.pk))
        else:
            model = _LATER_ROWS.get(what.operation, Agent)
            path = "operation__fleet" if model is OperationNode else "fleet"
            list(model.objects.select_for_update(of=("self",)).filter(**{path: fleet}))  # type: ignore[attr-defined]
        yield


def wait_until_somebody_waits_for_us() -> None:
    """Return once another connection wants a row that this test's transaction holds."""
    eventually(_somebody_waits_for_us, "nobody came to write")


def _somebody_waits_for_us() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks"
            " WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        )
        return bool(cursor.fetchone()[0])
