"""When a process is killed: positions in the emulator's journal, three kinds of moment.

A process is stopped in the middle of something by the emulator (a request that gets no answer yet)
and by the database (a row that this test holds), so that every kill strikes where it is meant to.
"""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum

from django.db import Error as DatabaseError
from django.db import connection, transaction

from fleets.models import Agent, Fleet, Machine, OperationNode
from tests.integration.chaos.house import House, waits_in_database
from tests.integration.chaos.waiting import PATIENCE_S, has_ended

WORK = ("sessions.dispatch", "sessions.list", "sessions.events", "keys.read")
LAUNCH = ("keys.mint", "fleets.create")
# Who has not come to write by then dies where it is.
_LONGEST_WAIT_S = 20.0
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
    """One kill: of whom, at which moment, of which request, and for how long it stays away.

    `skip` requests of the operation pass before; `happened`: it is carried out before it is held.
    """

    victim: str
    moment: Moment
    operation: str
    skip: int
    happened: bool
    fate: Fate
    away_s: float


def drawn_strike(
    rng: random.Random, victim: str, moment: Moment, operation: str, *, most_skipped: int = 2
) -> Strike:
    """A strike with the rest of its place drawn."""
    return Strike(
        victim=victim,
        moment=moment,
        operation=operation,
        skip=0 if operation in LAUNCH else rng.randint(0, most_skipped),
        happened=rng.random() < 0.5,
        fate=rng.choice(list(Fate)),
        away_s=rng.choice((0.0, 0.5, 2.0)),
    )


def arm(house: House, what: Strike, *, match: str = "") -> str:
    """Have the emulator hold the answer to the drawn request; the id of that fault.

    `match` is part of the request's path.
    """
    # `after`: it has been carried out when it is held.
    is_done = what.moment is not Moment.UNANSWERED or what.happened
    fault = {
        "operation": what.operation,
        "kind": "hold_until_released",
        "count": 1,
        "skip": what.skip,
        "match": match,
        "when": "after" if is_done else "before",
    }
    return str(house.control("POST", "faults", fault)["fault"]["id"])


def carry_out(house: House, fleet: Fleet, what: Strike, *, fault_id: str) -> bool:
    """Wait for the armed moment and kill; False when the moment never came.

    The victim is started again once its time away is over, by whoever calls `house.keep_up`.
    """
    if not _is_caught(house, fleet, fault_id):
        house.control("DELETE", f"faults?id={fault_id}")
        return False
    house.wait_until_up(what.victim)
    if what.victim == "emulator":
        kill(house, what)
    elif what.moment is Moment.UNANSWERED:
        _kill_unanswered(house, what)
    else:
        _kill_writing(house, fleet, what)
    house.wait_until_up("emulator")
    house.control("DELETE", f"faults?id={fault_id}")
    return True


def kill(house: House, what: Strike) -> None:
    """-9, and back after its time away."""
    house.due_back[what.victim] = time.monotonic() + what.away_s
    if what.victim == "postgres" and what.fate is Fate.LATE:
        house.servers.postgres.kill_alone()
    else:
        house.processes[what.victim].kill()
    if what.victim == "postgres" and not connection.in_atomic_block:
        connection.close()


def _is_caught(house: House, fleet: Fleet, fault_id: str) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    looks = 0
    while time.monotonic() < deadline:
        looks += 1
        if any(held["faultId"] == fault_id for held in house.control("GET", "held")["held"]):
            return True
        if looks % 10 == 0 and has_ended(fleet):
            return False
        house.keep_up()
        time.sleep(0.04)
    return False


def _kill_unanswered(house: House, what: Strike) -> None:
    kill(house, what)
    if what.fate is Fate.NEVER:
        house.control("POST", "release", {"drop": True})
    elif what.fate is Fate.AT_ONCE:
        house.control("POST", "release", {})
    else:
        house.wait_until_up(what.victim)
        time.sleep(1.0)
        house.control("POST", "release", {})


def _kill_writing(house: House, fleet: Fleet, what: Strike) -> None:
    # Whoever writes when Postgres dies; any other victim when it writes itself.
    writer = "" if what.victim == "postgres" else what.victim
    with _rows_held(fleet, what):
        house.control("POST", "release", {})
        deadline = time.monotonic() + _LONGEST_WAIT_S
        # A follower leaves out what a tick is writing, and then may have nothing left to write.
        while not waits_in_database(writer) and time.monotonic() < deadline:
            time.sleep(0.02)
        kill(house, what)


@contextmanager
def _rows_held(fleet: Fleet, what: Strike) -> Iterator[None]:
    """Hold the fleet's row, which every write-back takes first, or rows that it takes later.

    What a follower writes is frames alone. When Postgres dies, so does what is held here.
    """
    try:
        with transaction.atomic():
            if what.victim == "follow":
                with connection.cursor() as cursor:
                    cursor.execute("LOCK TABLE fleets_turnevent IN SHARE MODE")
            elif what.moment is Moment.UNCOMMITTED:
                list(Fleet.objects.select_for_update().filter(pk=fleet.pk))
            else:
                model = _LATER_ROWS.get(what.operation, Agent)
                path = "operation__fleet" if model is OperationNode else "fleet"
                list(model.objects.select_for_update(of=("self",)).filter(**{path: fleet}))  # type: ignore[attr-defined]
            yield
    except DatabaseError:
        if what.victim != "postgres":
            raise
        connection.close()
