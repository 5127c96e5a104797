"""Orders on the fleets of the data set, of which no platform knows, end and say so."""

import pytest
from django.core.management import call_command

from emulator.server import EmulatorThread
from fleets.domain.status import OperationKind
from fleets.models import Fleet, Operation
from fleets.services.actor import Actor
from fleets.services.cancel import cancel_fleet
from fleets.services.cut_off import cut_off_fleet, reopen_fleet
from fleets.services.delete import delete_fleet
from tests.support.driver import control, drive_operation


@pytest.fixture
def filled(actor: Actor) -> None:
    """The data set, beside an emulator that has never heard of it."""
    call_command("demo", verbosity=0)


def fleet_of(name: str) -> Fleet:
    return Fleet.objects.get(name=name)


def ended(operation: Operation) -> Operation:
    operation = drive_operation(operation)
    assert operation.state == "done", operation.sentence
    return operation


def test_cancels_end_and_say_that_the_platform_has_no_such_fleet(
    filled: None, emulator: EmulatorThread, actor: Actor
) -> None:
    for name in (
        "nightly-review",
        "runaway-refactor",
        "contract-redlines",
        "label-support-tickets",
    ):
        operation = ended(cancel_fleet(fleet_of(name), actor=actor, reason="enough"))
        assert operation.sentence.startswith("The platform has no such fleet."), name
        assert fleet_of(name).state == "deleted"
    assert control(emulator, "GET", "left") == {"fleets": [], "sandboxes": [], "keys": []}


def test_deletes_end_and_say_that_the_platform_has_no_such_fleet(
    filled: None, emulator: EmulatorThread, actor: Actor
) -> None:
    for name in ("nightly-review", "spring-cleaning", "old-experiment", "docs-link-check"):
        order = delete_fleet(fleet_of(name), actor=actor, reason="enough", typed_name=name)
        operation = ended(order)
        assert operation.sentence.startswith("The platform has no such fleet"), name
        assert fleet_of(name).state == "deleted"
    assert control(emulator, "GET", "left") == {"fleets": [], "sandboxes": [], "keys": []}


def test_a_cut_off_is_fulfilled_and_a_reopening_says_that_it_cannot_be(
    filled: None, actor: Actor
) -> None:
    cut = ended(cut_off_fleet(fleet_of("nightly-review"), actor=actor, reason="too dear"))
    assert "revoked already" in cut.sentence

    opened = drive_operation(reopen_fleet(fleet_of("scrape-and-sort"), actor=actor, reason="go on"))
    assert opened.state == "failed"
    assert "cannot be undone" in opened.sentence


def test_a_fleet_that_is_being_made_can_be_stopped_and_is_never_made(
    filled: None, emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = fleet_of("first-aid-triage")
    ended(cut_off_fleet(fleet, actor=actor, reason="too dear"))
    ended(cancel_fleet(fleet_of("spring-cleaning"), actor=actor, reason="enough"))

    launch = Operation.objects.get(kind=OperationKind.LAUNCH, fleet__name="spring-cleaning")
    assert drive_operation(launch).sentence.startswith("Stopped by an operator")
    assert control(emulator, "GET", "left") == {"fleets": [], "sandboxes": [], "keys": []}
