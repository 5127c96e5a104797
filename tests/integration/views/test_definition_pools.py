"""Definitions whose agents drain a list: written, launched with their own list or another."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from fleets.models import Definition, Fleet, Task
from tests.factories import ConnectionFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    ConnectionFactory()
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


def saved(client: Client, **typed: Any) -> Definition:
    fields = {"mode": "form", "document": "{}", "kind": "count", "name": "Sweep", "count": "3"}
    fields |= {"tasks": "look at a\nlook at b", "session": "", "budget": "1.00"}
    answer = client.post(reverse("fleets:definition_new"), fields | typed)
    assert answer.status_code == 303, answer.content.decode()
    return Definition.objects.get()


def launched(client: Client, **typed: Any) -> list[str]:
    form = {"name": "Sweep", "team": "review", "budget": "1.00", "at_once": "auto"}
    form |= {"lifetime": "60 min", "task_timeout": "10 min", "idempotency_key": "form-key-1"}
    answer = client.post(reverse("fleets:definition_launch_now", args=["sweep"]), form | typed)
    assert answer.status_code == 303, answer.content.decode()
    fleet = Fleet.objects.get()
    assert (fleet.pattern, fleet.agents_total) == ("pool", 3)
    return list(Task.objects.order_by("position").values_list("prompt", flat=True))


def test_a_list_is_kept_shown_and_drained(client: Client) -> None:
    definition = saved(client, message="Briefly: {task}")
    assert definition.shape == "2 tasks over 3 agents"
    assert definition.head is not None
    assert json.loads(definition.head.body)["tasks"] == ["look at a", "look at b"]
    here = reverse("fleets:definition_detail", args=["sweep"])
    shown = client.get(f"{here}?tab=prompts").content.decode()
    assert "Briefly: look at b" in shown
    assert "of 2 tasks" in shown
    agents = json.loads(client.get(f"{here}/agents.json").content)
    assert [set(one) for one in agents] == [{"agentId", "harness", "model"}] * 3
    page = client.get(f"{here}/launch").content.decode()
    assert "2 tasks over 3 agents" in page
    assert "2 kept" in page
    assert launched(client) == ["Briefly: look at a", "Briefly: look at b"]
    fleet = Fleet.objects.get()
    again = client.get(reverse("fleets:definition_new") + f"?from={fleet.public_id}")
    assert "look at b" in again.content.decode()


def test_a_file_of_tasks_counts_for_one_launch(client: Client) -> None:
    definition = saved(client, tasks="ask")
    page = client.get(reverse("fleets:definition_launch", args=["sweep"])).content.decode()
    assert "this definition asks for them at every launch" in page
    assert "asks for a list" in page
    table = SimpleUploadedFile("tasks.csv", b"id;task\nfirst;look at x\n;look at y\n")
    assert launched(client, tasks_file=table) == ["look at x", "look at y"]
    assert Definition.objects.get().head_id == definition.head_id


def test_a_mistake_in_a_list_is_named_and_nothing_is_lost(client: Client) -> None:
    fields = {"mode": "form", "document": "{}", "kind": "count", "name": "Sweep", "count": "3"}
    fields |= {"tasks": '[{"id": "a b", "message": "look"}]', "message": "{taks}"}
    page = client.post(reverse("fleets:definition_new"), fields)
    assert page.status_code == 422
    words = page.content.decode()
    assert "an id has letters, digits" in words
    assert "taks" in words
    assert "{task}" in words


def test_a_pool_of_the_launch_form_becomes_a_definition(client: Client) -> None:
    typed = {"name": "Sweep", "team": "review", "count": "3", "tasks": "a\nb", "session": "same"}
    shown = client.post(reverse("fleets:definition_from_launch"), typed).content.decode()
    assert "2 tasks over 3 agents" in shown
    assert "all in an agent&#x27;s one session" in shown


def test_who_reads_launches_none(cast: Cast, client: Client) -> None:
    saved(client)
    statuses = {"admin": 200, "operator": 200, "viewer": 403, "stranger": 404}
    cast.expect(reverse("fleets:definition_launch", args=["sweep"]), "GET", statuses)
