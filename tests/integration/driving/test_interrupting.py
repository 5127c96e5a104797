"""One agent is interrupted; the others go on."""

from emulator.server import EmulatorThread
from fleets.models import Agent, Fleet, Operation, Turn
from fleets.services.actor import Actor
from fleets.services.interrupt import interrupt_agent
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_operation, drive_to_end, drive_until

SLOW_FIRST = "[[ok]] [[slow 300 if agent-1]] Part {index}."


def at_work(fleet: Fleet, agent_id: str) -> bool:
    return Turn.objects.filter(run__fleet=fleet, agent__agent_id=agent_id, state="running").exists()


def interrupt(fleet: Fleet, agent_id: str, *, actor: Actor) -> Operation:
    agent = Agent.objects.get(fleet=fleet, agent_id=agent_id)
    return interrupt_agent(agent, actor=actor, reason="runs away")


def test_the_agent_stops_and_the_others_finish(emulator: EmulatorThread, actor: Actor) -> None:
    fleet = launch(actor, count=3, prompt=SLOW_FIRST)
    drive_until(lambda: at_work(fleet, "agent-1"))

    order = interrupt(fleet, "agent-1", actor=actor)
    assert interrupt(fleet, "agent-1", actor=actor) == order
    order = drive_operation(order)

    assert (order.state, order.nodes.get().state) == ("done", "stopped"), order.sentence
    assert "interrupted, conversation kept" in order.sentence
    drive_to_end(fleet)
    states = dict(Agent.objects.filter(fleet=fleet).values_list("agent_id", "state"))
    assert states == {"agent-1": "cancelled", "agent-2": "completed", "agent-3": "completed"}
    assert fleet.state == "finished"


def test_what_had_finished_before_keeps_its_answer(emulator: EmulatorThread, actor: Actor) -> None:
    fleet = launch(actor, count=1, prompt="[[ok]] [[slow 4]] Part {index}.")
    drive_until(lambda: at_work(fleet, "agent-1"))
    control(emulator, "POST", "clock", {"advanceS": 60})

    order = drive_operation(interrupt(fleet, "agent-1", actor=actor))

    turn = Turn.objects.get(run__fleet=fleet)
    assert (turn.outcome, order.nodes.get().state) == ("completed", "finished"), order.sentence
    assert turn.task.response
    assert not turn.ended_after_stop


def test_an_interrupt_that_gets_no_answer_is_asked_again(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = launch(actor, count=1, prompt="[[ok]] [[slow 300]] Part {index}.")
    drive_until(lambda: at_work(fleet, "agent-1"))
    fault = {"operation": "sessions.abort", "kind": "error", "status": 502, "count": 4}
    control(emulator, "POST", "faults", fault)

    order = drive_operation(interrupt(fleet, "agent-1", actor=actor))

    assert (order.state, order.nodes.get().attempts) == ("done", 5), order.sentence
