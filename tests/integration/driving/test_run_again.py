"""A fleet run again: all of it, some, or what did not complete; sessions go on or begin afresh."""

from typing import Any

import pytest

from emulator.server import EmulatorThread
from fleets.domain.errors import Conflict, InvalidInput
from fleets.models import Fleet, Task, Turn
from fleets.services.actor import Actor
from fleets.services.afterwards import carry_out_due
from fleets.services.cancel import cancel_fleet
from fleets.services.cut_off import reopen_fleet
from fleets.services.delete import delete_fleet
from fleets.services.hold import hold_fleet, release_fleet
from fleets.services.run_again import RunAgain, run_again
from tests.integration.driving.launching import launch
from tests.integration.driving.test_mixed_agents import launched, received
from tests.support.driver import control, drive_operation, drive_to_end, drive_until

FIRST = "[[ok]] Your codeword is WORD-{agent_id}. Keep it."
AGAIN = RunAgain(message="[[ok]] [[recall]] Which codewords do you know?")


def again(fleet: Fleet, actor: Actor, what: RunAgain = AGAIN, *, key: str = "again-1") -> Fleet:
    run_again(fleet, what, actor=actor, form_key=key)
    return drive_to_end(fleet)


def answers(fleet: Fleet, run: int) -> dict[str, str]:
    tasks = Task.objects.filter(run__fleet=fleet, run__number=run)
    return dict(tasks.values_list("agent__agent_id", "response"))


def sessions(emulator: EmulatorThread) -> list[str]:
    entries: list[Any] = control(emulator, "GET", "journal?operation=sessions.dispatch")["entries"]
    return [entry["sessionId"] for entry in entries if entry["admitted"]]


def skill(word: str) -> dict[str, Any]:
    content = f"For whoever asks: the codeword is {word}."
    return {"resources": {"skills": [{"kind": "inline", "name": "words", "content": content}]}}


def test_a_codeword_of_one_agents_skill_is_never_said_by_another(
    emulator: EmulatorThread, actor: Actor
) -> None:
    words = {"one": "HERON", "two": "WREN", "three": "OWL"}
    task = "[[ok]] [[recall]] Name what you know."
    fleet = launched(
        actor,
        [{"agentId": name, "profile": skill(word), "task": task} for name, word in words.items()],
    )

    said = answers(fleet, 1)
    for name, word in words.items():
        assert [other for other, text in said.items() if word in text] == [name]


def test_in_a_second_run_each_agent_quotes_what_only_its_first_turn_was_given(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = again(drive_to_end(launch(actor, count=3, prompt=FIRST)), actor)

    assert fleet.state == "finished", fleet.stop_sentence
    said = answers(fleet, 2)
    assert {name: f"WORD-{name}." in text for name, text in said.items()} == {
        "agent-1": True,
        "agent-2": True,
        "agent-3": True,
    }
    assert all(text.count("WORD-") == 1 for text in said.values())
    first, second = sessions(emulator)[:3], sessions(emulator)[3:]
    assert sorted(first) == sorted(second)
    assert len(set(first)) == 3
    assert fleet.tasks_completed == 3
    assert fleet.cleanup_due_at is not None


def test_fresh_sessions_know_nothing_of_the_first_run(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fresh = RunAgain(message=AGAIN.message, is_fresh=True)
    fleet = again(drive_to_end(launch(actor, count=2, prompt=FIRST)), actor, fresh)

    assert all("I know no codeword." in text for text in answers(fleet, 2).values())
    assert len(set(sessions(emulator))) == 4


def test_a_subset_runs_and_the_others_keep_their_state(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = drive_to_end(launch(actor, count=3, prompt="[[ok]] [[fail if agent-3]] {agent_id}"))
    assert fleet.agents.get(agent_id="agent-3").state == "failed"
    only = RunAgain(message=AGAIN.message, only=("agent-1",))
    again(fleet, actor, only)

    assert list(answers(fleet, 2)) == ["agent-1"]
    states = dict(fleet.agents.values_list("agent_id", "state"))
    assert states == {"agent-1": "completed", "agent-2": "completed", "agent-3": "failed"}
    turns = dict(fleet.agents.values_list("agent_id", "turns"))
    assert turns == {"agent-1": 2, "agent-2": 1, "agent-3": 1}


def test_what_did_not_complete_runs_again_with_its_own_task(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = drive_to_end(launch(actor, count=3, prompt="[[ok]] [[fail if agent-3]] {agent_id}"))
    again(fleet, actor, RunAgain(not_completed=True))

    prompts = Task.objects.filter(run__number=2).values_list("prompt", flat=True)
    assert list(prompts) == ["[[ok]] [[fail if agent-3]] agent-3"]
    with pytest.raises(InvalidInput, match="no agent agent-9"):
        run_again(fleet, RunAgain(only=("agent-9",)), actor=actor, form_key="other")


def test_the_same_form_twice_runs_once(emulator: EmulatorThread, actor: Actor) -> None:
    fleet = drive_to_end(launch(actor, count=1))
    first = run_again(fleet, AGAIN, actor=actor, form_key="same")
    assert run_again(fleet, AGAIN, actor=actor, form_key="same").pk == first.pk
    with pytest.raises(Conflict, match="still open"):
        run_again(fleet, AGAIN, actor=actor, form_key="another")
    drive_to_end(fleet)
    assert run_again(fleet, AGAIN, actor=actor, form_key="same").pk == first.pk
    assert Turn.objects.filter(run__fleet=fleet).count() == 2


def test_a_second_run_puts_the_clean_up_off_until_it_has_ended(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = drive_to_end(launch(actor, count=1, after_delay_s=0))
    due = fleet.cleanup_due_at
    assert due is not None
    run_again(fleet, AGAIN, actor=actor, form_key="again")
    fleet.refresh_from_db()
    assert (fleet.state, fleet.work_ended_at, fleet.cleanup_due_at) == ("running", None, None)
    assert carry_out_due(now=due) == 0
    drive_to_end(fleet)
    assert fleet.cleanup_due_at is not None
    assert fleet.cleanup_due_at > due
    assert fleet.state == "finished"


def test_a_held_fleet_is_refused_with_the_way_out(emulator: EmulatorThread, actor: Actor) -> None:
    fleet = launch(actor, count=1, prompt="[[ok]] [[slow 200]] {index}")
    drive_until(lambda: Turn.objects.filter(run__fleet=fleet, state="running").count() == 1)
    hold_fleet(fleet, actor=actor, reason="look first")
    control(emulator, "POST", "clock", {"advanceS": 200})
    drive_to_end(fleet)
    with pytest.raises(Conflict, match="Release it first"):
        run_again(fleet, AGAIN, actor=actor, form_key="held")
    release_fleet(fleet, actor=actor, reason="go")
    assert again(fleet, actor).state == "finished"


def test_a_cancelled_fleet_runs_again_once_it_is_reopened(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = launch(actor, count=2, prompt="[[ok]] [[slow 600]] {index}")
    drive_until(lambda: Turn.objects.filter(run__fleet=fleet, state="running").count() > 0)
    drive_operation(cancel_fleet(fleet, actor=actor, reason="enough"))
    drive_to_end(fleet)
    with pytest.raises(Conflict, match="Reopen it first"):
        run_again(fleet, AGAIN, actor=actor, form_key="cancelled")

    drive_operation(reopen_fleet(fleet, actor=actor, reason="go on"))
    fleet = again(fleet, actor, RunAgain(message="[[ok]] Go on.", not_completed=True))
    assert (fleet.state, fleet.cancel_requested_at) == ("finished", None)
    assert fleet.tasks_completed == 2


def test_what_is_deleted_or_held_elsewhere_is_refused(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = drive_to_end(launch(actor, count=1))
    secret = fleet.key_secret
    Fleet.objects.filter(pk=fleet.pk).update(key_secret=None)
    with pytest.raises(Conflict, match="held elsewhere"):
        run_again(fleet, AGAIN, actor=actor, form_key="foreign")
    fleet.key_secret = secret
    fleet.save(update_fields=["key_secret"])
    drive_operation(delete_fleet(fleet, actor=actor, reason="done", typed_name="review"))
    with pytest.raises(Conflict, match="is deleted"):
        run_again(fleet, AGAIN, actor=actor, form_key="gone")


def test_what_a_profile_gave_goes_with_every_run(emulator: EmulatorThread, actor: Actor) -> None:
    fleet = launched(actor, [{"agentId": "one", "profile": skill("HERON"), "task": "[[ok]] x"}])
    again(fleet, actor)

    (body,) = received(emulator).values()
    assert body["backend"]["profile"] == skill("HERON")
    assert "HERON" in answers(fleet, 2)["one"]
