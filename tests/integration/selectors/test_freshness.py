"""How old the figures of a fleet are."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from fleets.domain.status import FleetState
from fleets.selectors.freshness import awaited_since, read_at, stale_since
from tests.factories import FleetFactory

pytestmark = pytest.mark.django_db


def before(seconds: int) -> datetime:
    return timezone.now() - timedelta(seconds=seconds)


def test_a_page_is_as_old_as_its_oldest_figure() -> None:
    old = before(40)
    fleet = FleetFactory(platform_seen_at=before(5), key_seen_at=old)

    assert read_at(fleet) == old
    assert stale_since(fleet, now=timezone.now()) == old


def test_figures_of_less_than_half_a_minute_are_young() -> None:
    fleet = FleetFactory(platform_seen_at=before(29), key_seen_at=before(3))

    assert stale_since(fleet, now=timezone.now()) is None


def test_a_stop_reads_the_key_and_not_the_fleet() -> None:
    young = before(2)
    fleet = FleetFactory(
        state=FleetState.CANCELLING, platform_seen_at=before(90), key_seen_at=young
    )

    assert read_at(fleet) == young


@pytest.mark.parametrize("state", [FleetState.FINISHED, FleetState.DELETED])
def test_a_fleet_at_rest_is_not_called_stale(state: FleetState) -> None:
    fleet = FleetFactory(state=state, platform_seen_at=before(600), work_ended_at=before(600))

    assert stale_since(fleet, now=timezone.now()) is None


def test_a_launch_without_an_answer_is_as_old_as_its_order() -> None:
    ordered = before(31)
    fleet = FleetFactory(state=FleetState.CREATING, created_at=ordered)

    assert awaited_since(fleet) == ordered
    assert stale_since(fleet, now=timezone.now()) == ordered
    assert read_at(fleet) is None


@pytest.mark.parametrize("seen", [None, before(600)])
def test_demo_data_is_never_called_stale(seen: datetime | None) -> None:
    fleet = FleetFactory(
        is_demo=True, state=FleetState.CREATING, created_at=before(600), platform_seen_at=seen
    )

    assert awaited_since(fleet) is None
    assert stale_since(fleet, now=timezone.now()) is None
