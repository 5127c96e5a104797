"""One run time for page, sentence and command."""

from datetime import timedelta

import pytest
from django.utils import timezone

from fleets.domain.status import FleetState
from fleets.selectors.fleet_detail import fleet_head
from fleets.selectors.fleet_report import wall_s
from tests.factories import FleetFactory

pytestmark = pytest.mark.django_db


def test_page_sentence_and_command_tell_the_same_run_time() -> None:
    now = timezone.now()
    fleet = FleetFactory(
        state=FleetState.FINISHED,
        created_at=now - timedelta(seconds=300),
        started_at=now - timedelta(seconds=290),
        work_ended_at=now - timedelta(seconds=113),
    )

    head = fleet_head(fleet, now=now)
    assert head.ended_at is not None
    assert (head.ended_at - head.since).total_seconds() == 187
    assert wall_s(fleet, now=now) == 187
    assert head.sentence.startswith("Finished after 3 m 07 s:")


def test_since_is_the_order_before_and_after_the_first_machine_runs() -> None:
    now = timezone.now()
    fleet = FleetFactory(created_at=now - timedelta(seconds=30))
    before = fleet_head(fleet, now=now).since
    fleet.started_at = now

    assert fleet_head(fleet, now=now).since == before == fleet.created_at


def test_a_delete_ends_the_run_time_of_work_that_it_ended() -> None:
    now = timezone.now()
    fleet = FleetFactory(state=FleetState.DELETING, delete_requested_at=now - timedelta(seconds=9))

    assert fleet_head(fleet, now=now).ended_at == fleet.delete_requested_at
