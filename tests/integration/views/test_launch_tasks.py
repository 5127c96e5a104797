"""A list of tasks on the launch page: pasted or chosen, previewed, launched, launched like it."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from fleets.models import Fleet, Task
from tests.factories import ConnectionFactory
from tests.integration.cast import Cast
from tests.integration.views.test_launch import TYPED

pytestmark = pytest.mark.django_db

PREVIEW, LAUNCH = "/fleets/new/preview", "/fleets/launch"
LINES = "\n".join(f"Do part {n}." for n in range(1, 41))
TYPED_LIST = {**TYPED, "prompt": "", "count": "8", "tasks": LINES}


@pytest.fixture
def cast() -> Cast:
    ConnectionFactory(name="research-prod")
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


def text(response: Any) -> str:
    return str(response.content.decode())


def preview(client: Client, **changes: Any) -> str:
    headers = {"HX-Request": "true", "HX-Target": "section#preflight"}
    response = client.post(PREVIEW, {**TYPED_LIST, **changes}, headers=headers)
    assert response.status_code == 200
    return text(response)


def test_operators_launch_a_list_and_nobody_else(cast: Cast) -> None:
    expected = {"admin": 303, "operator": 303, "viewer": 403, "stranger": 404}
    cast.expect(LAUNCH, "POST", expected, data=TYPED_LIST)


def test_the_preview_says_how_the_list_is_shared(client: Client) -> None:
    shown = preview(client)
    assert "40 tasks over 8 agents, 5 each, each in a new session" in shown
    assert "Launch 8 agents for 40 tasks" in shown
    assert "Whoever takes task-1 is asked" in shown
    assert "about 6 each, all in an agent&#x27;s one session" in preview(
        client, count="7", session="same"
    )


def test_a_chosen_table_is_read_as_a_table(client: Client) -> None:
    table = SimpleUploadedFile("work.csv", "id;task\nx-1;Prüfe\n".encode("cp1252"))
    response = client.post(LAUNCH, {**TYPED_LIST, "tasks": "", "tasks_file": table})
    assert response.status_code == 303
    task = Task.objects.get()
    assert (task.name, task.prompt, task.agent) == ("x-1", "Prüfe", None)


def test_what_is_wrong_in_the_list_is_told_and_kept(client: Client) -> None:
    response = client.post(LAUNCH, {**TYPED_LIST, "tasks": '["a",\n 7]'})
    assert response.status_code == 422
    assert "Line 2: a task is text or an object" in text(response)
    assert "[&quot;a&quot;,\n 7]" in text(response)
    missing = preview(client, prompt="Be quick")
    assert "Put {task} at its end" in missing


def test_a_pool_is_launched_again_like_it_was(client: Client) -> None:
    message = "Piece {index}: {task}"
    client.post(LAUNCH, {**TYPED_LIST, "prompt": message, "session": "same"})
    fleet = Fleet.objects.get()
    assert (fleet.agents_total, fleet.tasks_total, fleet.is_same_session) == (8, 40, True)
    assert Task.objects.get(position=3).prompt == "Piece 3: Do part 3."

    shown = client.get("/fleets/new", {"from": fleet.public_id}).context["form"].initial
    assert json.loads(shown["tasks"]) == LINES.split("\n")
    assert (shown["prompt"], shown["session"], shown["count"]) == (message, "same", "8")


def test_the_page_of_a_pool_counts_tasks_and_shows_agents(client: Client) -> None:
    client.post(LAUNCH, TYPED_LIST)
    fleet = Fleet.objects.get()
    agent = fleet.agents.get(position=2)
    Task.objects.filter(position=1).update(state="completed", agent=agent, response="done")
    Fleet.objects.update(tasks_queued=38, tasks_running=1, tasks_completed=1)
    agent.state = "running"
    agent.save()

    page = client.get(f"/fleets/{fleet.public_id}")
    assert "1 of 40 tasks done, 1 at work" in text(page)
    tabs = {tab.key: tab.count for tab in page.context["tabs"]}
    assert (tabs["running"], tabs["queued"]) == (1, 7)

    results = client.get(f"/fleets/{fleet.public_id}", {"tab": "results"})
    assert '<span class="n" id="tab-results">1/40</span>' in text(results)
    rows = results.context["results"].rows
    assert len(rows) == 40
    assert (rows[0].name, rows[0].agent_id, rows[1].agent_id) == ("task-1", "agent-2", "")
    export = client.get(f"/fleets/{fleet.public_id}/results.csv")
    assert text(export).splitlines()[1].startswith("task-1,agent-2,")
