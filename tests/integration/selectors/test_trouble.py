"""What a fleet's banner says of what stands in its way."""

from datetime import timedelta

import pytest
from django.utils import timezone

from fleets.domain.status import FleetState, OperationKind, OperationState
from fleets.selectors.fleet_detail import fleet_head
from fleets.selectors.trouble import trouble
from tests.factories import FleetFactory, OperationFactory, RunFactory

pytestmark = pytest.mark.django_db


def test_a_reading_that_failed_is_told_with_the_next_try() -> None:
    due = timezone.now() + timedelta(seconds=4)
    fleet = FleetFactory(last_error="no answer in 10 s")
    RunFactory(fleet=fleet, next_tick_at=due)

    told = trouble(fleet)
    assert told is not None
    assert (told.words, told.retry_at) == ("no answer in 10 s", due)
    assert "Stops are queued here" in told.advice


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        (FleetState.CREATING, OperationKind.LAUNCH),
        (FleetState.CANCELLING, OperationKind.CANCEL),
        (FleetState.DELETING, OperationKind.DELETE),
    ],
)
def test_an_operation_that_is_not_answered_is_told_on_its_fleets_page(
    state: FleetState, kind: OperationKind
) -> None:
    due = timezone.now() + timedelta(seconds=4)
    fleet = FleetFactory(state=state)
    operation = OperationFactory(fleet=fleet, kind=kind, state=OperationState.RUNNING)
    assert trouble(fleet) is None

    operation.failures, operation.next_attempt_at = 2, due
    operation.sentence = "The platform does not answer (500); trying again."
    operation.save()
    told = trouble(fleet)
    assert told is not None
    assert (told.words, told.retry_at) == (operation.sentence, due)


def test_a_refused_launch_was_answered_and_leaves_nothing_to_count_down() -> None:
    fleet = FleetFactory(
        state=FleetState.FAILED,
        last_error="The platform refused the launch: 403 no such model",
        cleanup_due_at=timezone.now() + timedelta(minutes=29),
    )

    head = fleet_head(fleet, now=timezone.now())
    assert head.trouble is not None
    assert head.trouble.title == "The platform refused the launch."
    assert (head.trouble.words, head.trouble.advice) == ("403 no such model", "")
    assert head.countdown is None
    assert not head.has_afterwards


def test_a_deleted_fleet_has_no_trouble_left() -> None:
    assert trouble(FleetFactory(state=FleetState.DELETED, last_error="key not found")) is None
