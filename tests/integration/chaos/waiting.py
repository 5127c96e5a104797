"""Waiting for what must come, however slow the machine and whatever is down meanwhile."""

import time
from collections.abc import Callable
from typing import Any

from django.db import InterfaceError, OperationalError, connection

from fleets.models import Fleet, Operation

# A slow machine with other things to do; nothing waits so long that is well.
PATIENCE_S = 150.0


def eventually(
    holds: Callable[[], bool],
    what: str,
    *,
    patience_s: float = PATIENCE_S,
    meanwhile: Callable[[], None] | None = None,
) -> None:
    """Wait until `holds`; fails with `what` and what stands in the database.

    A database that is away counts as "not yet". `meanwhile` is called between two looks.
    """
    deadline = time.monotonic() + patience_s
    while True:
        try:
            if holds():
                return
        except (OperationalError, InterfaceError):
            connection.close()
            if time.monotonic() > deadline:
                raise
        else:
            assert time.monotonic() < deadline, f"{what}: {_standing()}"
        if meanwhile is not None:
            meanwhile()
        time.sleep(0.1)


def wait_for_end_of_work(fleet: Fleet, *, patience_s: float = PATIENCE_S) -> None:
    """Return once the fleet's work has ended and nobody works on it."""
    eventually(lambda: has_ended(fleet), "the work has not ended", patience_s=patience_s)


def wait_for_end(operation: Operation) -> None:
    """Return once the operation has ended, well or not."""

    def ended() -> bool:
        operation.refresh_from_db()
        return operation.ended_at is not None

    eventually(ended, f"{operation.kind} has not ended")


def has_ended(fleet: Fleet) -> bool:
    """Whether the fleet's work has ended and no operation of it is under way."""
    fleet.refresh_from_db()
    return fleet.work_ended_at is not None and not is_at_work_on(fleet)


def is_at_work_on(fleet: Fleet) -> bool:
    """Whether an operation of the fleet is under way."""
    return Operation.objects.filter(fleet=fleet, ended_at__isnull=True).exists()


def _standing() -> list[Any]:
    fleets = Fleet.objects.exclude(state="deleted").order_by("-pk")[:5]
    operations = Operation.objects.filter(ended_at__isnull=True).order_by("-pk")[:10]
    return [
        *fleets.values_list("name", "state", "tasks_running", "last_error"),
        *operations.values_list("kind", "state", "attempts", "sentence"),
    ]
