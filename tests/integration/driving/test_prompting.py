"""A second prompt goes on with the agent's own conversation."""

from emulator.server import EmulatorThread
from fleets.models import Agent, Run, Turn
from fleets.services.actor import Actor
from fleets.services.prompt import prompt_agent
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_to_end


def test_a_prompted_agent_works_again_in_its_session_and_the_others_stay(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = drive_to_end(launch(actor, count=3))
    agent = Agent.objects.get(fleet=fleet, agent_id="agent-2")

    task = prompt_agent(agent, text="[[ok]] And the tests?", actor=actor, form_key="form-2")
    fleet.refresh_from_db()
    assert (fleet.state, fleet.tasks_queued, fleet.tasks_completed) == ("running", 1, 2)
    fleet = drive_to_end(fleet)

    task.refresh_from_db()
    assert (task.state, fleet.state, fleet.tasks_completed) == ("completed", "finished", 3)
    turns = Turn.objects.filter(agent=agent).order_by("pk")
    assert [turn.turn_id for turn in turns] == ["t1-1", "t2-1"]
    agent.refresh_from_db()
    assert agent.turns == 2
    assert agent.cost_nusd == sum(turn.cost_nusd or 0 for turn in turns)
    journal = control(emulator, "GET", "journal")["entries"]
    mine = [entry for entry in journal if entry.get("sessionId") == agent.session_id]
    assert {"t1-1", "t2-1"} <= {entry.get("turnId") for entry in mine}
    assert Run.objects.filter(fleet=fleet, ended_at__isnull=False).count() == 2


def test_the_same_form_orders_one_turn(emulator: EmulatorThread, actor: Actor) -> None:
    fleet = drive_to_end(launch(actor, count=1))
    agent = Agent.objects.get(fleet=fleet)
    one = prompt_agent(agent, text="[[ok]] Again.", actor=actor, form_key="twice")
    other = prompt_agent(agent, text="[[ok]] Again.", actor=actor, form_key="twice")
    assert one.pk == other.pk
    drive_to_end(fleet)
    assert Turn.objects.filter(agent=agent).count() == 2
