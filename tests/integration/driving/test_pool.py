"""A pool: few agents drain a longer list, each task once, whatever dies or stops in between."""

from collections import Counter
from typing import Any

from django.utils import timezone

from emulator.server import EmulatorThread
from fleets.domain.placement import Dedicated
from fleets.domain.pool import PoolTask
from fleets.models import Agent, Fleet, Machine, Run, Task, Turn
from fleets.services.actor import Actor
from fleets.services.cancel import cancel_fleet
from fleets.services.driving import lease
from fleets.services.prompt import prompt_agent
from fleets.services.run_again import RunAgain, run_again
from tests.integration.chaos.test_what_goes_wrong import ask_platform
from tests.integration.driving.launching import CENT_NUSD, launch
from tests.support.driver import (
    control,
    drive_once,
    drive_operation,
    drive_to_end,
    drive_until,
)


def pool(actor: Actor, *, tasks: int, agents: int = 3, **changes: Any) -> Fleet:
    marks = changes.pop("marks", "[[ok]]")
    listed = tuple(PoolTask(f"item-{n}", f"{marks} Do item {n}.") for n in range(1, tasks + 1))
    return launch(actor, count=agents, prompt="", tasks=listed, **changes)


def admitted(emulator: EmulatorThread) -> list[dict[str, Any]]:
    entries: list[Any] = control(emulator, "GET", "journal?operation=sessions.dispatch")["entries"]
    return [entry for entry in entries if entry["admitted"]]


def executions(fleet: Fleet) -> Counter[int]:
    """Admitted turns by task: what the platform was made to do."""
    turns = Turn.objects.filter(run__fleet=fleet, admitted_at__isnull=False)
    return Counter(turns.values_list("task__position", flat=True))


def states(fleet: Fleet, *, run: int = 1) -> Counter[tuple[str, str]]:
    tasks = Task.objects.filter(run__fleet=fleet, run__number=run)
    return Counter(tasks.values_list("state", "reason"))


def most_in_flight(fleet: Fleet) -> int:
    """How many turns were open at once, by their own times."""
    moments = []
    for turn in Turn.objects.filter(run__fleet=fleet):
        moments += [(turn.requested_at, 1), (turn.ended_at, -1)]
    now = most = 0
    for _, step in sorted(moments, key=lambda one: (one[0], one[1])):
        now += step
        most = max(most, now)
    return most


def test_three_agents_drain_twenty_tasks_each_once_in_a_session_of_its_own(
    emulator: EmulatorThread, actor: Actor
) -> None:
    control(emulator, "POST", "clock", {"speed": 20})
    fleet = drive_to_end(pool(actor, tasks=20))

    assert (fleet.state, fleet.tasks_completed, fleet.tasks_total) == ("finished", 20, 20)
    sessions = [entry["sessionId"] for entry in admitted(emulator)]
    assert len(sessions) == len(set(sessions)) == 20
    assert executions(fleet) == Counter(range(1, 21))
    assert set(sessions) == {f"r1t{n}-{fleet.public_id}" for n in range(1, 21)}
    assert most_in_flight(fleet) <= 3
    done = Counter(Task.objects.filter(run__fleet=fleet).values_list("agent__agent_id", flat=True))
    assert set(done) == {"agent-1", "agent-2", "agent-3"}
    agents = {agent.agent_id: agent.turns for agent in Agent.objects.filter(fleet=fleet)}
    assert agents == dict(done)


def test_in_the_same_session_variant_the_sessions_are_the_agents_own(
    emulator: EmulatorThread, actor: Actor
) -> None:
    control(emulator, "POST", "clock", {"speed": 20})
    fleet = drive_to_end(pool(actor, tasks=8, is_same_session=True))

    sessions = Counter(entry["sessionId"] for entry in admitted(emulator))
    own = set(Agent.objects.filter(fleet=fleet).values_list("session_id", flat=True))
    assert fleet.tasks_completed == sum(sessions.values()) == 8
    assert set(sessions) == own == {f"{fleet.public_id}-agent-{n}" for n in (1, 2, 3)}


def test_a_worker_that_dies_between_writing_and_sending_loses_and_doubles_nothing(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = pool(actor, tasks=7)
    fault = {"operation": "sessions.dispatch", "kind": "reset", "when": "after", "count": 2}
    control(emulator, "POST", "faults", fault)
    run = fleet.runs.get()
    for _ in range(40):
        # A worker takes the lease and is gone; the next one finds it expired.
        Run.objects.filter(pk=run.pk, ended_at__isnull=True).update(next_tick_at=timezone.now())
        if lease.claim(run.pk, owner="dead", now=timezone.now()) is not None:
            Run.objects.filter(pk=run.pk).update(lease_until=timezone.now())
        drive_once()
    fleet = drive_to_end(fleet)

    assert states(fleet) == Counter({("completed", ""): 7})
    assert sorted(executions(fleet).values()) == [1] * 7
    assert len({entry["sessionId"] for entry in admitted(emulator)}) == len(admitted(emulator)) == 7


def test_tasks_of_a_machine_that_dies_are_drained_by_the_others(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = pool(actor, tasks=12, placement=Dedicated(), marks="[[ok]] [[slow 20]]")
    drive_until(lambda: Turn.objects.filter(state="running").count() == 3)
    machine = Machine.objects.get(fleet=fleet, machine_id="m2")
    ask_platform(emulator, "DELETE", f"/v1/sandboxes/{machine.sandbox_id}")
    control(emulator, "POST", "clock", {"speed": 200})
    fleet = drive_to_end(fleet)

    counted = states(fleet)
    assert counted["completed", ""] == 11
    assert sum(counted.values()) == 12
    assert max(executions(fleet).values()) == 1


def test_when_no_machine_is_left_the_rest_says_so(emulator: EmulatorThread, actor: Actor) -> None:
    fleet = pool(actor, tasks=6, agents=1, marks="[[ok]] [[slow 600]]")
    drive_until(lambda: Turn.objects.filter(state="running").count() == 1)
    machine = Machine.objects.get(fleet=fleet)
    ask_platform(emulator, "DELETE", f"/v1/sandboxes/{machine.sandbox_id}")
    fleet = drive_to_end(fleet)

    assert states(fleet)["not_started", "machines"] == 5


def test_a_cancel_leaves_what_was_not_begun_as_cancelled(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = pool(actor, tasks=9, marks="[[ok]] [[slow 600]]")
    drive_until(lambda: Turn.objects.filter(state="running").count() == 3)
    operation = drive_operation(cancel_fleet(fleet, actor=actor, reason="enough"))
    fleet.refresh_from_db()

    assert operation.state == "done", operation.sentence
    assert states(fleet) == Counter({("cancelled", ""): 3, ("not_started", "cancelled"): 6})
    assert fleet.state == "cancelled"
    assert len(admitted(emulator)) == 3


def test_a_budget_that_is_out_leaves_the_rest_not_started(
    emulator: EmulatorThread, actor: Actor
) -> None:
    control(emulator, "POST", "clock", {"speed": 20})
    fleet = drive_to_end(pool(actor, tasks=40, budget_nusd=8 * CENT_NUSD, lifetime_s=600))

    counted = states(fleet)
    assert fleet.state == "budget_exhausted"
    assert counted["not_started", "budget"] > 0
    assert sum(counted.values()) == 40
    assert max(executions(fleet).values()) == 1


def test_a_list_runs_again_for_what_did_not_complete_and_prompts_stand_behind_it(
    emulator: EmulatorThread, actor: Actor
) -> None:
    control(emulator, "POST", "clock", {"speed": 20})
    fleet = drive_to_end(pool(actor, tasks=5, agents=2))
    Task.objects.filter(run__fleet=fleet, position__in=[2, 4]).update(state="failed")
    Task.objects.filter(run__fleet=fleet, position=4).update(agent=None)
    second = run_again(fleet, RunAgain(not_completed=True), actor=actor, form_key="again-1")
    assert [task.name for task in second.tasks.all()] == ["item-2", "item-4"]
    fleet = drive_to_end(fleet)

    first = Turn.objects.get(run__number=1, task__position=2)
    went_on = Turn.objects.get(run=second, task__position=2)
    assert (went_on.session_id, went_on.agent_id) == (first.session_id, first.agent_id)
    fresh = Turn.objects.get(run=second, task__position=4)
    assert fresh.session_id == f"r2t4-{fleet.public_id}"
    assert (fleet.tasks_completed, fleet.tasks_total) == (5, 5)

    prompt_agent(went_on.agent, text="[[ok]] Once more.", actor=actor, form_key="prompt-1")
    fleet = drive_to_end(fleet)
    prompted = Task.objects.get(run__fleet=fleet, position=6)
    assert prompted.name == ""
    assert prompted.turns.get().session_id == went_on.agent.session_id
    assert fleet.tasks_total == 6

    only = run_again(fleet, RunAgain(only=("item-5",)), actor=actor, form_key="again-2")
    assert only.tasks.get().position == 5
