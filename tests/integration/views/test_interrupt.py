"""The interrupt of one agent: its button, its order, its refusals."""

import pytest
from django.test import Client
from django.urls import reverse

from fleets.domain.status import TaskState, TurnState
from fleets.models import Agent, AuditEvent, Operation
from tests.factories import AgentFactory, FleetFactory, RunFactory, TaskFactory, TurnFactory
from tests.integration.cast import Cast
from tests.support.markup import one_line

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return Cast.gather()


def working(cast: Cast) -> Agent:
    agent: Agent = AgentFactory(fleet=FleetFactory(team=cast.team), state=TaskState.RUNNING)
    task = TaskFactory(run=RunFactory(fleet=agent.fleet), agent=agent, state=TaskState.RUNNING)
    TurnFactory(run=task.run, task=task, agent=agent, state=TurnState.RUNNING)
    return agent


def address(agent: Agent, name: str = "agent_interrupt") -> str:
    return reverse(f"fleets:{name}", args=[agent.fleet.public_id, agent.agent_id])


def signed_in(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.operator)
    return client


def test_operators_interrupt_and_others_do_not(cast: Cast) -> None:
    refused = {"stranger": 404, "viewer": 403}
    statuses = {**refused, "operator": 303, "admin": 303}
    cast.expect(address(working(cast)), "POST", statuses, data={"reason": "runs away"})


def test_the_order_leads_to_its_page_and_is_audited(cast: Cast) -> None:
    agent = working(cast)
    answer = signed_in(cast).post(address(agent), {"reason": "same call again and again"})

    order = Operation.objects.get()
    assert answer.headers["Location"] == reverse("fleets:operation_detail", args=[order.public_id])
    assert (order.kind, order.nodes.get().ref) == ("interrupt", agent.agent_id)
    row = AuditEvent.objects.get(act="fleet.interrupt")
    assert (row.reason, row.after["agentId"]) == ("same call again and again", agent.agent_id)


def test_without_a_reason_nothing_is_ordered(cast: Cast) -> None:
    agent = working(cast)
    answer = signed_in(cast).post(address(agent), {"reason": " "})

    assert answer.status_code == 422
    assert "A reason is missing" in answer.content.decode()
    assert not Operation.objects.exists()


def test_an_agent_that_rests_has_nothing_to_interrupt(cast: Cast) -> None:
    agent = AgentFactory(fleet=FleetFactory(team=cast.team), state=TaskState.COMPLETED)
    answer = signed_in(cast).post(address(agent), {"reason": "late"})

    assert answer.status_code == 409
    assert "is not at work" in answer.content.decode()


def test_the_page_offers_it_with_a_reason_filled_in(cast: Cast) -> None:
    page = signed_in(cast).get(address(working(cast), "fleet_agent")).content.decode()
    assert f'value="stopped by {cast.operator.username} at ' in page


def test_run_again_is_offered_for_this_agent_alone(cast: Cast) -> None:
    agent = working(cast)
    sheet = reverse("fleets:fleet_run_again", args=[agent.fleet.public_id])
    page = one_line(signed_in(cast).get(f"{sheet}?only={agent.agent_id}"))
    assert f'name="only" value="{agent.agent_id}"' in page
    assert 'id="ra-only" checked' in page
