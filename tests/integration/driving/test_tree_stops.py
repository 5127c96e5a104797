"""Stops of whole trees, with agents that go on spawning."""

import pytest

from emulator.server import EmulatorThread
from fleets.domain.errors import Conflict
from fleets.models import Fleet, Operation
from fleets.services.account import read_account
from fleets.services.actor import Actor
from fleets.services.cancel import cancel_fleet
from fleets.services.cut_off import cut_off_fleet
from fleets.services.delete import delete_fleet
from tests.support.account import (
    ledger,
    now,
    read_until,
    script_fleet,
    script_turn,
    spawning,
)
from tests.support.driver import control, drive_operation, drive_until


def children_at_platform(emulator: EmulatorThread, fleet: Fleet) -> int:
    """How many children of it the platform has or had."""
    fleets = control(emulator, "GET", "state")["fleets"]
    return sum((row["parent"] or {}).get("fleetId") == fleet.public_id for row in fleets)


def test_a_cancel_that_cuts_off_ends_the_spawning_and_one_that_cannot_says_that_it_is_beaten(
    emulator: EmulatorThread, actor: Actor
) -> None:
    budgeted = spawning(actor, 20, budget_nusd=2_000_000_000)
    unbudgeted = spawning(actor, 20, budget_nusd=None, name="unguarded", key="form-2")
    both = (budgeted, unbudgeted)
    drive_until(lambda: all(children_at_platform(emulator, fleet) for fleet in both))
    # From here on a child comes in every two seconds, as a reading does.
    control(emulator, "POST", "clock", {"speed": 0.1})
    read_account(budgeted.connection)
    beaten = drive_operation(cancel_fleet(unbudgeted, actor=actor, reason="spawns"))
    assert beaten.state == "failed"
    assert "Not stopped: agent-2 has left a process that made" in beaten.sentence
    assert "no key to cut off: delete it" in beaten.sentence
    assert beaten.nodes.filter(kind="fleet", revived=1).count() >= 4
    with pytest.raises(Conflict, match="no budget"):
        cut_off_fleet(unbudgeted, actor=actor, reason="spawns")

    cut = drive_operation(cancel_fleet(budgeted, actor=actor, reason="spawns"))
    assert cut.state == "done", cut.sentence
    count = children_at_platform(emulator, budgeted)
    control(emulator, "POST", "clock", {"speed": 5})
    assert cut.nodes.filter(kind="fleet", state="done").count() == count
    assert set(Fleet.objects.filter(parent=budgeted).values_list("state", flat=True)) == {
        "cancelled"
    }

    assert children_at_platform(emulator, budgeted) == count
    gone = drive_operation(
        delete_fleet(unbudgeted, actor=actor, reason="spawns", typed_name="unguarded")
    )
    assert gone.state == "done"
    below = Fleet.objects.filter(parent=unbudgeted)
    assert set(below.values_list("state", flat=True)) == {"deleted"}
    keys = ledger(emulator)
    for child in below.exclude(key_id=""):
        assert keys[child.key_id]["revokedMs"] is not None
        assert child.spent_nusd == keys[child.key_id]["spentNusd"]
    left = control(emulator, "GET", "left")["fleets"]
    assert not {*below.values_list("public_id", flat=True), unbudgeted.public_id} & set(left)


def test_a_child_found_after_the_cancel_was_done_opens_it_again(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = spawning(actor, 0, budget_nusd=None, prompt="[[ok]] [[slow 300]] {index}")
    read_until(lambda: now(fleet).tasks_running == 2)
    done = drive_operation(cancel_fleet(fleet, actor=actor, reason="enough"))
    assert done.state == "done", done.sentence
    script_fleet(emulator, "late-child", parent=fleet.public_id)
    read_account(fleet.connection)

    done.refresh_from_db()
    assert done.ended_at is None
    drive_operation(done)
    assert done.state == "done", done.sentence
    assert done.nodes.get(kind="fleet").ref == "late-child"
    assert done.nodes.get(kind="fleet").revived == 1


def test_a_foreign_fleet_is_cancelled_and_deleted_and_cut_off_only_where_its_key_is(
    emulator: EmulatorThread, actor: Actor
) -> None:
    sandbox = script_fleet(emulator, "agent-demo-1")
    read_until(lambda: Fleet.objects.filter(state="running").exists())
    fleet = Fleet.objects.get()
    script_turn(emulator, sandbox, "s-1", "[[ok]] [[slow 400]] Go.")
    read_until(lambda: now(fleet).tasks_running == 1)

    with pytest.raises(Conflict, match="billed to the account: cancel it, or delete it"):
        cut_off_fleet(fleet, actor=actor, reason="not ours")
    cancelled = drive_operation(cancel_fleet(fleet, actor=actor, reason="not ours"))
    assert cancelled.state == "done", cancelled.sentence
    assert cancelled.result["interrupted"] == 1
    assert now(fleet).state == "cancelled"

    deleted = delete_fleet(fleet, actor=actor, reason="not ours", typed_name=fleet.name)
    assert drive_operation(deleted).state == "done"
    assert now(fleet).state == "deleted"
    assert control(emulator, "GET", "left")["sandboxes"] == []
    assert Operation.objects.count() == 2
