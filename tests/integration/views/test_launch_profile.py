"""Launching with a profile of the catalog: which revision is meant, what it brings, drift."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from fleets.models import Agent, AgentProfile, Fleet, Profile
from fleets.services.actor import Actor
from fleets.services.profile_labels import set_label
from fleets.services.profiles import save_revision
from tests.factories import ConnectionFactory, ProfileFactory
from tests.integration.cast import Cast
from tests.support.markup import one_line

pytestmark = pytest.mark.django_db

BODY = {
    "name": "reviewer",
    "harness": "codex",
    "model": {"default": "gpt-4.1", "maxTotalOutputTokens": 4096},
    "prompt": {"instructions": ["Read first."]},
}


@pytest.fixture
def cast() -> Cast:
    ConnectionFactory()
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


@pytest.fixture
def profile(cast: Cast) -> Profile:
    """`reviewer` with two revisions, the first of them labelled `stable`."""
    made: Profile = ProfileFactory(slug="reviewer", body=BODY)
    actor = Actor(cast.admin, door="browser")
    newer = {**BODY, "harness": "opencode"}
    save_revision(made, body=newer, base=1, note="", actor=actor, publish=True)
    set_label(made, name="stable", number=1, actor=actor)
    return made


def launch(client: Client, **typed: str) -> Any:
    values = {"name": "nightly", "team": "review", "prompt": "Do {index}.", "count": "3"}
    values |= {"budget": "1.00", "size": "small", "harness": "pi", "model": "gpt-4.1-nano"}
    values |= {"after": "delete", "idempotency_key": "form-key-1"}
    return client.post(reverse("fleets:fleet_launch"), values | typed)


@pytest.mark.parametrize(
    ("words", "number", "harness"),
    [
        ("reviewer", 2, "opencode"),
        ("reviewer head", 2, "opencode"),
        ("reviewer expect r2", 2, "opencode"),
        ("reviewer fixed r1", 1, "codex"),
        ("reviewer stable", 1, "codex"),
    ],
)
def test_all_agents_get_the_revision_that_is_meant_and_what_it_says_comes_first(
    words: str, number: int, harness: str, client: Client, profile: Profile
) -> None:
    assert launch(client, profile=words).status_code == 303
    copy = AgentProfile.objects.get()
    assert copy.revision == profile.revisions.get(number=number)
    assert copy.digest == copy.revision.digest
    agents = Agent.objects.all()
    assert {(one.harness, one.model, one.output_limit) for one in agents} == {
        (harness, "gpt-4.1", 4096)
    }
    assert [one.agent_id for one in agents] == ["agent-1", "agent-2", "agent-3"]
    key = {"apiKeyEnv": "OPENAI_API_KEY"} if harness == "codex" else {}
    assert [one.model_options for one in agents] == [key] * 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("reviewer expect r1", "expected at r1, and its head is r2"),
        ("revewer", "Did you mean reviewer?"),
        ("reviewer stabel", "Did you mean stable?"),
        ("reviewer fixed r9", "its newest is r2"),
        ("reviewer since r2", "Behind a profile&#x27;s id stands"),
    ],
)
def test_what_is_not_there_or_has_drifted_is_refused(
    words: str, said: str, client: Client, profile: Profile
) -> None:
    answer = launch(client, profile=words)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not Fleet.objects.exists()


@pytest.mark.parametrize("accepted", ["reviewer expect r2", "reviewer fixed r1"])
def test_drift_is_looked_at_and_accepted_by_the_button_that_says_so(
    accepted: str, client: Client, profile: Profile
) -> None:
    values = {"name": "nightly", "team": "review", "prompt": "Do it.", "count": "1"}
    values |= {"profile": "reviewer expect r1"}
    refused = one_line(client.post(reverse("fleets:fleet_preview"), values))
    difference = reverse("fleets:profile_diff", args=["reviewer"]) + "?a=1&amp;b=2"
    assert f'target="_blank" rel="noopener" href="{difference}"> View the difference' in refused
    assert f'name="repair" value="profile={accepted}"' in refused
    values |= {"repair": f"profile={accepted}"}
    page: Any = client.post(reverse("fleets:fleet_preview"), values)
    assert page.context["form"]["profile"].value() == accepted
    assert not page.context["preview"].problems


def test_an_archived_profile_is_not_offered(client: Client, profile: Profile) -> None:
    new = reverse("fleets:fleet_new")
    page: Any = client.get(new, {"profile": "reviewer"})
    assert page.context["form"]["profile"].value() == "reviewer"
    assert page.context["options"].profiles == [("reviewer", "reviewer, head r2")]
    Profile.objects.update(archived_at=timezone.now())
    assert client.get(new).context["options"].profiles == []
    assert launch(client, profile="reviewer").status_code == 422


def test_a_file_names_profiles_of_the_catalog_for_single_agents(
    client: Client, profile: Profile
) -> None:
    agents = """[
      {"agentId": "a", "profile": {"profileId": "reviewer", "revision": 2}, "harness": "pi"},
      {"agentId": "b", "profile": {"profileId": "reviewer", "label": "stable"}},
      {"agentId": "c"}
    ]"""
    assert launch(client, agents=agents, prompt="Do it.").status_code == 303
    found = Agent.objects.values_list("agent_id", "harness", "profile__revision__number")
    assert list(found) == [("a", "pi", 2), ("b", "codex", 1), ("c", "pi", None)]
    stale = agents.replace('"revision": 2', '"revision": 1')
    answer = launch(client, agents=stale, prompt="Do it.", idempotency_key="form-key-2")
    page = answer.content.decode()
    assert "Line 2, agents[0].profile" in page
    assert reverse("fleets:profile_diff", args=["reviewer"]) + "?a=1&amp;b=2" in page


def test_a_fleet_like_this_one_has_the_same_revision_again(
    client: Client, profile: Profile
) -> None:
    launch(client, profile="reviewer stable")
    fleet = Fleet.objects.get()
    page: Any = client.get(reverse("fleets:fleet_new"), {"from": fleet.public_id})
    form = page.context["form"]
    assert form["profile"].value() == "reviewer fixed r1"
    assert (form["agents"].value(), form["count"].value()) == ("", "3")
    both = launch(client, profile="reviewer", agents='[{"task": "x"}]', idempotency_key="form-2")
    assert both.status_code == 422


def test_readers_launch_nothing(cast: Cast) -> None:
    address = reverse("fleets:fleet_launch")
    cast.expect(address, "POST", {"viewer": 403, "stranger": 404, "operator": 422, "admin": 422})
