"""How fast money goes, from one reading of the key to the next."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from fleets.models import Fleet
from fleets.platform_api.types import KeyRow
from fleets.services.driving.key_row import take_key_row
from tests.factories import FleetFactory

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def read(fleet: Fleet, *, after_s: int, spent: str) -> int | None:
    row = KeyRow(
        id="key_1",
        name="fleet",
        parent_key_id=None,
        budget_usd=Decimal(3),
        spent_usd=Decimal(spent),
        reserved_usd=None,
        remaining_usd=None,
        revoked_at=None,
        created_at=None,
        raw={},
    )
    take_key_row(fleet, row, now=NOW + timedelta(seconds=after_s))
    return fleet.burn_nusd_per_min


def at_work() -> Fleet:
    fleet: Fleet = FleetFactory(tasks_running=9, machines_running=2, burn_nusd_per_min=None)
    assert read(fleet, after_s=0, spent="0") is None
    return fleet


def test_ten_seconds_of_machines_are_not_taken_for_the_burn_of_agents_at_work() -> None:
    assert read(at_work(), after_s=11, spent="0.0005") is None


def test_the_first_call_that_settles_tells_the_burn_since_the_beginning() -> None:
    fleet = at_work()
    read(fleet, after_s=11, spent="0.0005")

    assert read(fleet, after_s=30, spent="0.05") == 100_000_000


def test_what_only_machines_cost_for_two_minutes_is_the_burn() -> None:
    assert read(at_work(), after_s=120, spent="0.006") == 3_000_000


def test_without_work_machines_are_the_burn_at_once() -> None:
    fleet = at_work()
    fleet.tasks_running = 0

    assert read(fleet, after_s=10, spent="0.0005") == 3_000_000
