"""Selector of the operation page: order of nodes, figures, words."""

from datetime import UTC, datetime

import pytest
from pytest_django import DjangoAssertNumQueries

from fleets.domain.status import FleetState, OperationKind, OperationState
from fleets.models import NodeKind, Operation
from fleets.selectors.operations import node_table, node_tabs, operation_head
from tests.factories import FleetFactory, OperationFactory, OperationNodeFactory

pytestmark = pytest.mark.django_db

AT = datetime(2026, 11, 29, 12, 4, 31, 204000, tzinfo=UTC)


def cancel(*states: str, **fields: object) -> Operation:
    operation: Operation = OperationFactory(kind=OperationKind.CANCEL, **fields)
    for n, state in enumerate(states):
        OperationNodeFactory(operation=operation, position=n, state=state, requested_at=AT)
    return operation


def test_what_is_not_confirmed_comes_first_then_what_is_under_way() -> None:
    operation = cancel("stopped", "acknowledged", "failed", "stopped")

    words = [row.word for row in node_table(operation).rows]

    assert words == ["Not confirmed", "Stopping", "Stopped", "Stopped"]


def test_the_head_counts_what_is_proved() -> None:
    operation = cancel("stopped", "acknowledged", "failed", state=OperationState.RUNNING)

    head = operation_head(operation)

    assert (head.counts.done, head.counts.total, head.left) == (1, 3, 2)
    assert head.pill_label == "Stopping 1 of 3"
    assert [(tab.key, tab.count) for tab in node_tabs(head) if tab.count] == [
        ("not-confirmed", 1),
        ("open", 1),
        ("done", 1),
    ]


def test_a_node_that_came_back_is_said_to_have_been_stopped_twice() -> None:
    operation = cancel()
    OperationNodeFactory(operation=operation, state="stopped", revived=1)

    table = node_table(operation, group="came-back")

    assert [row.word for row in table.rows] == ["Stopped twice"]


def test_a_node_that_runs_again_is_still_open_and_says_so() -> None:
    operation = cancel("came_back", "finished")

    head = operation_head(operation)

    assert (head.counts.open, head.counts.done) == (1, 1)
    assert [row.word for row in node_table(operation).rows] == ["Came back", "Had finished"]


def test_the_key_of_a_cancelled_fleet_is_said_to_be_cut_off() -> None:
    operation = cancel()
    OperationNodeFactory(operation=operation, kind=NodeKind.KEY, state="done", key_at=AT)

    assert [row.word for row in node_table(operation).rows] == ["Cut off"]


def test_a_failed_operation_offers_the_retry_and_says_how_many_are_left() -> None:
    head = operation_head(cancel("failed", "stopped", state=OperationState.FAILED))

    assert head.can_retry
    assert head.pill_label == "1 not confirmed"


def test_pages_of_nodes_follow_each_other_without_a_gap() -> None:
    operation = cancel(*["failed", "stopped", "queued"] * 5)

    seen: list[int] = []
    after: str | None = ""
    while after is not None:
        page = node_table(operation, after=after, limit=4)
        seen += [row.pk for row in page.rows]
        after = page.after

    assert len(seen) == len(set(seen)) == 15


def test_head_and_nodes_cost_a_query_each(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    operation = cancel(*["stopped"] * 30)
    with django_assert_num_queries(1):
        operation_head(operation)
    with django_assert_num_queries(1):
        node_table(operation)


def test_what_the_machines_still_cost_is_told_to_the_end() -> None:
    fleet = FleetFactory(machines_running=15)

    head = operation_head(cancel(fleet=fleet))

    assert head.machines == 15
    assert head.machines_nusd_per_hour > 0


@pytest.mark.parametrize("kind", list(OperationKind))
@pytest.mark.parametrize("state", list(OperationState))
def test_every_kind_in_every_state_has_words(kind: OperationKind, state: OperationState) -> None:
    operation = OperationFactory(kind=kind, state=state)
    OperationNodeFactory(operation=operation)

    head = operation_head(operation)

    assert head.title
    assert head.pill_label
    assert node_table(operation).rows[0].word


def test_nothing_runs_and_nothing_burns_once_the_fleet_is_over() -> None:
    fleet = FleetFactory(state=FleetState.DELETED, burn_nusd_per_min=1_400_000, tasks_running=0)
    head = operation_head(OperationFactory(fleet=fleet, kind=OperationKind.DELETE))

    assert (head.running, head.burn_nusd_per_min) == (0, 0)


def test_what_still_runs_under_a_stop_is_told_with_its_burn() -> None:
    fleet = FleetFactory(
        state=FleetState.CANCELLING, burn_nusd_per_min=270_000_000, tasks_running=3
    )
    head = operation_head(OperationFactory(fleet=fleet))

    assert (head.running, head.burn_nusd_per_min) == (3, 270_000_000)


def test_a_node_that_nobody_works_on_any_more_does_not_look_as_if() -> None:
    operation = cancel("queued", "running", state=OperationState.FAILED, ended_at=AT)

    assert [(row.state, row.word) for row in node_table(operation).rows] == [
        ("not_started", "Not done"),
        ("not_started", "Not done"),
    ]
    tabs = {tab.key: tab.label for tab in node_tabs(operation_head(operation))}
    assert tabs["open"] == "Not done"
