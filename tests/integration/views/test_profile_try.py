"""Trying a revision: what would run is shown, refused with reasons, ordered once; who may."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from fleets.models import Agent, Fleet, Profile, ProfileExample, ProfileTrial
from fleets.selectors.profile_trial import trial_view
from fleets.selectors.profile_trials import trial_list, tried
from tests.browser.world import make_trial
from tests.factories import (
    CatalogFactory,
    ConnectionFactory,
    ProfileFactory,
    ProfileRevisionFactory,
    TeamFactory,
)
from tests.integration.cast import Cast
from tests.support.markup import one_line

pytestmark = pytest.mark.django_db

BODY = {"name": "reviewer", "harness": "opencode", "model": {"default": "gpt-4.1-nano"}}
SENT = {
    "revision": "2",
    "against": "1",
    "team": "review",
    "budget": "1.00",
    "lifetime": "30 min",
    "task_timeout": "10 min",
    "after_delay": "5 min",
    "idempotency_key": "form-key-1",
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
    """`reviewer` with a head, a draft of another model, and two examples."""
    made: Profile = ProfileFactory(slug="reviewer", body=BODY, owner=cast.operator)
    ProfileRevisionFactory(profile=made, body={**BODY, "model": {"default": "gpt-4.1-mini"}})
    for position, acceptance in enumerate(({"check": {"kind": "not_empty"}}, {}), start=1):
        ProfileExample.objects.create(
            profile=made, position=position, prompt=f"Task {position}", acceptance=acceptance
        )
    return made


def page(client: Client, **query: str) -> Any:
    return client.get(reverse("fleets:profile_try", args=["reviewer"]), query)


def send(client: Client, **changes: str) -> Any:
    return client.post(reverse("fleets:profile_try_now", args=["reviewer"]), SENT | changes)


def test_the_page_shows_the_draft_against_the_head_and_a_budget_that_holds_it(
    client: Client, profile: Profile
) -> None:
    shown = page(client)
    setup, preview = shown.context["setup"], shown.context["preview"]
    assert (setup.tried.number, setup.tried.word) == (2, "draft")
    assert (setup.against.number, setup.against.word) == (1, "head")
    assert preview.can_launch
    assert preview.launch_label.startswith("Run 4 turns, ≤ $")
    assert preview.flight.holds.at_once_start == 4
    assert len(preview.flight.machines) == 2
    head = page(client, revision="1").context["setup"]
    assert (head.tried.number, head.against.number) == (1, 2)
    itself = page(client, revision="1", against="1").context["setup"]
    assert "cannot be compared with itself" in itself.refusal
    assert page(client, revision="9").status_code == 404
    assert page(client, revision="nine").status_code == 404


def test_an_order_launches_one_fleet_however_often_it_is_pressed(
    client: Client, profile: Profile
) -> None:
    first, second = send(client), send(client)
    trial = ProfileTrial.objects.get()
    where = reverse("fleets:profile_trial", args=["reviewer", trial.pk])
    assert (first.headers["Location"], second.headers["Location"]) == (where, where)
    fleet = Fleet.objects.get()
    assert (fleet.after, fleet.after_delay_s, fleet.tags) == ("delete", 300, ["trial"])
    assert (trial.count, trial.asked, fleet.has_own_checks) == (2, 1, True)
    agents = Agent.objects.order_by("position").select_related("profile__revision")
    assert [one.agent_id for one in agents] == ["r1-1", "r2-1", "r1-2", "r2-2"]
    assert len({one.session_id for one in agents}) == 4
    assert [one.answer_check for one in agents] == [{"check": {"kind": "not_empty"}}] * 2 + [{}] * 2
    changed = send(client, budget="0.90")
    assert changed.status_code == 422
    assert "with other values" in changed.content.decode()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"budget": ""}, "A trial has a budget"),
        ({"budget": "3.00"}, "Over your limit of $2.00"),
        ({"budget": "0.001"}, "more than the budget"),
        ({"team": "elsewhere"}, "You are not in the team elsewhere"),
        ({"against": "2"}, "cannot be compared with itself"),
        ({"lifetime": "soon"}, "Deadline"),
        ({"idempotency_key": ""}, "own key was missing"),
    ],
)
def test_what_stands_against_it_is_told_and_nothing_is_launched(
    changes: dict[str, str], words: str, cast: Cast, client: Client, profile: Profile
) -> None:
    cast.operator.spend_limit_nusd = 2_000_000_000
    cast.operator.save()
    refused = send(client, **changes)
    assert refused.status_code == 422
    assert words in refused.content.decode()
    assert not Fleet.objects.exists()


def test_without_examples_or_when_archived_it_says_what_to_do(
    client: Client, profile: Profile
) -> None:
    profile.archived_at = timezone.now()
    profile.save()
    assert "bring it back first" in page(client).context["setup"].refusal
    profile.examples.all().delete()
    profile.archived_at = None
    profile.save()
    text = page(client).content.decode()
    assert "has no examples yet: write 3 to 10 tasks" in text
    assert "Add an example" in text
    assert send(client).status_code == 422


def test_the_preflight_is_recomputed_and_a_repair_put_into_its_field(
    client: Client, profile: Profile
) -> None:
    where = reverse("fleets:profile_try_preview", args=["reviewer"])
    htmx = {"HX-Request": "true", "HX-Target": "section#preflight"}
    fragment = client.post(where, SENT | {"budget": "0.001"}, headers=htmx)
    text = fragment.content.decode()
    assert "more than the budget" in text
    assert 'id="launch-act"' in text
    assert "<html" not in text
    repaired = client.post(where, SENT | {"budget": "0.001", "repair": "budget=0.50"})
    assert repaired.context["preview"].can_launch


def test_only_who_may_edit_the_catalog_tries_its_profiles(cast: Cast, profile: Profile) -> None:
    profile.catalog = CatalogFactory(team=TeamFactory())
    profile.save()
    refused = {"viewer": 403, "stranger": 404, "operator": 403}
    cast.expect(reverse("fleets:profile_try", args=["reviewer"]), "GET", {**refused, "admin": 200})
    for who in ("operator", "viewer"):
        assert send(cast.client(who)).status_code == 403
    assert not Fleet.objects.exists()


def test_everybody_who_may_read_sees_a_trial_and_acts_are_for_whoever_may(
    cast: Cast, profile: Profile
) -> None:
    pk = make_trial(profile, team=cast.team, owner=cast.operator)
    where = reverse("fleets:profile_trial", args=["reviewer", pk])
    cast.expect(where, "GET", {"admin": 200, "operator": 200, "viewer": 200, "stranger": 404})
    text = cast.client("viewer").get(where).content.decode()
    assert "&lt;script&gt;alert(1)" in text
    assert ("Publish r2" in text, "/decide" in text, "Run again" in text) == (False,) * 3
    shown = cast.client("operator").get(where).content.decode()
    assert "Publish r2" in shown
    other = ProfileFactory(slug="other")
    elsewhere = reverse("fleets:profile_trial", args=[other.slug, pk])
    assert cast.client("operator").get(elsewhere).status_code == 404


def test_a_decision_that_nobody_asked_for_is_refused_in_words(
    cast: Cast, client: Client, profile: Profile
) -> None:
    pk = make_trial(profile, team=cast.team, owner=cast.operator)
    trial = ProfileTrial.objects.get(pk=pk)
    judged = trial.fleet.runs.get().tasks.get(verdict="accepted")
    names = ["reviewer", pk, judged.pk]
    where = reverse("fleets:profile_trial_decide", args=names)
    refused = client.post(where, {"verdict": "refused"})
    assert refused.status_code == 409
    assert "No person decides over this answer." in refused.content.decode()


def test_lists_and_the_page_ask_as_often_for_many_as_for_one(
    cast: Cast, profile: Profile, django_assert_num_queries: Any
) -> None:
    for _ in range(3):
        pk = make_trial(profile, team=cast.team, owner=cast.operator)
    trial = ProfileTrial.objects.select_related("fleet", "revision", "against", "created_by").get(
        pk=pk
    )
    with django_assert_num_queries(2):
        view = trial_view(trial)
    with django_assert_num_queries(3):
        lines = trial_list(profile).lines
    with django_assert_num_queries(2):
        last = tried(profile, [1, 2])
    assert (view.done, view.turns, view.is_over) == (3, 4, False)
    assert [line.words for line in lines] == ["3 of 4 turns done"] * 3
    assert lines[0].cost_nusd == (view.before.cost_nusd or 0) + (view.after.cost_nusd or 0)
    assert list(last) == [2]
    assert last[2].url.endswith(f"/trials/{pk}")


def test_a_trial_changes_no_other_figure_of_the_profile(
    cast: Cast, client: Client, profile: Profile
) -> None:
    make_trial(profile, team=cast.team, owner=cast.operator)
    (row,) = client.get(reverse("fleets:profile_list")).context["page"].rows
    assert (row.usage.words, row.usage.checked) == ("", 0)
    here = reverse("fleets:profile_detail", args=["reviewer"])
    results = client.get(here, {"tab": "results"})
    assert list(results.context["results"]) == []
    assert "3 turns of" in results.content.decode()
    used = client.get(here, {"tab": "used-by"})
    assert list(used.context["page"].rows) == []
    revisions = one_line(client.get(here, {"tab": "revisions"}))
    assert "tried: 3 of 4 turns done" in revisions
    examples = client.get(here, {"tab": "examples"}).content.decode()
    assert "r2 against r1" in examples
