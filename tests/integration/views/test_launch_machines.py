"""What machines get is said on the launch page, also where they are all that is launched."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from fleets.models import Definition, Fleet
from tests.factories import ConnectionFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

TYPED = {
    "name": "bench",
    "team": "review",
    "machines": "3",
    "coordinator": "yes",
    "budget": "1.00",
    "size": "small",
    "lifetime": "2 h",
    "after": "delete",
    "after_delay": "2 h",
    "count": "10",
    "idempotency_key": "form-key-1",
    "image": "node:22",
    "git_url": "https://git.example.org/a.git",
    "secrets": "A_TOKEN, B_TOKEN",
    "setup": "npm ci",
    "domains": "api.example.org",
    "implicit": "no",
    "f0_path": "notes.md",
    "f0_content": "Be brief.",
    "f1_path": "",
    "f1_content": "",
}
NEEDS = {
    "image": "node:22",
    "git": {"url": "https://git.example.org/a.git"},
    "files": [{"path": "notes.md", "content": "Be brief."}],
    "setup": {"command": "npm ci", "timeout": "300 s"},
    "secrets": ["A_TOKEN", "B_TOKEN"],
    "egress": {"domains": ["api.example.org"], "includeImplicit": False},
}


@pytest.fixture
def cast() -> Cast:
    ConnectionFactory()
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


def post(client: Client, to: str, **typed: str) -> Any:
    return client.post(reverse(f"fleets:{to}"), {**TYPED, **typed})


def test_machines_only_are_launched_with_what_they_get(client: Client) -> None:
    shown = post(client, "fleet_preview").content.decode()
    assert "Launch 4 machines, ≤ $1.00" in shown
    assert "model calls" not in shown
    assert post(client, "fleet_launch").status_code == 303
    fleet = Fleet.objects.get()
    assert (fleet.pattern, fleet.harness, fleet.agents_total) == ("machines", "", 0)
    assert fleet.machine_needs == NEEDS
    assert [str(one) for one in fleet.machines.all()][:2] == ["coordinator", "worker-1"]
    page = client.get(reverse("fleets:fleet_detail", args=[fleet.public_id])).content.decode()
    assert "Machines without agents" in page
    assert "?tab=results" not in page
    assert "run-again" not in page
    like = client.get(reverse("fleets:fleet_new") + f"?from={fleet.public_id}").content.decode()
    assert 'name="machines" value="3"' in like
    assert 'value="notes.md"' in like
    assert "npm ci" in like


def test_what_is_wrong_stands_at_its_field(client: Client) -> None:
    shown = post(client, "fleet_launch", git_url="https://u:p@x.org/a.git", f0_path="../up")
    page = shown.content.decode()
    assert shown.status_code == 422
    assert "has a user or password in it" in page
    assert "must not have . or .. or empty steps in it" in page
    refused = post(client, "fleet_launch", prompt="Do it").content.decode()
    assert "Machines only: nobody would read this prompt" in refused
    assert not Fleet.objects.exists()


def test_the_form_becomes_a_definition_that_launches_the_same(client: Client) -> None:
    editor = post(client, "definition_from_launch").content.decode()
    assert "machines only" in editor
    assert "npm ci" in editor
    body = {**TYPED, "kind": "machines", "mode": "form", "document": "{}", "after_delay": ""}
    body.pop("count")
    assert client.post(reverse("fleets:definition_new"), body).status_code == 303
    definition = Definition.objects.get()
    assert (definition.shape, definition.agents_count) == (
        "4 machines only, one a coordinator",
        0,
    )
    here = reverse("fleets:definition_launch", args=[definition.slug])
    page = client.get(here).content.decode()
    assert "Launch 4 machines" in page
    assert "At once" not in page
    assert "delete after 2 h" in page
    for tab in ("recipe", "prompts"):
        shown = client.get(f"{reverse('fleets:definition_detail', args=['bench'])}?tab={tab}")
        assert shown.status_code == 200


def test_who_reads_launches_none(cast: Cast) -> None:
    statuses = {"admin": 200, "operator": 200, "viewer": 403, "stranger": 404}
    cast.expect(reverse("fleets:fleet_new"), "GET", statuses)
