"""The platform answers late, wrongly, half or not at all: the run finishes, and finishes once."""

from typing import Any

from emulator.server import EmulatorThread
from fleets.domain.status import OperationState
from fleets.models import Operation, Turn
from fleets.services.actor import Actor
from fleets.services.cancel import cancel_fleet
from fleets.services.delete import delete_fleet
from tests.integration.chaos.books import assert_the_books_agree
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_once, drive_operation, drive_to_end, drive_until


def trouble(emulator: EmulatorThread, operation: str, kind: str, **more: Any) -> None:
    control(emulator, "POST", "faults", {"operation": operation, "kind": kind, **more})


def test_a_run_finishes_through_every_kind_of_trouble(
    emulator: EmulatorThread, actor: Actor
) -> None:
    for operation in ("keys.mint", "fleets.create"):
        trouble(emulator, operation, "timed_out_but_happened", count=1, latencyMs=100)
    trouble(emulator, "sessions.dispatch", "error", status=500, count=1)
    trouble(emulator, "sessions.dispatch", "error", status=502, count=1, skip=1)
    trouble(emulator, "sessions.dispatch", "reset", count=1, skip=2)
    trouble(emulator, "sessions.dispatch", "truncate", count=1, skip=3)
    trouble(emulator, "sessions.dispatch", "latency", latencyMs=1500, count=1, skip=4)
    for operation in ("sessions.list", "sessions.events", "keys.read", "fleets.get"):
        trouble(emulator, operation, "truncate", probability=0.1)
        trouble(emulator, operation, "error", status=500, probability=0.1)
        trouble(emulator, operation, "reset", probability=0.1)
        trouble(emulator, operation, "latency", latencyMs=400, probability=0.1)
    fleet = drive_to_end(launch(actor, count=6))

    assert (fleet.state, fleet.tasks_completed) == ("finished", 6)
    control(emulator, "DELETE", "faults")
    assert_the_books_agree(emulator, fleet)
    assert len(control(emulator, "GET", "state")["fleets"]) == 1
    assert control(emulator, "GET", "left")["keys"] == [fleet.key_id]


def test_an_operator_never_reads_of_a_429(emulator: EmulatorThread, actor: Actor) -> None:
    trouble(emulator, "*", "rate_limit", retryAfter=1, probability=0.3)
    fleet = launch(actor, count=1)
    told: set[str] = set()

    def ended() -> bool:
        fleet.refresh_from_db()
        told.add(fleet.last_error)
        told.update(Operation.objects.values_list("sentence", flat=True))
        told.update(Turn.objects.values_list("error", flat=True))
        return fleet.work_ended_at is not None

    drive_until(ended)
    assert fleet.tasks_completed == 1
    assert not [words for words in told if "429" in words or "does not answer" in words], told


def test_a_cancel_ends_although_interrupts_got_no_answer(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = launch(actor, count=2, at_once=2, prompt="[[ok]] [[slow 600]] {index}")
    drive_until(lambda: Turn.objects.filter(state="running").count() == 2)
    trouble(emulator, "sessions.abort", "reset", count=1)
    trouble(emulator, "sessions.abort", "truncate", count=1, afterBytes=0)
    operation = drive_operation(cancel_fleet(fleet, actor=actor, reason="enough"))

    assert operation.state == OperationState.DONE, operation.sentence
    fleet.refresh_from_db()
    assert (fleet.state, fleet.tasks_cancelled) == ("cancelled", 2)
    assert_the_books_agree(emulator, fleet)


def test_a_delete_before_anything_was_answered_leaves_nothing(
    emulator: EmulatorThread, actor: Actor
) -> None:
    """The create is carried out and never answered; then the fleet is deleted."""
    trouble(emulator, "fleets.create", "timed_out_but_happened", latencyMs=50)
    fleet = launch(actor, count=1)
    drive_until(lambda: bool(control(emulator, "GET", "state")["fleets"]))
    operation = delete_fleet(fleet, actor=actor, reason="no", typed_name=fleet.name)
    drive_operation(operation)

    assert operation.state == OperationState.DONE, operation.sentence
    assert control(emulator, "GET", "left") == {"fleets": [], "sandboxes": [], "keys": []}


def test_a_cancel_before_the_key_was_minted_ends(emulator: EmulatorThread, actor: Actor) -> None:
    trouble(emulator, "keys.mint", "error", status=503)
    fleet = launch(actor, count=1)
    drive_once()
    operation = drive_operation(cancel_fleet(fleet, actor=actor, reason="no"))

    assert operation.state == OperationState.DONE, operation.sentence
    fleet.refresh_from_db()
    assert (fleet.state, fleet.tasks_not_started) == ("cancelled", 1)
    assert control(emulator, "GET", "left") == {"fleets": [], "sandboxes": [], "keys": []}
