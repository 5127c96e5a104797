"""What is told of a fleet whose work has ended was read after its end."""

import pytest
from django.utils import timezone

from emulator.server import EmulatorThread
from fleets.models import Fleet, Turn
from fleets.selectors.fleet_spend import spend_card
from fleets.services.actor import Actor
from fleets.services.cancel import cancel_fleet
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_operation, drive_to_end, drive_until


def _key_at_platform(emulator: EmulatorThread, fleet: Fleet) -> int:
    keys = control(emulator, "GET", "state")["keys"]
    spent: int = next(key["spentNusd"] for key in keys if key["keyId"] == fleet.key_id)
    return spent


@pytest.mark.parametrize("count", [1, 3])
def test_the_key_is_read_after_the_last_task_before_the_run_is_called_ended(
    actor: Actor, count: int
) -> None:
    fleet = drive_to_end(launch(actor, count=count))

    turns = Turn.objects.filter(run__fleet=fleet)
    last_end = max(turn.ended_at for turn in turns if turn.ended_at)
    assert fleet.key_seen_at is not None
    assert fleet.key_seen_at > last_end
    assert (fleet.spent_nusd or 0) >= sum(turn.cost_nusd or 0 for turn in turns)


def test_the_balance_of_a_fleet_that_has_just_ended_adds_up(actor: Actor) -> None:
    fleet = drive_to_end(launch(actor, count=2))

    card = spend_card(fleet)
    parts = (card.spent_nusd, card.held_nusd, card.reserved_nusd, card.remaining_nusd)
    assert sum(part or 0 for part in parts) == fleet.budget_nusd


def test_a_cancel_takes_over_what_its_last_reading_said_of_the_key(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = launch(actor, count=4, prompt="[[slow 600]] Review part {index} as {agent_id}.")
    drive_until(lambda: Fleet.objects.get(pk=fleet.pk).tasks_running == 4)
    ordered_at = timezone.now()

    drive_operation(cancel_fleet(fleet, actor=actor, reason="enough"))

    fleet.refresh_from_db()
    assert fleet.key_seen_at is not None
    assert fleet.work_ended_at is not None
    assert fleet.cut_off_confirmed_at is not None
    assert fleet.key_seen_at > fleet.cut_off_confirmed_at > ordered_at
    assert fleet.spent_nusd is not None
    assert fleet.spent_nusd <= _key_at_platform(emulator, fleet)
