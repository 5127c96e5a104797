"""A fleet from its launch to nothing left, against the emulator."""

from emulator.server import EmulatorThread
from fleets.models import Operation, Turn, TurnEvent
from fleets.services.actor import Actor
from fleets.services.delete import delete_fleet
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_operation, drive_to_end


def test_twelve_agents_finish_and_a_delete_leaves_nothing(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = drive_to_end(launch(actor))

    assert fleet.state == "finished"
    assert fleet.tasks_completed == 12
    turns = Turn.objects.filter(run__fleet=fleet)
    assert len({turn.trace_id for turn in turns}) == 12
    assert all(turn.cost_nusd for turn in turns)
    assert TurnEvent.objects.filter(fleet_id=fleet.pk).exists()

    operation = drive_operation(
        delete_fleet(fleet, actor=actor, reason="done", typed_name="review")
    )
    fleet.refresh_from_db()
    assert operation.state == "done", operation.sentence
    assert fleet.state == "deleted"
    assert control(emulator, "GET", "left") == {"fleets": [], "sandboxes": [], "keys": []}
    keys = control(emulator, "GET", "state")["keys"]
    spent = next(key["spentNusd"] for key in keys if key["keyId"] == fleet.key_id)
    assert fleet.spent_nusd == spent


def test_the_same_form_twice_launches_once(emulator: EmulatorThread, actor: Actor) -> None:
    first = launch(actor, key="same", count=1)
    second = launch(actor, key="same", count=1)

    assert first.pk == second.pk
    assert Operation.objects.count() == 1


def test_a_create_that_timed_out_but_happened_makes_one_fleet(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fault = {"operation": "fleets.create", "kind": "reset", "count": 1}
    control(emulator, "POST", "faults", {**fault, "kind": "truncate", "afterBytes": 0})
    fleet = drive_to_end(launch(actor, count=2))

    assert fleet.state == "finished"
    assert len(control(emulator, "GET", "state")["fleets"]) == 1


def test_a_mint_whose_answer_was_lost_leaves_one_living_key(
    emulator: EmulatorThread, actor: Actor
) -> None:
    control(
        emulator,
        "POST",
        "faults",
        {"operation": "keys.mint", "kind": "truncate", "afterBytes": 0, "count": 1},
    )
    fleet = drive_to_end(launch(actor, count=1))

    assert fleet.state == "finished"
    assert control(emulator, "GET", "left")["keys"] == [fleet.key_id]
