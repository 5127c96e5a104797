"""A launch that the platform refuses leaves nothing that looks as if it were still to come."""

from emulator.server import EmulatorThread
from fleets.models import Fleet, Operation
from fleets.selectors.operations import node_table, operation_head
from fleets.services.actor import Actor
from fleets.services.cancel import cancel_fleet
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_operation


def refused(emulator: EmulatorThread, actor: Actor) -> tuple[Fleet, Operation]:
    fault = {"operation": "fleets.create", "kind": "error", "status": 400}
    control(emulator, "POST", "faults", fault)
    fleet = launch(actor, count=2)
    operation = drive_operation(Operation.objects.get(fleet=fleet))
    fleet.refresh_from_db()
    return fleet, operation


def test_the_nodes_of_a_refused_launch_end_with_it(emulator: EmulatorThread, actor: Actor) -> None:
    _fleet, operation = refused(emulator, actor)

    words = {row.kind: row.word for row in node_table(operation).rows}
    assert words == {"fleet": "Not made", "machine": "Not made", "key": "Ready"}
    head = operation_head(operation)
    assert (head.pill_label, head.can_retry) == ("2 not made", False)


def test_a_refused_launch_counts_nothing_down(emulator: EmulatorThread, actor: Actor) -> None:
    fleet, _operation = refused(emulator, actor)

    assert (fleet.state, fleet.cleanup_due_at) == ("failed", None)
    assert set(fleet.machines.values_list("status", flat=True)) == {"failed"}
    assert fleet.key_revoked_at is not None


def test_the_nodes_of_a_launch_that_was_cancelled_before_it_began_end(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = launch(actor, count=2)
    operation = Operation.objects.get(fleet=fleet)
    cancel_fleet(fleet, actor=actor, reason="enough")
    drive_operation(operation)

    assert {row.word for row in node_table(operation).rows} == {"Not made"}
