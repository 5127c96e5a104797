"""Waits for what the worker does, by reading the database."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from django.utils import timezone

from fleets.management.fleet_commands.console import Console
from fleets.models import Fleet, Operation
from fleets.selectors.fleet_report import agents_cost_nusd
from fleets.selectors.unattended import unattended_since

POLL_S: Final = 0.4
# With nobody at work the order stands; the command waits no longer than this for somebody to come.
GIVE_UP: Final = timedelta(seconds=60)
# The key's figures settle a moment after the last turn; see `_money_is_settled`.
SETTLE_S: Final = 15.0
NOT_RUNNING: Final = "Fleetdash is not running here: make up"


class NobodyWorksError(Exception):
    """The order is written, and no worker takes it up."""


class Attention:
    """Says once when nobody works on a fleet, and raises when that does not change."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._is_said = False
        self._since: datetime | None = None

    def check(self, fleet: Fleet, *, now: datetime) -> None:
        """Raises NobodyWorksError after a minute without any worker."""
        if unattended_since(fleet, now=now) is None:
            if self._is_said:
                self._console.say("A worker has taken it up.")
            self._is_said, self._since = False, None
            return
        if not self._is_said:
            self._console.say(
                f"No worker takes this up. {NOT_RUNNING}. The order stands until then."
            )
            self._is_said, self._since = True, now
        if self._since is not None and now - self._since > GIVE_UP:
            raise NobodyWorksError


def wait_for_work(fleet: Fleet, *, console: Console, on_look: Callable[[Fleet], None]) -> Fleet:
    """Look at the fleet until its work has ended; `on_look` sees every look, the last included."""
    attention = Attention(console)
    while not _has_ended(fleet):
        on_look(fleet)
        attention.check(fleet, now=timezone.now())
        time.sleep(POLL_S)
        fleet.refresh_from_db()
    deadline = time.monotonic() + SETTLE_S
    while not _money_is_settled(fleet) and time.monotonic() < deadline:
        time.sleep(POLL_S)
        fleet.refresh_from_db()
    on_look(fleet)
    return fleet


def wait_for_operation(
    operation: Operation, *, console: Console, on_look: Callable[[Operation], None]
) -> Operation:
    """Look at the operation until it has ended."""
    attention = Attention(console)
    while operation.ended_at is None:
        on_look(operation)
        attention.check(operation.fleet, now=timezone.now())
        time.sleep(POLL_S)
        operation.refresh_from_db()
    operation.fleet.refresh_from_db()
    on_look(operation)
    return operation


def _has_ended(fleet: Fleet) -> bool:
    return fleet.work_ended_at is not None or fleet.deleted_at is not None


def _money_is_settled(fleet: Fleet) -> bool:
    """Whether the key has said at least what the agents' turns cost."""
    if fleet.budget_nusd is None or fleet.spent_nusd is None or fleet.deleted_at is not None:
        return True
    return fleet.spent_nusd >= (agents_cost_nusd(fleet) or 0)
