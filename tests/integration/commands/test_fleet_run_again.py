"""`fleet run --fleet ID`: all again, only some, those that did not complete."""

from typing import Any

import pytest

from emulator.server import EmulatorThread
from fleets.models import Fleet, Run
from fleets.services.actor import Actor
from tests.integration.commands.calling import Said, fleet
from tests.integration.driving.launching import launch
from tests.support.driver import drive_to_end

FIRST = "[[ok]] [[fail if agent-3]] Your codeword is WORD-{index}, {agent_id}."


def statuses(said: Said) -> dict[str, Any]:
    return {agent["agentId"]: agent["status"] for agent in said.document["agents"]}


def test_a_fleet_goes_on_in_the_sessions_it_has(driving: None, emulator: EmulatorThread) -> None:
    first = fleet("run", FIRST, "--agents", "2", "--max-spend-usd", "1", "--name", "n", "--json")
    assert first.code == 0, first.err
    said = fleet("run", "[[ok]] [[recall]] Which words?", "--fleet", "n", "--json")

    assert said.code == 0, said.err
    assert "run 2" in said.err
    before, after = first.document["agents"], said.document["agents"]
    assert [one["sessionId"] for one in before] == [one["sessionId"] for one in after]
    assert [one["traceId"] for one in before] != [one["traceId"] for one in after]
    assert [f"WORD-{number}." in one["response"] for number, one in enumerate(after, 1)] == [
        True,
        True,
    ]


def test_only_some_run_and_the_code_tells_of_them_alone(
    driving: None, emulator: EmulatorThread
) -> None:
    first = fleet("run", FIRST, "--agents", "3", "--max-spend-usd", "1", "--name", "n", "--json")
    assert first.code == 3
    said = fleet("run", "[[ok]] Again.", "--fleet", "n", "--only", "agent-1,agent-2", "--json")

    assert said.code == 0, said.err
    assert statuses(said) == {"agent-1": "completed", "agent-2": "completed"}
    assert said.document["wallSeconds"] < first.document["wallSeconds"] + 60
    failed = fleet("run", "[[ok]] Once more.", "--fleet", "n", "--failed", "--fresh", "--json")
    assert failed.code == 0, failed.err
    assert statuses(failed) == {"agent-3": "completed"}
    assert Fleet.objects.get().tasks_completed == 3


def test_events_tell_of_this_runs_agents_each_once(driving: None, emulator: EmulatorThread) -> None:
    fleet("run", "[[ok]] {index}", "--agents", "3", "--max-spend-usd", "1", "--name", "n", "--json")
    said = fleet("run", "[[ok]] x", "--fleet", "n", "--only", "agent-2", "--events")

    assert said.code == 0, said.err
    kinds = [line["type"] for line in said.lines]
    assert kinds == ["agent.started", "agent.finished", "fleet.finished"]


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("--fleet", "none"), "--fleet"),
        (("--fleet", "review", "--only", "agent-9"), "--only"),
        (("--fleet", "review", "--only", "agent-1", "--failed"), "--failed"),
        (("--fleet", "review", "--agents", "3"), "--agents"),
        (("--fleet", "review", "--max-spend-usd", "3"), "--max-spend-usd"),
        (("Use sk-tan-0123456789abcdef.", "--fleet", "review"), "PROMPT"),
        (("x", "--agents", "2", "--only", "agent-1"), "--only"),
        (("x", "--agents", "2", "--fresh"), "--fresh"),
    ],
)
def test_bad_input_is_two_and_names_its_place(
    actor: Actor, words: tuple[str, ...], place: str
) -> None:
    launched = launch(actor, count=1)
    Run.objects.filter(fleet=launched).update(ended_at=launched.created_at)
    Fleet.objects.filter(pk=launched.pk).update(created_on_platform_at=launched.created_at)
    launched.machines.update(status="running")
    said = fleet("run", *words)

    assert said.code == 2
    assert f"fleet run: {place}: " in said.err
    assert "sk-tan-0123456789abcdef" not in said.err
    assert Run.objects.count() == 1


def test_why_not_now_is_said_in_a_sentence(emulator: EmulatorThread, actor: Actor) -> None:
    row = drive_to_end(launch(actor, count=1))
    Fleet.objects.filter(pk=row.pk).update(held_at=row.created_at)
    said = fleet("run", "x", "--fleet", row.public_id)

    assert said.code == 2
    assert "This fleet is held: no new turns. Release it first." in said.err
