"""agents.json is read in the browser: into a new definition, or one that is there."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from fleets.models import Definition, DefinitionDraft
from fleets.services.actor import Actor
from fleets.services.definitions import create_definition
from fleets.services.profile_labels import set_label
from fleets.services.profiles import save_revision
from tests.factories import ConnectionFactory, ProfileFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

AGENTS = [
    {"agentId": "writer", "harness": "opencode", "model": "gpt-4.1", "task": "Write."},
    {"agentId": "reader", "harness": "pi", "model": "gpt-4.1-mini", "task": "Read."},
]
BODY: dict[str, Any] = {
    "name": "Sweep",
    "agents": {"count": 3},
    "message": "Do {index}",
    "budgetUsd": "2.00",
}
URL = "/definitions/import"


@pytest.fixture
def cast() -> Cast:
    ConnectionFactory()
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


def posted(client: Client, agents: Any, **typed: Any) -> Any:
    text = agents if isinstance(agents, str) else json.dumps(agents, indent=2)
    return client.post(URL, {"agents": text, "name": "Pair", "into": "", **typed})


def test_a_file_becomes_a_new_definition_in_the_editor(client: Client) -> None:
    file = SimpleUploadedFile("agents.json", json.dumps(AGENTS).encode())
    page = posted(client, "", agents_file=file)
    assert page.status_code == 200
    assert "list of 2 agents" in page.content.decode()
    assert not Definition.objects.exists()
    assert DefinitionDraft.objects.get().definition is None


def test_yaml_replaces_the_agents_of_one_that_is_there(cast: Cast, client: Client) -> None:
    create_definition(body=BODY, actor=Actor(cast.operator, door="browser"))
    page = posted(client, "- agentId: writer\n- agentId: reader\n", into="sweep").content.decode()
    assert "list of 2 agents" in page
    assert "from r1" in page
    draft = json.loads(DefinitionDraft.objects.get().text)
    assert draft == {**BODY, "agents": {"list": [{"agentId": "writer"}, {"agentId": "reader"}]}}


def test_every_problem_comes_with_its_line_and_nothing_is_lost(client: Client) -> None:
    wrong = '[{"agentId": "a",\n  "harnes": "pi"},\n {"agentId": "a", "apiKey": "sk-1"}]'
    page = posted(client, wrong)
    words = page.content.decode()
    assert page.status_code == 422
    assert "Line 2, agents[0].harnes (a)" in words
    assert "Did you mean harness?" in words
    assert "a raw key is refused" in words
    assert "&quot;harnes&quot;: &quot;pi&quot;" in words
    assert not DefinitionDraft.objects.exists()


def test_an_export_comes_in_and_goes_out_byte_for_byte(cast: Cast, client: Client) -> None:
    actor = Actor(cast.admin, door="browser")
    profile = ProfileFactory(slug="reviewer", body={"name": "r", "harness": "codex"})
    save_revision(
        profile, body={"name": "r", "harness": "pi"}, base=1, note="", actor=actor, publish=True
    )
    set_label(profile, name="stable", number=1, actor=actor)
    listed = [
        {**AGENTS[0], "profile": {"profileId": "reviewer"}},
        {**AGENTS[1], "profile": {"profileId": "reviewer", "label": "stable"}},
    ]
    create_definition(body={"name": "Pair", "agents": {"list": listed}}, actor=actor)
    first = client.get("/definitions/pair/agents.json").content
    out = json.loads(first)
    # The platform knows ids and revisions alone: what is not the head is written out.
    assert out[0]["profile"] == {"profileId": "reviewer", "revision": 2}
    assert out[1]["profile"] == {"name": "r", "harness": "codex"}
    create_definition(body={"name": "Again", "agents": {"list": out}}, actor=actor)
    assert client.get("/definitions/again/agents.json").content == first


def test_who_reads_imports_nothing(cast: Cast) -> None:
    statuses = {"admin": 200, "operator": 200, "viewer": 403, "stranger": 404}
    cast.expect(reverse("fleets:definition_import"), "GET", statuses)


def test_the_list_goes_out_as_it_is_filtered(cast: Cast, client: Client) -> None:
    actor = Actor(cast.operator, door="browser")
    create_definition(body={**BODY, "name": "=SUM(1)", "tags": ["nightly"]}, actor=actor)
    create_definition(body=BODY, actor=actor)
    url = reverse("fleets:definition_list_export")
    table = b"".join(client.get(f"{url}?tag=nightly").streaming_content).decode()  # type: ignore[attr-defined]
    assert len(table.splitlines()) == 2
    assert "'=SUM(1)" in table
    found = json.loads(b"".join(client.get(f"{url}?format=json").streaming_content))  # type: ignore[attr-defined]
    assert [one["id"] for one in found["definitions"]] == ["sweep", "sum-1"]
    assert found["definitions"][0]["budgetUsd"] == "2.00"


def test_its_owner_hands_one_over(cast: Cast, client: Client) -> None:
    made = create_definition(body=BODY, actor=Actor(cast.operator, door="browser"))
    url = reverse("fleets:definition_hand_over", args=[made.slug])
    assert "nobody named" in client.post(url, {"owner": "xx"}).content.decode()
    assert client.post(url, {"owner": cast.admin.get_username()}).status_code == 303
    made.refresh_from_db()
    assert made.owner == cast.admin
