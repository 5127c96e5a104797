"""A person decides over an answer in its row; the results are filtered by verdict."""

from typing import Any

import pytest
from django.test import Client

from fleets.models import Fleet, Task
from tests.factories import AgentFactory, ConnectionFactory, FleetFactory, RunFactory, TaskFactory
from tests.integration.cast import Cast
from tests.integration.views.test_launch import TYPED
from tests.support.markup import one_line

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
PERSON = {"check": {"kind": "person"}}


@pytest.fixture
def cast() -> Cast:
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


@pytest.fixture
def task(cast: Cast) -> Task:
    fleet = FleetFactory(
        team=cast.team, answer_check=PERSON, tasks_completed=2, answers_waiting=1, agents_total=2
    )
    run = RunFactory(fleet=fleet)
    agents = AgentFactory.create_batch(2, fleet=fleet)
    done = {"run": run, "state": "completed", "response": "<b>done</b>"}
    TaskFactory(agent=agents[1], position=2, verdict="unchecked", **done)
    waiting: Task = TaskFactory(agent=agents[0], position=1, verdict="waiting_person", **done)
    return waiting


def text(response: Any) -> str:
    return str(response.content.decode())


def address(task: Task) -> str:
    return f"/fleets/{task.run.fleet.public_id}/answers/{task.pk}/decide"


def test_operators_decide_and_nobody_else(cast: Cast, task: Task) -> None:
    expected = {"admin": 303, "operator": 303, "viewer": 403, "stranger": 404}
    cast.expect(address(task), "POST", expected, data={"verdict": "accepted"})


def test_a_decision_answers_with_its_row(client: Client, task: Task) -> None:
    headers = {**HTMX, "HX-Target": f"details#answer-{task.pk}"}
    said = {"verdict": "refused", "reason": "not <i>sorted</i>"}
    response = client.post(address(task), said, headers=headers)
    assert response.status_code == 200
    assert f'<details class="answer" id="answer-{task.pk}" open>' in text(response)
    assert "not &lt;i&gt;sorted&lt;/i&gt;" in text(response)
    assert "Refused by" in one_line(response)


def test_what_nobody_is_asked_about_is_refused_with_its_reason(client: Client, task: Task) -> None:
    other = Task.objects.get(position=2)
    fragment = {**HTMX, "HX-Target": f"details#answer-{other.pk}"}
    for headers in ({}, fragment):
        response = client.post(address(other), {"verdict": "accepted"}, headers=headers)
        assert response.status_code == 409
        assert "No person decides over this answer." in text(response)
    assert client.post(address(task), {"verdict": "maybe"}).status_code == 422
    task.run.fleet.answer_check = {}
    assert client.post(address(task).replace(str(task.pk), "9999999"), {}).status_code == 404


def test_results_are_filtered_by_verdict(client: Client, task: Task) -> None:
    here = f"/fleets/{task.run.fleet.public_id}"
    page = client.get(here, {"tab": "results", "verdict": "waiting"})
    assert [row.pk for row in page.context["results"].rows] == [task.pk]
    assert "A good answer: a person accepts it" in text(page)
    assert "0 accepted, 1 to be checked, 1 unchecked" in text(page)
    assert len(client.get(here, {"tab": "results"}).context["results"].rows) == 2
    nothing = client.get(here, {"tab": "results", "verdict": "refused"})
    assert "Nothing matches" in text(nothing)
    assert ",waiting_person," in text(client.get(f"{here}/results.csv"))


def test_a_check_is_typed_previewed_launched_and_launched_again(client: Client) -> None:
    ConnectionFactory(name="research-prod")
    typed = {**TYPED, "answer_check": "matches", "answer_pattern": "^PASS$"}
    headers = {**HTMX, "HX-Target": "section#preflight"}
    shown = client.post("/fleets/new/preview", typed, headers=headers)
    assert "A good answer: matches ^PASS$" in text(shown)
    assert client.post("/fleets/launch", {**typed, "answer_pattern": "("}).status_code == 422
    assert client.post("/fleets/launch", typed).status_code == 303
    fleet = Fleet.objects.get()
    assert fleet.answer_check == {"check": {"kind": "matches", "pattern": "^PASS$"}}
    like = client.get("/fleets/new", {"from": fleet.public_id}).context["form"]
    assert like.asks_of_answers
    assert like.initial["answer_pattern"] == "^PASS$"
