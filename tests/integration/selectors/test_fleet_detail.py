"""Selectors of the fleet page: head, spend, machines, results, events, stop sheet, peek."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from fleets.domain.money import NUSD_PER_USD
from fleets.domain.status import Afterwards, FleetState, Origin, TaskState, TurnOutcome, TurnState
from fleets.models import Fleet, SealedSecret
from fleets.selectors.agent_peek import agent_peek
from fleets.selectors.fleet_detail import fleet_head, machine_nusd_per_hour
from fleets.selectors.fleet_events import event_page
from fleets.selectors.fleet_spend import spend_card
from fleets.selectors.machines import machine_table
from fleets.selectors.results import export_rows, result_table, shared_failure
from fleets.selectors.stop_sheet import cancel_seconds, stop_sheet
from tests.factories import (
    AgentFactory,
    FleetEventFactory,
    FleetFactory,
    MachineFactory,
    RunFactory,
    TaskFactory,
    TurnFactory,
)

pytestmark = pytest.mark.django_db


def budgeted(**fields: object) -> Fleet:
    fleet: Fleet = FleetFactory(
        key_id="key_1",
        key_secret=SealedSecret.seal("sk-tan-fleet"),
        spent_nusd=1_240_000_000,
        reserved_nusd=440_000_000,
        remaining_nusd=1_140_000_000,
        **fields,
    )
    return fleet


def test_the_head_and_the_spend_of_a_loaded_fleet_cost_no_query(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    fleet = budgeted()
    with django_assert_num_queries(0):
        fleet_head(fleet, now=timezone.now())
        spend_card(fleet)


def test_held_is_what_is_left_over_of_the_budget() -> None:
    assert spend_card(budgeted()).held_nusd == 180_000_000


def test_nothing_is_held_when_a_part_is_unknown() -> None:
    card = spend_card(FleetFactory(spent_nusd=5, remaining_nusd=None))

    assert card.held_nusd is None
    assert card.remaining_nusd is None


def test_a_cut_off_fleet_holds_nothing_although_its_budget_is_far_away() -> None:
    fleet = FleetFactory(spent_nusd=1_240_000_000, reserved_nusd=0, remaining_nusd=0)
    fleet.key_cap_nusd = 1_240_000_000

    card = spend_card(fleet)

    assert card.held_nusd is None
    assert card.cap_nusd == 1_240_000_000


def test_a_fleet_that_is_over_holds_nothing() -> None:
    card = spend_card(FleetFactory(state=FleetState.DELETED, spent_nusd=987, remaining_nusd=0))

    assert card.held_nusd is None
    assert [part.kind for part in card.bar] == []


def test_the_bar_never_passes_the_end() -> None:
    fleet = FleetFactory(spent_nusd=9 * NUSD_PER_USD, reserved_nusd=1, remaining_nusd=0)

    bar = spend_card(fleet).bar

    assert [(part.kind, part.width) for part in bar] == [("over", "100.00%")]


def test_a_creating_fleet_says_how_many_machines_are_there() -> None:
    fleet = FleetFactory(state=FleetState.CREATING, machines_total=9, machines_running=4)

    assert fleet_head(fleet, now=timezone.now()).label == "Creating 4/9"


def test_the_title_of_the_tab_tells_failures() -> None:
    fleet = FleetFactory(name="nightly-review", tasks_failed=2, tasks_timed_out=1)

    title = fleet_head(fleet, now=timezone.now()).title

    assert title == "Fleet nightly-review · 3 failed · Fleets"


def test_the_countdown_tells_what_the_machines_cost_until_they_go() -> None:
    due = timezone.now() + timedelta(minutes=29)
    fleet = FleetFactory(state=FleetState.FINISHED, cleanup_due_at=due, machines_running=9)

    countdown = fleet_head(fleet, now=timezone.now()).countdown

    assert countdown is not None
    assert countdown.due_at == due
    assert countdown.nusd_per_hour > 0


def test_machines_that_are_kept_have_no_countdown() -> None:
    due = timezone.now()
    fleet = FleetFactory(after=Afterwards.KEEP, cleanup_due_at=due)

    assert fleet_head(fleet, now=due).countdown is None


@pytest.mark.parametrize(
    ("after", "statuses", "words", "counts_down"),
    [
        (Afterwards.DELETE, ["stopped", "stopped"], "machines are stopped", True),
        (Afterwards.STOP, ["stopped", "failed"], "machines are stopped", False),
        (Afterwards.DELETE, ["deleted"], "no machine is left", False),
        (Afterwards.DELETE, [], "no machine is left", False),
    ],
)
def test_the_head_says_what_became_of_the_machines(
    after: Afterwards, statuses: list[str], words: str, counts_down: bool
) -> None:
    now = timezone.now()
    fleet = FleetFactory(
        state=FleetState.FINISHED, after=after, work_ended_at=now, cleanup_due_at=now
    )
    for status in statuses:
        MachineFactory(fleet=fleet, status=status)

    head = fleet_head(fleet, now=now)

    assert (head.machines_now, head.countdown is not None) == (words, counts_down)


def test_old_data_of_a_living_fleet_is_said_to_be_stale() -> None:
    now = timezone.now()
    fleet = FleetFactory(platform_seen_at=now - timedelta(minutes=2))

    assert fleet_head(fleet, now=now).stale_since == fleet.platform_seen_at
    fleet.state = FleetState.FINISHED
    assert fleet_head(fleet, now=now).stale_since is None


@pytest.mark.parametrize("state", list(FleetState))
def test_every_state_has_a_head(state: FleetState) -> None:
    assert fleet_head(FleetFactory(state=state), now=timezone.now()).title


def test_a_machine_names_its_agents_in_one_query(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    machine = MachineFactory(machine_id="m1")
    for n in range(10):
        AgentFactory(machine=machine, position=n, agent_id=f"agent-{n}")
    with django_assert_num_queries(1):
        (row,) = machine_table(machine.fleet).rows

    assert row.agents == 10
    assert row.agents_named[:2] == ("agent-0", "agent-1")
    assert row.agents_unnamed == 2
    assert row.is_shared


def test_an_empty_machine_has_no_agents() -> None:
    machine = MachineFactory()

    (row,) = machine_table(machine.fleet).rows

    assert (row.agents, row.agents_named) == (0, ())


def test_results_are_those_of_the_newest_run_with_the_cost_of_all_attempts(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    agent = AgentFactory()
    old = RunFactory(fleet=agent.fleet, number=1)
    new = RunFactory(fleet=agent.fleet, number=2)
    TaskFactory(agent=agent, run=old, response="old")
    task = TaskFactory(agent=agent, run=new, response="x" * 5_000, state=TaskState.COMPLETED)
    ended = {"state": TurnState.ENDED, "outcome": TurnOutcome.COMPLETED}
    TurnFactory(task=task, attempt=1, cost_nusd=3_000, trace_id="first", **ended)
    TurnFactory(task=task, attempt=2, cost_nusd=4_001, trace_id="second", **ended)

    with django_assert_num_queries(1):
        (row,) = result_table(agent.fleet).rows

    assert row.cost_nusd == 7_001
    assert row.trace_id == "second"
    assert len(row.response) == 4_000
    assert row.left_out == 1_000


def test_the_export_keeps_every_digit_and_says_null_for_what_is_unknown() -> None:
    agent = AgentFactory()
    task = TaskFactory(agent=agent)
    TurnFactory(
        task=task, cost_nusd=14_123_456, state=TurnState.ENDED, outcome=TurnOutcome.COMPLETED
    )
    TaskFactory(agent=agent, run=task.run, position=99_999)

    first, second = export_rows(agent.fleet)

    assert first["costUsd"] == "0.014123456"
    assert second["costUsd"] is None


def test_one_cause_is_named_only_when_all_failures_share_it() -> None:
    agent = AgentFactory()
    task = TaskFactory(agent=agent, state=TaskState.FAILED, error="tool timeout")
    assert shared_failure(agent.fleet) == "tool timeout"

    TaskFactory(agent=agent, run=task.run, state=TaskState.TIMED_OUT, error="too slow")
    assert shared_failure(agent.fleet) == ""


def test_events_come_newest_first_and_go_on_from_a_cursor() -> None:
    fleet = FleetFactory()
    for n in range(5):
        FleetEventFactory(fleet=fleet, text=f"line {n}")

    first = event_page(fleet, limit=2)
    second = event_page(fleet, before=first.before, limit=2)

    assert [row.text for row in first.rows] == ["line 4", "line 3"]
    assert [row.text for row in second.rows] == ["line 2", "line 1"]


def test_the_peek_knows_its_neighbours() -> None:
    fleet = FleetFactory()
    machine = MachineFactory(fleet=fleet)
    for n in range(3):
        AgentFactory(machine=machine, position=n, agent_id=f"agent-{n}")

    peek = agent_peek(fleet, "agent-1")

    assert peek is not None
    assert (peek.before, peek.following) == ("agent-0", "agent-2")
    assert agent_peek(fleet, "agent-9") is None


def test_the_stop_sheet_of_a_budgeted_fleet_preselects_the_cut_off(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    fleet = budgeted(tasks_running=20, agents_total=50, machines_running=9)
    with django_assert_num_queries(1):
        sheet = stop_sheet(fleet)

    assert sheet.preselected == "cut_off"
    assert sheet.tree.agents_open == 20
    assert sheet.tree.fleets == 1
    assert cancel_seconds(20, rate_per_minute=300) == 7
    assert sheet.strengths[-1].note == "not reversible, ~7 s"


def test_the_stop_sheet_counts_child_fleets_too() -> None:
    parent = budgeted(tasks_running=20, machines_running=9)
    FleetFactory(parent=parent, tasks_running=4, machines_running=2)
    FleetFactory(tasks_running=100)

    sheet = stop_sheet(parent)

    assert (sheet.tree.fleets, sheet.tree.agents_open, sheet.tree.machines) == (2, 24, 11)


def test_without_a_key_the_cut_off_is_refused_with_the_reason_and_hold_is_preselected() -> None:
    sheet = stop_sheet(FleetFactory(budget_nusd=None))

    refusals = {strength.word: strength.refusal for strength in sheet.strengths}
    assert "no budget" in refusals["cut_off"]
    assert sheet.preselected == "hold"


def test_a_held_fleet_is_offered_its_release_and_a_cut_off_one_its_reopening() -> None:
    now = timezone.now()

    sheet = stop_sheet(budgeted(held_at=now, cut_off_requested_at=now))

    assert [strength.word for strength in sheet.strengths] == ["release", "reopen", "cancel"]


def test_a_finished_fleet_is_offered_to_stop_its_machines_first() -> None:
    sheet = stop_sheet(budgeted(state=FleetState.FINISHED, machines_running=9))

    assert sheet.preselected == "stop_machines"
    assert sheet.strengths[-1].path == "machines/stop"


def test_a_finished_fleet_has_nothing_left_to_hold_or_cancel() -> None:
    sheet = stop_sheet(FleetFactory(state=FleetState.FINISHED, budget_nusd=None))

    assert all(strength.refusal for strength in sheet.strengths)
    assert sheet.preselected == ""


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "no key yet"),
        ({"state": FleetState.FAILED}, "no key was made"),
        ({"state": FleetState.DELETED, "key_id": "key_1"}, "key revoked"),
        ({"budget_nusd": None}, "without a budget"),
        (
            {"origin": Origin.FOREIGN, "key_id": "key_1"},
            "key held elsewhere: read, cancel, delete only",
        ),
    ],
)
def test_a_key_is_held_elsewhere_only_where_somebody_else_made_it(
    fields: dict[str, object], words: str
) -> None:
    assert fleet_head(FleetFactory(**fields), now=timezone.now()).key == words


def test_a_delay_under_a_minute_is_told_in_seconds() -> None:
    fleet = FleetFactory(after=Afterwards.DELETE, after_delay_s=20)

    assert fleet_head(fleet, now=timezone.now()).afterwards == "then delete after 20 s"


def test_a_cut_off_fleet_tells_what_its_machines_cost_without_work() -> None:
    now = timezone.now()
    fleet = FleetFactory(state=FleetState.HELD, cut_off_requested_at=now, machines_running=2)
    idle = fleet_head(fleet, now=now).idle

    assert idle is not None
    assert (idle.machines, idle.nusd_per_hour) == (2, 2 * machine_nusd_per_hour(fleet))
    fleet.tasks_running = 1
    assert fleet_head(fleet, now=now).idle is None


@pytest.mark.parametrize(
    ("fields", "costs"),
    [({"status": "stopped"}, 0), ({"gone_at": timezone.now()}, 0), ({"status": "pending"}, None)],
)
def test_a_machine_that_does_not_run_is_not_said_to_cost(
    fields: dict[str, object], costs: int | None
) -> None:
    (row,) = machine_table(MachineFactory(**fields).fleet).rows

    assert row.nusd_per_hour == costs
