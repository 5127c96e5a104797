"""What the fleet and operation pages are sent when something changes."""

import pytest
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from fleets.domain.status import FleetState, OperationState, TaskState
from fleets.live.channels import Change
from fleets.live.fragments import MAX_PARTIALS, Hint, Partial, Piece
from fleets.live.renderers.fleet_detail import fleet_changes
from fleets.live.renderers.operations import operation_changes
from fleets.models import Agent, Fleet
from tests.factories import (
    AgentFactory,
    FleetEventFactory,
    FleetFactory,
    MachineFactory,
    OperationFactory,
    OperationNodeFactory,
)
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db


def fleet_of(agents: int) -> Fleet:
    fleet: Fleet = FleetFactory(
        name="nightly-review",
        agents_total=agents,
        machines_total=-(-agents // 6),
        tasks_total=agents,
        tasks_running=agents,
    )
    for n in range(agents):
        if n % 6 == 0:
            machine = MachineFactory(fleet=fleet, position=n // 6)
        AgentFactory(
            machine=machine, position=n, agent_id=f"agent-{n + 1}", state=TaskState.RUNNING
        )
    return fleet


def said(fleet: Fleet, *changes: Change) -> list[Piece]:
    return list(fleet_changes(f"fleet:{fleet.public_id}", changes))


def partials(pieces: list[Piece]) -> dict[str, str]:
    return {piece.target: piece.html for piece in pieces if isinstance(piece, Partial)}


def test_the_head_brings_state_money_counts_and_the_title_of_the_tab() -> None:
    fleet = fleet_of(3)
    Fleet.objects.filter(pk=fleet.pk).update(tasks_failed=2, spent_nusd=1_240_000_000)

    sent = partials(said(fleet, {"kind": "head"}))

    assert "$1.24" in sent["fleet-state"]
    assert "2" in sent["count-failed"]
    assert "data-zero" in sent["count-cancelled"]
    assert "Fleet nightly-review · 2 failed · Fleets" in sent["page-state"]


def test_only_the_agents_that_changed_are_sent_with_their_machines() -> None:
    fleet = fleet_of(12)
    seventh = Agent.objects.get(fleet=fleet, agent_id="agent-7")

    sent = partials(said(fleet, {"kind": "agents", "ids": [seventh.pk]}))

    assert set(sent) == {f"agent-{seventh.pk}", f"cells-{seventh.machine_id}"}
    assert sent[f"agent-{seventh.pk}"].startswith(f'<tr id="agent-{seventh.pk}"')


def test_more_changes_than_one_message_holds_make_the_page_fetch_its_tab() -> None:
    fleet = fleet_of(96)
    pks = list(Agent.objects.filter(fleet=fleet).values_list("pk", flat=True))

    pieces = said(fleet, {"kind": "agents", "ids": pks})

    assert Hint("fleet-tab") in pieces
    assert len(partials(pieces)) <= MAX_PARTIALS


def test_a_patch_is_the_markup_of_the_page_itself() -> None:
    fleet = fleet_of(2)
    agent = Agent.objects.get(fleet=fleet, agent_id="agent-1")
    cast = Cast.gather()
    url = reverse("fleets:fleet_detail", args=[fleet.public_id])
    html = cast.client("viewer").get(url).content.decode()

    sent = partials(said(fleet, {"kind": "agents", "ids": [agent.pk]}))

    assert sent[f"cells-{agent.machine_id}"] in html
    assert sent[f"agent-{agent.pk}"].strip() in html


def test_events_and_operations_are_sent_as_whole_panels() -> None:
    fleet = fleet_of(1)
    FleetEventFactory(fleet=fleet, text="something happened")
    operation = OperationFactory(fleet=fleet)

    sent = partials(said(fleet, {"kind": "events"}, {"kind": "operations"}))

    assert "something happened" in sent["fleet-events"]
    assert operation.public_id in sent["fleet-operations"]


def test_machines_are_sent_row_by_row() -> None:
    fleet = fleet_of(12)
    machine = fleet.machines.get(position=1)

    sent = partials(said(fleet, {"kind": "machines", "ids": [machine.pk]}))

    assert set(sent) == {f"machine-{machine.pk}"}


def test_a_fleet_that_is_not_there_says_nothing() -> None:
    assert list(fleet_changes("fleet:none", [{"kind": "head"}])) == []
    assert list(operation_changes("operation:none", [{"kind": "head"}])) == []


def test_forty_agents_cost_as_many_queries_as_one(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    fleet = fleet_of(40)
    pks = list(Agent.objects.filter(fleet=fleet).values_list("pk", flat=True))
    for some in (pks[:1], pks):
        with django_assert_num_queries(4):
            said(fleet, {"kind": "agents", "ids": some})


def test_an_operation_sends_its_head_and_the_nodes_that_changed() -> None:
    operation = OperationFactory(state=OperationState.RUNNING)
    node = OperationNodeFactory(operation=operation, state="stopped")
    OperationNodeFactory(operation=operation)

    changes: list[Change] = [{"kind": "head"}, {"kind": "nodes", "ids": [node.pk]}]
    sent = partials(list(operation_changes(f"operation:{operation.public_id}", changes)))

    assert "Stopping 1 of 2" in sent["operation-title"]
    assert "Stopped" in sent[f"node-{node.pk}"]


def test_an_ended_operation_makes_the_page_fetch_what_the_viewer_may_do() -> None:
    operation = OperationFactory(state=OperationState.FAILED)
    pieces = list(operation_changes(f"operation:{operation.public_id}", [{"kind": "head"}]))

    assert Hint("operation-acts") in pieces


def test_what_the_machines_still_cost_is_fetched_when_they_change() -> None:
    changes: list[Change] = [{"kind": "machines", "ids": [1]}]
    assert list(operation_changes("fleet:any", changes)) == [Hint("operation-head")]
    assert list(operation_changes("fleet:any", [{"kind": "head"}])) == []


def test_a_fleet_that_is_gone_takes_its_acts_from_open_pages() -> None:
    fleet = fleet_of(1)
    fleet_page = said(fleet, {"kind": "head"})
    assert "fleet-acts" not in partials(fleet_page)

    Fleet.objects.filter(pk=fleet.pk).update(state=FleetState.DELETED)
    acts = partials(said(fleet, {"kind": "head"}))["fleet-acts"]
    assert acts.startswith('<div class="acts" id="fleet-acts">')
    assert "Stop…" not in acts
    assert "Launch like this" in acts
