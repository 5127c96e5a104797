"""Stops go on when the key, or the whole fleet, is not there any more, and say so truly."""

import httpx
import pytest

from emulator.server import EmulatorThread
from fleets.domain.errors import Conflict
from fleets.models import Fleet, Operation, Turn
from fleets.services import operations
from fleets.services.actor import Actor
from fleets.services.cancel import cancel_fleet
from fleets.services.cut_off import cut_off_fleet, reopen_fleet
from fleets.services.delete import delete_fleet
from fleets.services.stop_machines import stop_machines
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_operation, drive_to_end, drive_until

LONG = "[[ok]] [[slow 2000]] [[calls 2]] Part {index}."


def at_work(actor: Actor, *, count: int = 2) -> Fleet:
    """A fleet all of whose agents run and will for a long while."""
    fleet = launch(
        actor, count=count, at_once=count, prompt=LONG, task_timeout_s=7200, lifetime_s=7200
    )
    drive_until(lambda: Turn.objects.filter(run__fleet=fleet, state="running").count() == count)
    drive_until(lambda: not Operation.objects.filter(fleet=fleet, ended_at=None).exists())
    fleet.refresh_from_db()
    return fleet


def ask_platform(emulator: EmulatorThread, method: str, url: str) -> None:
    headers = {"Authorization": f"Bearer {emulator.config.account_key}"}
    httpx.request(method, url, headers=headers, verify=False).raise_for_status()


def revoke(emulator: EmulatorThread, fleet: Fleet) -> None:
    ask_platform(emulator, "DELETE", f"{emulator.id_url}/v1/keys/{fleet.key_id}")


def hide_keys(emulator: EmulatorThread, *, status: int = 404) -> None:
    for operation in ("keys.read", "keys.patch"):
        fault = {"operation": operation, "kind": "error", "status": status}
        control(emulator, "POST", "faults", fault)


def test_a_cancel_interrupts_although_the_key_is_revoked(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = at_work(actor)
    revoke(emulator, fleet)
    operation = drive_operation(cancel_fleet(fleet, actor=actor, reason="enough"))

    assert (operation.state, operation.result["failures"]) == ("done", []), operation.sentence
    assert operation.nodes.get(kind="key").result == "revoked already"
    assert Fleet.objects.get(pk=fleet.pk).state == "cancelled"


def test_a_cancel_interrupts_although_the_platform_has_no_such_key(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = at_work(actor)
    hide_keys(emulator)
    operation = drive_operation(cancel_fleet(fleet, actor=actor, reason="enough"))

    assert operation.state == "done", operation.sentence
    assert operation.result["interrupted"] == 2
    assert "no such key" in operation.nodes.get(kind="key").result
    fleet.refresh_from_db()
    assert fleet.state == "cancelled"
    assert fleet.key_revoked_at is not None


def test_a_key_that_may_not_be_lowered_stops_no_interrupt(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = at_work(actor)
    hide_keys(emulator, status=403)
    operation = drive_operation(cancel_fleet(fleet, actor=actor, reason="enough"))

    assert operation.state == "failed"
    assert operation.sentence.startswith("The key was not lowered: ")
    assert operation.result["interrupted"] == 2
    assert operation.nodes.get(kind="key").state == "failed"
    assert Fleet.objects.get(pk=fleet.pk).state == "cancelled"

    control(emulator, "DELETE", "faults")
    operation = drive_operation(operations.retry_operation(operation, actor=actor))
    assert operation.state == "done", operation.sentence


def test_interrupts_are_sent_while_the_keys_do_not_answer(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = at_work(actor)
    hide_keys(emulator, status=503)
    operation = cancel_fleet(fleet, actor=actor, reason="enough")
    agents = operation.nodes.filter(kind="agent")
    drive_until(lambda: agents.filter(state="stopped").count() == 2)
    operation.refresh_from_db()
    assert operation.ended_at is None

    control(emulator, "DELETE", "faults")
    drive_operation(operation)
    assert operation.state == "done", operation.sentence
    assert "cap lowered" in operation.nodes.get(kind="key").result


def test_a_cut_off_of_a_revoked_key_is_fulfilled_and_cannot_be_reopened(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = at_work(actor)
    revoke(emulator, fleet)
    operation = drive_operation(cut_off_fleet(fleet, actor=actor, reason="too dear"))

    assert operation.state == "done"
    assert "revoked already" in operation.sentence
    fleet.refresh_from_db()
    assert fleet.cut_off_confirmed_at is not None
    with pytest.raises(Conflict, match="revoked"):
        reopen_fleet(fleet, actor=actor, reason="go on")


def test_a_cut_off_that_is_refused_leaves_the_fleet_held_and_not_cutting(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = at_work(actor)
    hide_keys(emulator, status=403)
    operation = drive_operation(cut_off_fleet(fleet, actor=actor, reason="too dear"))

    assert operation.state == "failed"
    assert "held instead" in operation.sentence
    fleet.refresh_from_db()
    assert (fleet.state, fleet.cut_off_requested_at) == ("held", None)


def test_a_reopening_without_the_key_says_that_it_cannot_be(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = at_work(actor)
    drive_operation(cut_off_fleet(fleet, actor=actor, reason="too dear"))
    hide_keys(emulator)
    operation = drive_operation(reopen_fleet(fleet, actor=actor, reason="go on"))

    assert operation.state == "failed"
    assert "cannot be undone" in operation.sentence
    assert Fleet.objects.get(pk=fleet.pk).cut_off_confirmed_at is not None


def test_the_cancel_is_confirmed_by_its_own_readings_and_not_by_its_cut_off(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = at_work(actor)
    operation = cancel_fleet(fleet, actor=actor, reason="enough")
    drive_until(lambda: operation.nodes.get(kind="key").key_at is not None)
    assert Operation.objects.get(pk=operation.pk).confirmed_at is None

    operation = drive_operation(operation)
    key_at = operation.nodes.get(kind="key").key_at
    assert operation.confirmed_at is not None
    assert key_at is not None
    assert operation.confirmed_at > key_at


def ghost(fleet: Fleet) -> None:
    """Make it a fleet of which the platform knows neither name nor machine nor key."""
    name = f"{fleet.public_id}-x"[:63]
    Fleet.objects.filter(pk=fleet.pk).update(public_id=name, key_id="key-none")
    for number, machine in enumerate(fleet.machines.all()):
        fleet.machines.filter(pk=machine.pk).update(sandbox_id=f"sandbox-none-{number}")
    fleet.refresh_from_db()


def test_cancelling_a_fleet_that_the_platform_does_not_know_says_so(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = at_work(actor)
    ghost(fleet)
    operation = drive_operation(cancel_fleet(fleet, actor=actor, reason="enough"))

    assert operation.state == "done", operation.sentence
    assert operation.sentence.startswith("The platform has no such fleet.")
    assert "2 gone with their machines" in operation.sentence
    assert Fleet.objects.get(pk=fleet.pk).state == "deleted"


def test_deleting_a_fleet_that_the_platform_does_not_know_says_so(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = at_work(actor, count=1)
    ghost(fleet)
    operation = drive_operation(
        delete_fleet(fleet, actor=actor, reason="enough", typed_name=fleet.name)
    )

    assert operation.state == "done", operation.sentence
    assert operation.sentence.startswith("The platform has no such fleet")
    assert "no such key" in operation.nodes.get(kind="key").result
    assert Fleet.objects.get(pk=fleet.pk).state == "deleted"


def test_stopping_machines_that_vanished_says_that_none_is_left(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = drive_to_end(launch(actor, count=1))
    ghost(fleet)
    operation = drive_operation(stop_machines(fleet, actor=actor, reason="idle"))

    assert operation.sentence == (
        "The platform has none of its machines. Nothing of it costs any more."
    )
    assert "vanished" in fleet.machines.get().error
    assert fleet.events.filter(text__contains="nobody here deleted it").exists()
