"""Selector of the agents table and grid: order, filter, cursor, query counts."""

import pytest
from pytest_django import DjangoAssertNumQueries

from fleets.domain.status import TaskState
from fleets.models import Agent, Fleet, Machine
from fleets.selectors.agents import (
    agent_rows,
    agent_table,
    count_tabs,
    grid,
    machine_cells,
)
from tests.factories import AgentFactory, FleetFactory, MachineFactory

pytestmark = pytest.mark.django_db


def fleet_of(*states: TaskState, per_machine: int = 6) -> Fleet:
    fleet: Fleet = FleetFactory(agents_total=len(states), machines_total=-(-len(states) // 6))
    machines: list[Machine] = [
        MachineFactory(fleet=fleet, position=n, machine_id=f"m{n + 1}")
        for n in range(-(-len(states) // per_machine))
    ]
    for n, state in enumerate(states):
        AgentFactory(
            machine=machines[n // per_machine],
            position=n,
            agent_id=f"agent-{n + 1}",
            state=state,
            cost_nusd=14_000_000,
        )
    return fleet


def test_failed_agents_come_first_and_the_finished_last() -> None:
    fleet = fleet_of(
        TaskState.COMPLETED, TaskState.RUNNING, TaskState.FAILED, TaskState.BUDGET_EXHAUSTED
    )

    rows = agent_table(fleet).rows

    assert [row.agent_id for row in rows] == ["agent-3", "agent-4", "agent-2", "agent-1"]


def test_a_page_ends_with_a_cursor_that_leads_to_the_rest_without_a_gap_or_a_repeat() -> None:
    fleet = fleet_of(*[TaskState.COMPLETED, TaskState.FAILED, TaskState.RUNNING] * 7)

    seen: list[str] = []
    after: str | None = ""
    while after is not None:
        page = agent_table(fleet, after=after, limit=4)
        seen += [row.agent_id for row in page.rows]
        after = page.after

    assert len(seen) == 21
    assert sorted(seen) == sorted(f"agent-{n}" for n in range(1, 22))


def test_the_filter_takes_a_group_of_states_and_an_unknown_group_finds_nothing() -> None:
    fleet = fleet_of(TaskState.FAILED, TaskState.TIMED_OUT, TaskState.RUNNING)

    assert agent_table(fleet, group="failed").count == 2
    assert agent_table(fleet, group="nonsense").count == 0


def test_the_search_finds_an_agent_by_part_of_its_id_and_all_agents_of_a_machine() -> None:
    fleet = fleet_of(*[TaskState.RUNNING] * 8)

    assert [row.agent_id for row in agent_table(fleet, search="gent-7").rows] == ["agent-7"]
    assert agent_table(fleet, search="m2").count == 2


@pytest.mark.parametrize("after", ["", "x", "9", "1.x", "-1.2", "99999.1", "1." + "9" * 90])
def test_a_broken_cursor_does_no_harm(after: str) -> None:
    assert agent_table(fleet_of(TaskState.RUNNING), after=after).count in {0, 1}


def test_the_table_costs_one_query_and_the_grid_two_whatever_the_size(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for size in (3, 60):
        fleet = fleet_of(*[TaskState.RUNNING] * size)
        with django_assert_num_queries(1):
            agent_table(fleet)
        with django_assert_num_queries(2):
            assert sum(len(machine.cells) for machine in grid(fleet).machines) == size


def test_a_large_grid_goes_on_where_the_page_before_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fleets.selectors.agents.CELLS_PER_PAGE", 12)
    fleet = fleet_of(*[TaskState.RUNNING] * 30)

    first = grid(fleet)
    second = grid(fleet, after=first.after or 0)

    assert [machine.machine_id for machine in first.machines] == ["m1", "m2"]
    assert [machine.machine_id for machine in second.machines] == ["m3", "m4"]


def test_a_patch_reads_only_the_changed_agents_and_only_of_this_fleet() -> None:
    fleet, other = fleet_of(*[TaskState.RUNNING] * 8), fleet_of(TaskState.FAILED)
    seventh = Agent.objects.get(fleet=fleet, agent_id="agent-7")
    stranger = Agent.objects.get(fleet=other)

    assert [row.pk for row in agent_rows(fleet, [seventh.pk, stranger.pk])] == [seventh.pk]
    assert [machine.machine_id for machine in machine_cells(fleet, [seventh.pk])] == ["m2"]


def test_count_tabs_come_from_the_fleets_own_counters_without_a_query(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    fleet = FleetFactory(tasks_failed=2, tasks_timed_out=1, tasks_completed=40)

    with django_assert_num_queries(0):
        tabs = count_tabs(fleet)

    counted = {tab.key: tab.count for tab in tabs if tab.count}
    assert counted == {"failed": 3, "finished": 40}
