"""`fleet run` from the command line to the agents' answers."""

from decimal import Decimal

import pytest

from emulator.server import EmulatorThread
from fleets.models import Fleet, Turn
from fleets.services.actor import Actor
from tests.integration.commands.calling import fleet
from tests.support.driver import control
from tests.support.worker import Workers

DOCUMENT = {
    "fleetId", "name", "state", "wallSeconds", "requests", "spend", "agents", "machines",
}  # fmt: skip
AGENT = {
    "agentId", "machineId", "sandboxId", "sessionId", "status", "verdict", "verdictReason",
    "response", "traceId", "costUsd", "error",
}  # fmt: skip
TWELVE = ("[[ok]] Part {index}.", "--agents", "12", "--model", "gpt-4.1-mini")


def test_fifty_agents_have_fifty_sessions_and_traces(
    worker: Workers, emulator: EmulatorThread, actor: Actor
) -> None:
    said = fleet("run", "[[ok]] Part {index}.", "--agents", "50", "--max-spend-usd", "3", "--json")

    assert said.code == 0, said.err
    document = said.document
    assert set(document) == DOCUMENT
    assert document["state"] == "finished"
    agents = document["agents"]
    assert set(agents[0]) == AGENT
    assert len({agent["sessionId"] for agent in agents}) == 50
    assert len({agent["traceId"] for agent in agents}) == 50
    assert all(agent["response"] and agent["error"] is None for agent in agents)
    assert {name for machine in document["machines"] for name in machine["agents"]} == {
        agent["agentId"] for agent in agents
    }
    spent = Decimal(document["spend"]["spentUsd"])
    assert spent >= sum(Decimal(agent["costUsd"]) for agent in agents)
    assert spent + Decimal(document["spend"]["remainingUsd"]) == Decimal(3)


def test_the_report_for_people_shows_every_session_and_trace_and_the_page(
    driving: None, emulator: EmulatorThread
) -> None:
    said = fleet("run", "[[ok]] Look at {agent_id}.", "--agents", "3", "--max-spend-usd", "1")

    assert said.code == 0, said.err
    row = Fleet.objects.get()
    assert row.name == "look-at"
    for agent in row.agents.all():
        assert agent.session_id in said.out
        assert agent.turn_rows.get().trace_id in said.out
    assert f"/fleets/{row.public_id}" in said.err
    assert "3 of 3 agents done" in said.err


def test_some_failed_is_three(driving: None, emulator: EmulatorThread) -> None:
    said = fleet("run", "[[fail]] Part {index}.", "--agents", "2", "--max-spend-usd", "1", "--json")

    assert said.code == 3, said.err
    assert said.document["state"] == "failed"
    assert {agent["status"] for agent in said.document["agents"]} == {"failed"}
    assert all(agent["error"] for agent in said.document["agents"])


def test_four_at_once_under_a_small_budget_stop_early_with_four(
    driving: None, emulator: EmulatorThread
) -> None:
    said = fleet("run", *TWELVE, "--max-spend-usd", "0.25", "--at-once", "4", "--json")

    assert said.code == 4, said.err
    document = said.document
    states = [agent["status"] for agent in document["agents"]]
    assert document["state"] == "budget_exhausted"
    assert "budget_exhausted" in states
    assert set(states) <= {"budget_exhausted", "not_started", "completed"}
    row = Fleet.objects.get()
    assert row.stop_sentence
    assert row.stop_sentence in said.err
    assert_no_first_dispatch_after_a_refusal(emulator, row)


def assert_no_first_dispatch_after_a_refusal(emulator: EmulatorThread, row: Fleet) -> None:
    """By the platform's own journal: whoever was not begun was never asked for."""
    journal = control(emulator, "GET", "journal?operation=sessions.dispatch")["entries"]
    asked = {entry["sessionId"] for entry in journal}
    begun = row.agents.exclude(state="not_started").values_list("session_id", flat=True)
    assert asked == set(begun)
    assert len(asked) < 12
    executions = control(emulator, "GET", "state")["executions"]
    by_id = {execution["executionId"]: execution for execution in executions}
    refused = Turn.objects.filter(run__fleet=row, outcome="budget_exhausted")
    first_ms = min(by_id[turn.execution_id]["endedMs"] for turn in refused)
    # A refusal is known by reading; what was chosen by the reading before it may still leave.
    reads = control(emulator, "GET", "journal?operation=sessions.list")["entries"]
    known_ms = min(entry["atMs"] for entry in reads if entry["atMs"] > first_ms)
    assert max(entry["atMs"] for entry in journal) <= known_ms


def test_as_many_as_the_budget_holds_all_finish(driving: None, emulator: EmulatorThread) -> None:
    said = fleet("run", *TWELVE, "--max-spend-usd", "0.25", "--at-once", "auto", "--json")

    assert said.code == 0, said.err
    assert [agent["status"] for agent in said.document["agents"]] == ["completed"] * 12


def test_without_a_budget_there_is_no_spend_and_the_fleet_is_marked(
    driving: None, emulator: EmulatorThread
) -> None:
    said = fleet("run", "[[ok]] Part {index}.", "--agents", "2", "--json")

    assert said.code == 0, said.err
    assert said.document["spend"] is None
    assert Fleet.objects.get().tags == ["no-budget"]
    assert "Without a budget" in said.err


def test_events_are_json_lines_each_once(driving: None, emulator: EmulatorThread) -> None:
    said = fleet("run", "[[ok]] Part {index}.", "--agents", "3", "--max-spend-usd", "1", "--events")

    assert said.code == 0, said.err
    kinds = [line["type"] for line in said.lines]
    assert sorted(kinds) == ["agent.finished"] * 3 + ["agent.started"] * 3 + ["fleet.finished"]
    assert kinds[-1] == "fleet.finished"
    assert said.lines[-1]["state"] == "finished"
    finished = [line for line in said.lines if line["type"] == "agent.finished"]
    assert {line["status"] for line in finished} == {"completed"}
    assert set(finished[0]) == {"type", "at", "fleetId"} | AGENT


def test_a_launch_that_the_platform_refuses_is_one(driving: None, emulator: EmulatorThread) -> None:
    control(
        emulator, "POST", "faults", {"operation": "fleets.create", "kind": "error", "status": 422}
    )

    said = fleet("run", "[[ok]] Part {index}.", "--agents", "2", "--max-spend-usd", "1", "--json")

    assert said.code == 1, said.err
    assert "refused the launch" in said.err
    assert said.document["state"] == "failed"


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("Do it.",), "--agents"),
        (("Do it.", "--agents", "0"), "--agents"),
        (("", "--agents", "2"), "PROMPT"),
        (("Do it.", "--agents", "2", "--max-spend-usd", "much"), "--max-spend-usd"),
        (("Do it.", "--agents", "2", "--max-spend-usd", "0.001"), "--max-spend-usd"),
        (("Do it.", "--agents", "2", "--at-once", "many"), "--at-once"),
        (("Do it.", "--agents", "2", "--after", "explode"), "--after"),
        (("Do it.", "--agents", "2", "--harness", "open-code"), "--harness"),
        (("Do it.", "--agents", "2", "--team", "nowhere"), "team"),
        (("Do it.", "--agents", "2", "--as", "nobody"), "--as"),
    ],
)
def test_bad_input_is_two_and_names_its_place(
    actor: Actor, words: tuple[str, ...], place: str
) -> None:
    said = fleet("run", *words)

    assert said.code == 2
    assert f"fleet run: {place}: " in said.err
    assert not Fleet.objects.exists()
