"""Cancel, cut off and delete from the command line."""

from decimal import Decimal

import pytest

from emulator.server import EmulatorThread
from fleets.domain.money import NUSD_PER_USD
from fleets.domain.spec import LaunchSpec
from fleets.domain.status import Role
from fleets.management.fleet_commands import waiting
from fleets.models import AuditEvent, Fleet, Operation
from fleets.services.actor import Actor
from fleets.services.launch import launch_fleet
from tests.factories import UserFactory
from tests.integration.commands.calling import fleet
from tests.support.driver import control, drive_until


def launched(
    actor: Actor, *, prompt: str = "[[ok]] [[calls 1]] [[slow 600]] Part {index}.", count: int = 4
) -> Fleet:
    spec = LaunchSpec(
        name="night", team_slug="main", count=count, prompt=prompt, budget_nusd=3 * NUSD_PER_USD
    )
    return launch_fleet(spec, actor=actor, idempotency_key="night")


def running(actor: Actor) -> Fleet:
    """A fleet whose agents are all at work, driven here before the command comes."""
    row = launched(actor)

    def at_work() -> bool:
        row.refresh_from_db()
        return row.tasks_running == row.agents_total

    drive_until(at_work)
    return row


@pytest.fixture
def at_work(actor: Actor, emulator: EmulatorThread) -> Fleet:
    return running(actor)


def test_a_cancel_interrupts_and_keeps_the_machines(at_work: Fleet, driving: None) -> None:
    said = fleet("cancel", at_work.public_id, "--reason", "runs away", "--json")

    assert said.code == 0, said.err
    assert said.document == {"interrupted": 4, "failures": []}
    at_work.refresh_from_db()
    assert at_work.state == "cancelled"
    assert at_work.machines_running > 0
    assert AuditEvent.objects.get(act="fleet.cancel").reason == "runs away"


def test_a_cut_says_the_key_and_its_cap(at_work: Fleet, driving: None) -> None:
    said = fleet("cut", at_work.public_id, "--json")

    assert said.code == 0, said.err
    assert set(said.document) == {"keyId", "capUsd", "confirmed"}
    at_work.refresh_from_db()
    assert said.document["keyId"] == at_work.key_id
    assert said.document["confirmed"] is True
    assert Decimal(said.document["capUsd"]) < 3


def test_a_delete_leaves_nothing(at_work: Fleet, driving: None, emulator: EmulatorThread) -> None:
    said = fleet("delete", at_work.public_id, "--yes", "--json")

    assert said.code == 0, said.err
    assert said.document == {
        "status": "deleted",
        "left": {"fleets": 0, "sandboxes": 0, "keys": 0},
    }
    assert control(emulator, "GET", "left") == {"fleets": [], "sandboxes": [], "keys": []}


def test_a_delete_without_yes_and_without_anybody_to_ask_is_refused(at_work: Fleet) -> None:
    said = fleet("delete", at_work.public_id)

    assert said.code == 2
    assert "fleet delete: --yes: " in said.err
    assert not Operation.objects.filter(kind="delete").exists()


def test_watch_follows_to_the_end_with_the_code_of_the_work(
    driving: None, actor: Actor, emulator: EmulatorThread
) -> None:
    row = launched(actor, prompt="[[ok]] Part {index}.")

    said = fleet("watch", row.public_id, "--json")

    assert said.code == 0, said.err
    assert said.document["state"] == "finished"


def test_cancelling_what_has_ended_is_refused(
    driving: None, actor: Actor, emulator: EmulatorThread
) -> None:
    row = launched(actor, prompt="[[ok]] Part {index}.", count=1)
    fleet("watch", row.public_id)

    said = fleet("cancel", row.public_id)

    assert said.code == 2
    assert "No work" in said.err


def test_a_viewer_may_not_stop_anything(at_work: Fleet) -> None:
    UserFactory(username="reader", role=Role.VIEWER)

    said = fleet("cancel", at_work.public_id, "--as", "reader")

    assert said.code == 2
    assert "role operator" in said.err
    at_work.refresh_from_db()
    assert at_work.cancel_requested_at is None


def test_with_no_worker_it_says_so_and_gives_up_with_one(
    actor: Actor, emulator: EmulatorThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "GIVE_UP", waiting.GIVE_UP * 0)
    row = launched(actor)

    said = fleet("watch", row.public_id)

    assert said.code == 1
    assert "Fleetdash is not running here: make up" in said.err
    assert Operation.objects.get(kind="launch").state == "queued"


def test_a_cancel_with_an_interrupt_that_is_not_confirmed_is_three(
    at_work: Fleet, driving: None, emulator: EmulatorThread
) -> None:
    control(
        emulator,
        "POST",
        "faults",
        {"operation": "sessions.abort", "kind": "error", "status": 502, "count": 100},
    )

    # Without the cut, which would end the turns by itself at their next model call.
    said = fleet("cancel", at_work.public_id, "--only-this", "--json")

    assert said.code == 3, said.err
    failures = said.document["failures"]
    assert {failure["agentId"] for failure in failures} <= {f"agent-{n}" for n in range(1, 5)}
    assert failures
    assert "502" in failures[0]["error"]
    assert "not confirmed" in said.err


def test_a_cut_without_a_key_is_refused_with_what_to_do(
    actor: Actor, emulator: EmulatorThread
) -> None:
    spec = LaunchSpec(name="open", team_slug="main", count=1, prompt="[[ok]] Do it.")
    row = launch_fleet(spec, actor=actor, idempotency_key="open")

    said = fleet("cut", row.public_id)

    assert said.code == 2
    assert "cancel it, or delete it" in said.err
