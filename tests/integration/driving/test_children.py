"""Child fleets launched from here: minted with the parent's key, paid out of its budget."""

import pytest

from emulator.server import EmulatorThread
from fleets.domain.child_budget import returned_words
from fleets.domain.errors import Conflict, InvalidInput
from fleets.models import Fleet, Operation
from fleets.services.actor import Actor
from fleets.services.cut_off import cut_off_fleet
from fleets.services.delete import delete_fleet
from fleets.services.watch import watch_fleet
from tests.integration.driving.launching import CENT_NUSD, launch
from tests.support.account import ledger, now, stop_the_clock
from tests.support.driver import control, drive_operation, drive_to_end, drive_until


def child_of(parent: Fleet, actor: Actor, number: int, **changes: object) -> Fleet:
    """A child of $0.12 with one agent on the smallest machine."""
    asked: dict[str, object] = {
        "name": f"shard-{number}",
        "count": 1,
        "size": "nano",
        "budget_nusd": 12 * CENT_NUSD,
        "parent_id": parent.public_id,
        "parent_agent": "agent-1",
    }
    return launch(actor, key=f"child-{number}", **{**asked, **changes})


@pytest.fixture
def parent(emulator: EmulatorThread, actor: Actor) -> Fleet:
    """A parent of $0.30 whose own work has cost a little, and is over."""
    fleet = launch(
        actor, name="research", count=1, size="nano", budget_nusd=30 * CENT_NUSD, at_once=1
    )
    return drive_to_end(fleet)


def test_thirty_cents_admit_two_children_of_twelve_and_the_third_is_refused_in_numbers(
    emulator: EmulatorThread, actor: Actor, parent: Fleet
) -> None:
    children = [child_of(parent, actor, number) for number in (1, 2)]
    drive_until(lambda: all(now(child).created_on_platform_at for child in children))
    stop_the_clock(emulator)

    keys = ledger(emulator)
    for child in children:
        key = keys[child.key_id]
        assert (key["parentKeyId"], key["budgetNusd"]) == (parent.key_id, 12 * CENT_NUSD)
        assert (child.parent_agent, child.root_id, child.depth) == ("agent-1", parent.pk, 1)
    told = {row["fleetId"]: row["parent"] for row in control(emulator, "GET", "state")["fleets"]}
    assert told[children[0].public_id] == {"fleetId": parent.public_id, "agentId": "agent-1"}
    watch_fleet(now(parent), now=parent.created_at)
    assert now(parent).reserved_nusd == keys[parent.key_id]["reservedNusd"]
    asked = r"\$0\.30 − \$[\d.]+ spent − \$[\d.]+ reserved = \$[\d.]+ left; asked \$0\.12\."
    with pytest.raises(InvalidInput, match=asked):
        child_of(parent, actor, 3)
    assert Fleet.objects.count() == 3

    control(emulator, "POST", "clock", {"speed": 10})
    child = drive_to_end(children[0])
    deleted = drive_operation(delete_fleet(child, actor=actor, reason="done", typed_name="shard-1"))
    spent = ledger(emulator)[child.key_id]["spentNusd"]
    assert now(child).spent_nusd == spent > 0
    words = returned_words(budget_nusd=12 * CENT_NUSD, spent_nusd=spent, parent="research")
    assert words in deleted.sentence
    assert (now(parent).reserved_nusd or 0) <= 12 * CENT_NUSD


def test_what_only_the_platform_knows_is_told_in_numbers_and_a_parent_may_take_no_child(
    emulator: EmulatorThread, actor: Actor, parent: Fleet
) -> None:
    Fleet.objects.filter(pk=parent.pk).update(remaining_nusd=None, key_seen_at=None)
    late = child_of(parent, actor, 4, budget_nusd=40 * CENT_NUSD)
    operation = drive_operation(Operation.objects.get(fleet=late))
    assert operation.state == "failed"
    assert "research: $0.30" in operation.sentence
    assert "left; asked $0.40." in operation.sentence
    assert now(late).state == "failed"

    secret = parent.key_secret
    drive_operation(cut_off_fleet(parent, actor=actor, reason="too dear"))
    with pytest.raises(Conflict, match="is cut off"):
        child_of(parent, actor, 1)
    Fleet.objects.filter(pk=parent.pk).update(cut_off_requested_at=None, key_secret=None)
    with pytest.raises(Conflict, match="its key elsewhere"):
        child_of(parent, actor, 2)
    Fleet.objects.filter(pk=parent.pk).update(key_secret=secret)
    with pytest.raises(InvalidInput, match="no agent agent-9"):
        child_of(parent, actor, 3, parent_agent="agent-9")
