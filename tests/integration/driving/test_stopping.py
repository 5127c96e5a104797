"""Hold, cut off and cancel, with the platform in the way."""

import threading
import time

from emulator.server import EmulatorThread
from fleets.domain.status import Afterwards
from fleets.models import Fleet, Operation, Task, Turn
from fleets.services.actor import Actor
from fleets.services.afterwards import carry_out_due
from fleets.services.cancel import cancel_fleet
from fleets.services.cut_off import cut_off_fleet, reopen_fleet
from fleets.services.hold import hold_fleet, release_fleet
from fleets.services.operations import retry_operation
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_once, drive_operation, drive_to_end, drive_until

SLOW = "[[ok]] [[slow 300]] Part {index}."


def running(fleet: Fleet, number: int) -> bool:
    fleet.refresh_from_db()
    return Turn.objects.filter(run__fleet=fleet, state="running").count() == number


def result_of(operation: Operation, agent_id: str) -> str:
    return str(operation.nodes.get(ref=agent_id).result)


def test_a_held_fleet_begins_nothing_until_it_is_released(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = launch(actor, count=2)
    hold_fleet(fleet, actor=actor, reason="look first")
    drive_until(lambda: bool(Fleet.objects.get(pk=fleet.pk).settled_at))
    for _ in range(3):
        drive_once()
        time.sleep(0.1)

    fleet.refresh_from_db()
    assert fleet.state == "held"
    assert not Turn.objects.exclude(state="queued").exists()

    release_fleet(fleet, actor=actor, reason="go")
    assert drive_to_end(fleet).state == "finished"


def test_a_cut_off_refuses_every_further_call_and_can_be_reopened(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = launch(actor, count=2, at_once=1, prompt="[[ok]] [[calls 9]] [[slow 60]] {index}")
    drive_until(lambda: running(fleet, 1))
    operation = drive_operation(cut_off_fleet(fleet, actor=actor, reason="too dear"))

    assert operation.state == "done"
    assert operation.confirmed_at is not None
    fleet.refresh_from_db()
    assert fleet.key_cap_nusd is not None
    assert fleet.spent_nusd is not None
    assert fleet.key_cap_nusd <= fleet.spent_nusd
    drive_until(lambda: running(fleet, 0))
    fleet.refresh_from_db()
    assert fleet.state == "held"
    assert Task.objects.filter(run__fleet=fleet, state="queued").count() == 1

    drive_operation(reopen_fleet(fleet, actor=actor, reason="go on"))
    fleet.refresh_from_db()
    assert fleet.cut_off_requested_at is None
    control(emulator, "POST", "clock", {"speed": 500})
    drive_to_end(fleet)
    assert fleet.tasks_completed == 1


def test_a_cancel_interrupts_what_runs_and_keeps_the_machines(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = launch(actor, count=8, at_once=4, prompt=SLOW)
    drive_until(lambda: running(fleet, 4))
    operation = drive_operation(cancel_fleet(fleet, actor=actor, reason="enough"))

    fleet.refresh_from_db()
    assert operation.state == "done", operation.sentence
    assert operation.result["interrupted"] == 4
    assert fleet.state == "cancelled"
    assert fleet.tasks_cancelled == 4
    assert fleet.tasks_not_started == 4
    assert fleet.machines_running == 2
    assert "2 machines stay" in operation.sentence
    assert len(control(emulator, "GET", "left")["sandboxes"]) == 2


def hinder_abort(emulator: EmulatorThread, fleet: Fleet, agent_id: str, **fault: object) -> None:
    session = fleet.agents.get(agent_id=agent_id).session_id
    body = {"operation": "sessions.abort", "match": f"/{session}/", **fault}
    control(emulator, "POST", "faults", body)


def let_one_finish_before_its_abort(emulator: EmulatorThread) -> None:
    reached = {"operation": "sessions.abort", "count": 4, "timeoutMs": 60_000}
    control(emulator, "POST", "wait-for", reached)
    control(emulator, "POST", "clock", {"advanceS": 75})
    control(emulator, "POST", "release", {})


def test_three_agents_end_in_three_ways_and_the_page_tells_each_truly(
    emulator: EmulatorThread, actor: Actor
) -> None:
    slow = " ".join(f"[[slow 400 if agent-{number}]]" for number in (2, 3, 4))
    fleet = launch(
        actor,
        count=4,
        at_once=4,
        prompt=f"[[ok]] [[slow 60 if agent-1]] {slow} {{agent_id}}",
        task_timeout_s=7200,
        lifetime_s=7200,
    )
    drive_until(lambda: running(fleet, 4))
    hinder_abort(emulator, fleet, "agent-3", kind="error", status=502)
    hinder_abort(emulator, fleet, "agent-1", kind="hold_until_released", when="before")
    operation = cancel_fleet(fleet, actor=actor, reason="enough", only_this=True)
    helper = threading.Thread(target=let_one_finish_before_its_abort, args=[emulator])
    helper.start()
    drive_operation(operation)
    helper.join()

    assert operation.state == "failed"
    assert "finished before the interrupt" in result_of(operation, "agent-1")
    assert result_of(operation, "agent-2") == "interrupted, conversation kept"
    assert result_of(operation, "agent-3").startswith("502 after 3 tries")
    fleet.refresh_from_db()
    assert fleet.state == "cancelling"
    assert fleet.tasks_running == 1

    control(emulator, "POST", "clock", {"speed": 100})
    drive_to_end(fleet)
    assert fleet.state == "cancelled"
    assert "completed all the same" in result_of(operation, "agent-3")
    late = Turn.objects.get(agent__agent_id="agent-3", run__fleet=fleet)
    assert (late.outcome, late.ended_after_stop) == ("cancelled", True)
    assert late.cost_nusd
    assert late.task.response
    again = drive_operation(retry_operation(operation, actor=actor))
    assert again.sentence.startswith("2 interrupted, 1 had finished, 1 completed all the same.")
    assert len(control(emulator, "GET", "left")["sandboxes"]) == 1


def test_after_the_last_task_the_machines_are_deleted_when_their_time_is_over(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = drive_to_end(launch(actor, count=1, after=Afterwards.DELETE, after_delay_s=0))
    assert fleet.cleanup_due_at is not None
    assert carry_out_due(now=fleet.cleanup_due_at) == 1
    drive_until(lambda: Fleet.objects.get(pk=fleet.pk).state == "deleted")
    assert control(emulator, "GET", "left") == {"fleets": [], "sandboxes": [], "keys": []}


def test_after_stop_keeps_the_machines_stopped(emulator: EmulatorThread, actor: Actor) -> None:
    fleet = drive_to_end(launch(actor, count=1, after=Afterwards.STOP, after_delay_s=0))
    assert fleet.cleanup_due_at is not None
    assert carry_out_due(now=fleet.cleanup_due_at) == 1
    drive_until(lambda: Fleet.objects.get(pk=fleet.pk).machines_running == 0)
    machine = fleet.machines.get()
    assert machine.status == "stopped"
    assert machine.gone_at is None
