"""Agents as a file on the launch page: pasted or uploaded, previewed, repaired, refused."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from fleets.domain.agents_file import read_agents
from fleets.models import Fleet
from fleets.selectors.agents_document import agents_document
from tests.factories import ConnectionFactory
from tests.integration.cast import Cast
from tests.integration.views.test_launch import LAUNCHERS, TYPED

pytestmark = pytest.mark.django_db

PREVIEW, LAUNCH = "/fleets/new/preview", "/fleets/launch"
PROFILE = {"name": "reviewer", "metadata": {"about": "<script>alert(1)</script>"}}
AGENTS: list[dict[str, Any]] = [
    {"agentId": "first", "profile": PROFILE, "task": "Review one."},
    {"agentId": "second", "harness": "codex", "model": "gpt-5.5", "task": "Review two."},
    {"agentId": "third", "task": "Write.", "placement": "dedicated"},
]
FILE = json.dumps(AGENTS, indent=1)
TYPED_FILE = {**TYPED, "prompt": "", "count": "", "agents": FILE}


@pytest.fixture
def cast() -> Cast:
    ConnectionFactory(name="research-prod")
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


def text(response: Any) -> str:
    return str(response.content.decode())


def preview(client: Client, target: str = "section#preflight", **changes: Any) -> str:
    headers = {"HX-Request": "true", "HX-Target": target}
    response = client.post(PREVIEW, {**TYPED_FILE, **changes}, headers=headers)
    assert response.status_code == 200
    return text(response)


def test_operators_preview_and_launch_a_file_and_nobody_else(cast: Cast) -> None:
    cast.expect(reverse("fleets:fleet_preview"), "POST", LAUNCHERS, data=TYPED_FILE)
    expected = {"admin": 303, "operator": 303, "viewer": 403, "stranger": 404}
    cast.expect(reverse("fleets:fleet_launch"), "POST", expected, data=TYPED_FILE)


def test_the_preview_shows_who_is_where_and_why(client: Client) -> None:
    shown = preview(client)
    assert "Launch 3 agents" in shown
    assert "third (dedicated)" in shown
    assert "first is asked" in shown
    assert "Review one." in shown


def test_a_launch_keeps_what_each_agent_was_given(client: Client) -> None:
    response = client.post(LAUNCH, TYPED_FILE)
    assert response.status_code == 303
    fleet = Fleet.objects.get()
    assert (fleet.agents_total, fleet.prompt, fleet.has_own_agents) == (3, "", True)
    rows = {agent.agent_id: agent for agent in fleet.agents.select_related("profile", "machine")}
    assert rows["first"].profile is not None
    assert json.loads(rows["first"].profile.body) == PROFILE
    assert (rows["second"].harness, rows["second"].model) == ("codex", "gpt-5.5")
    assert (rows["third"].placement, rows["third"].machine.is_dedicated) == ("dedicated", True)
    tasks = dict(fleet.runs.get().tasks.values_list("agent__agent_id", "prompt"))
    assert tasks == {agent["agentId"]: agent["task"] for agent in AGENTS}


def test_an_uploaded_file_stands_where_its_text_would(client: Client) -> None:
    upload = SimpleUploadedFile("agents.json", FILE.encode(), content_type="application/json")
    shown = preview(client, "div#launch", agents="", agents_file=upload)
    assert "Launch 3 agents" in shown
    assert "&quot;agentId&quot;: &quot;second&quot;" in shown


def test_a_file_too_large_is_refused_and_told_so(client: Client) -> None:
    upload = SimpleUploadedFile("agents.json", b"[" + b" " * 1_100_000 + b"]")
    assert "at most 1 MiB fits" in preview(client, agents="", agents_file=upload)


def test_a_refusal_names_lines_and_loses_nothing(client: Client) -> None:
    broken = FILE.replace('"Review two."', '"Review two.", "apiKey": "hunter2-hunter2"')
    response = client.post(LAUNCH, {**TYPED_FILE, "agents": f"\n\n{broken}"})
    assert response.status_code == 422
    shown = text(response)
    message = shown.split("Not launched.")[1].split("</div>")[0]
    assert "Line 18, agents[1].apiKey (second): a raw key is refused" in message
    assert "hunter2" not in message
    assert "Review two." in shown
    assert not Fleet.objects.exists()


def test_the_missing_name_of_a_key_is_warned_about_with_a_repair_that_works(
    client: Client,
) -> None:
    shown = preview(client)
    assert "codex needs the name of its key" in shown
    assert 'value="agents_key_names=OPENAI_API_KEY"' in shown
    repaired = preview(client, "div#launch", repair="agents_key_names=OPENAI_API_KEY")
    assert "codex needs the name of its key" not in repaired
    assert "&quot;apiKeyEnv&quot;: &quot;OPENAI_API_KEY&quot;" in repaired


def test_an_agent_without_anything_to_do_stops_the_launch_until_there_is_a_message(
    client: Client,
) -> None:
    idle = json.dumps([{"agentId": "idle"}])
    assert "agents[0] (idle): neither a message" in preview(client, agents=idle)
    assert "Launch 1 agent" in preview(client, agents=idle, prompt="Do it, {agent_id}.")


def test_a_message_for_all_is_said_to_replace_their_tasks(client: Client) -> None:
    shown = preview(client, prompt="Do this, {agent_id}.")
    assert "brought a task of their own; the prompt is sent instead" in shown


def test_the_fleets_own_placement_can_be_chosen(client: Client) -> None:
    assert client.post(LAUNCH, {**TYPED, "placement": "2", "count": "4"}).status_code == 303
    assert Fleet.objects.get().machines.count() == 2
    assert "Placement is auto, dedicated, or" in preview(client, placement="none")


def test_markup_in_a_file_is_shown_as_text(client: Client) -> None:
    assert "<script>alert(1)" not in preview(client, "div#launch")


def test_launch_like_this_brings_every_agent_back_as_it_was(client: Client) -> None:
    client.post(LAUNCH, TYPED_FILE)
    fleet = Fleet.objects.get()
    text_again = agents_document(fleet)
    again = read_agents(text_again, harness="pi", model="other", has_message=False)
    first = read_agents(FILE, harness="opencode", model="gpt-4.1-mini", has_message=False)
    assert again == first
    shown = text(client.get(f"/fleets/new?from={fleet.public_id}"))
    assert "&quot;agentId&quot;: &quot;second&quot;" in shown
    assert "Launch 3 agents" in shown


def test_agents_asked_for_by_number_bring_no_file(client: Client) -> None:
    client.post(LAUNCH, TYPED)
    assert agents_document(Fleet.objects.get()) == ""
