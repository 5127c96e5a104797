"""What the budget stops, and what `auto` keeps from being stopped."""

from typing import Any

from emulator.server import EmulatorThread
from fleets.models import Task, Turn
from fleets.services.actor import Actor
from tests.integration.driving.launching import CENT_NUSD, launch
from tests.support.driver import control, drive_to_end

BUDGET = 25 * CENT_NUSD


def dispatches(emulator: EmulatorThread) -> list[Any]:
    journal = control(emulator, "GET", "journal?operation=sessions.dispatch")
    entries: list[Any] = journal["entries"]
    return entries


def test_four_at_once_under_a_quarter_stop_early_and_say_why(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = drive_to_end(
        launch(actor, at_once=4, budget_nusd=BUDGET, prompt="[[ok]] [[calls 6]] Part {index}.")
    )

    assert fleet.state == "budget_exhausted"
    states = set(Task.objects.filter(run__fleet=fleet).values_list("state", "reason"))
    assert ("budget_exhausted", "") in states
    assert ("not_started", "budget") in states
    assert states <= {("budget_exhausted", ""), ("not_started", "budget"), ("completed", "")}
    # Below the budget: how far depends on how many calls were open at once, which a busy machine
    # decides.
    assert fleet.spent_nusd is not None
    assert fleet.spent_nusd < BUDGET
    assert fleet.stop_sentence.startswith("Stopped at $0.")
    assert "$0.25" in fleet.stop_sentence
    assert len(dispatches(emulator)) == Turn.objects.filter(run__fleet=fleet).count()


def test_auto_lets_all_twelve_finish_under_a_quarter(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = drive_to_end(launch(actor, at_once=None, budget_nusd=BUDGET))

    assert fleet.state == "finished", fleet.stop_sentence
    assert fleet.tasks_completed == 12


def test_a_fleet_without_a_budget_runs_on_the_account(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = drive_to_end(launch(actor, count=2, budget_nusd=None))

    assert fleet.state == "finished"
    assert fleet.key_id == ""
    assert fleet.spent_nusd is None
