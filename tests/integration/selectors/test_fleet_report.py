"""The report of one fleet, and whether anybody works on it."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from fleets.domain.status import TurnOutcome, TurnState
from fleets.models import Fleet
from fleets.selectors.fleet_report import (
    agent_states,
    fleet_report,
    launch_refusal,
    listed_fleets,
    was_stopped_by_budget,
)
from fleets.selectors.unattended import unattended_since
from tests.factories import (
    AgentFactory,
    FleetFactory,
    MachineFactory,
    OperationFactory,
    RunFactory,
    TaskFactory,
    TurnFactory,
)

pytestmark = pytest.mark.django_db


def working(count: int = 3) -> Fleet:
    fleet: Fleet = FleetFactory()
    machine = MachineFactory(fleet=fleet, machine_id="m1")
    run = RunFactory(fleet=fleet, number=1)
    for position in range(1, count + 1):
        agent = AgentFactory(machine=machine, position=position, agent_id=f"agent-{position}")
        task = TaskFactory(agent=agent, run=run, position=position, response=f"answer {position}")
        ended = {"state": TurnState.ENDED, "outcome": TurnOutcome.FAILED}
        TurnFactory(task=task, attempt=1, trace_id=f"old-{position}", **ended)
        TurnFactory(task=task, attempt=2, turn_id="t1-2", trace_id=f"new-{position}")
    return fleet


@pytest.mark.parametrize("count", [1, 20])
def test_a_report_costs_four_queries_whatever_the_size(
    count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    fleet = working(count)

    with django_assert_num_queries(4):
        report = fleet_report(fleet, now=timezone.now())

    assert len(report.agents) == count


def test_an_agent_is_shown_with_its_latest_attempt_and_unknown_as_none() -> None:
    agent = fleet_report(working(1), now=timezone.now()).agents[0]

    assert agent.trace_id == "new-1"
    assert agent.response == "answer 1"
    assert agent.cost_nusd is None
    assert agent.error is None


def test_wall_time_ends_with_the_work() -> None:
    fleet = working(1)
    fleet.work_ended_at = fleet.created_at + timedelta(seconds=90)

    report = fleet_report(fleet, now=fleet.created_at + timedelta(hours=3))

    assert report.wall_s == 90


def test_states_come_in_the_order_of_the_agents() -> None:
    assert list(agent_states(working(3))) == ["agent-1", "agent-2", "agent-3"]


def test_a_list_costs_one_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    FleetFactory.create_batch(3)

    with django_assert_num_queries(1):
        assert [(fleet.owner is None, fleet.team.slug) for fleet in listed_fleets()]


def test_the_budget_stopped_it_when_it_refused_a_task_or_began_no_more() -> None:
    assert not was_stopped_by_budget(FleetFactory.build(tasks_budget=0))
    assert was_stopped_by_budget(FleetFactory.build(tasks_budget=1))
    assert was_stopped_by_budget(FleetFactory.build(stop_reason="budget"))


def test_a_refused_launch_says_why_and_an_accepted_one_nothing() -> None:
    fleet = FleetFactory()
    OperationFactory(fleet=fleet, kind="launch", state="failed", sentence="too many machines")
    assert launch_refusal(fleet) == "too many machines"

    fleet.created_on_platform_at = timezone.now()
    assert launch_refusal(fleet) == ""


def test_due_work_that_nobody_takes_up_is_noticed() -> None:
    now = timezone.now()
    fleet = FleetFactory()
    operation = OperationFactory(fleet=fleet, next_attempt_at=now - timedelta(seconds=30))
    assert unattended_since(fleet, now=now) == operation.next_attempt_at

    operation.lease_until = now + timedelta(seconds=5)
    operation.save()
    assert unattended_since(fleet, now=now) is None


def test_a_run_between_two_ticks_is_not_left_lying() -> None:
    now = timezone.now()
    fleet = FleetFactory()
    run = RunFactory(fleet=fleet, number=1, next_tick_at=now - timedelta(seconds=2))
    assert unattended_since(fleet, now=now) is None

    run.next_tick_at = now - timedelta(seconds=60)
    run.save()
    assert unattended_since(fleet, now=now) == run.next_tick_at
