"""The editor: form and source over one text, drafts that survive, late saves that lose nothing."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from fleets.models import Profile, ProfileDraft, ProfileRevision
from fleets.services.actor import Actor
from fleets.services.profiles import organisation_catalog, save_revision
from tests.factories import CatalogFactory, ProfileFactory, TeamFactory, UserFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

BODY = {"name": "reviewer", "harness": "opencode", "metadata": {"kept": [1, None]}}
KEY = "sk-" + "a1b2c3d4e5f6g7h8i9"


@pytest.fixture
def cast() -> Cast:
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


@pytest.fixture
def profile() -> Profile:
    made: Profile = ProfileFactory(slug="reviewer", body=BODY)
    return made


def address(page: str) -> str:
    return reverse(f"fleets:profile_{page}", args=["reviewer"])


def text_of(answer: Any) -> str:
    return str(answer.context["document"].text)


def typed(answer: Any, **changes: str) -> dict[str, str]:
    """What the browser posts of the page as it stands, with some fields changed."""
    edited, document = answer.context["edited"], answer.context["document"]
    values = {"text": document.text, "syntax": str(document.syntax), "base": str(edited.base)}
    values |= {"view": "source", "note": edited.note}
    if answer.context["shows_form"]:
        fields = answer.context["fields"].values()
        values |= {one.name: one.text for one in fields if not one.is_locked} | {"view": "form"}
    return values | changes


def test_turning_between_form_and_source_keeps_what_the_form_does_not_show(
    client: Client, profile: Profile
) -> None:
    page: Any = client.get(address("edit"))
    page = client.post(address("look"), typed(page, name="critic", act="source"))
    assert '"kept": [' in text_of(page)
    assert '"name": "critic"' in text_of(page)
    page = client.post(address("look"), typed(page, act="yaml"))
    assert text_of(page).startswith("name: critic\n")
    page = client.post(address("look"), typed(page, act="form"))
    page = client.post(address("save"), typed(page, act="save", note="renamed"))
    assert page.status_code == 303
    saved = ProfileRevision.objects.get(number=2)
    assert (saved.note, saved.published_at) == ("renamed", None)
    assert profile.head is not None
    assert saved.body == profile.head.body.replace('"name": "reviewer"', '"name": "critic"')
    assert not ProfileDraft.objects.exists()


def test_a_text_that_cannot_be_read_stays_as_it_was_typed_and_says_the_line(
    client: Client, profile: Profile
) -> None:
    page: Any = client.get(address("edit"), {"view": "source"})
    broken = '{\n  "name": "x"\n  "y": 1\n}'
    page = client.post(address("look"), typed(page, text=broken, act="form"))
    assert not page.context["shows_form"]
    assert text_of(page) == broken
    assert [(one.line, one.path) for one in page.context["problems"]] == [(3, "")]
    refused = client.post(address("save"), typed(page, act="save"))
    assert refused.status_code == 422
    assert text_of(refused) == broken


def test_a_suggestion_is_carried_out_by_its_button(client: Client, profile: Profile) -> None:
    page: Any = client.get(address("edit"), {"view": "source"})
    text = '{"name": "x", "harnes": "codex", "model": {"reasoningEffort": "hgih"}}'
    page = client.post(address("look"), typed(page, text=text))
    assert [one.suggestion for one in page.context["problems"]] == ["high", "harness"]
    page = client.post(address("look"), typed(page, fix="1"))
    page = client.post(address("look"), typed(page, fix="0"))
    assert page.context["problems"] == []
    assert '"harness": "codex"' in text_of(page)


def test_what_is_typed_waits_for_its_person_and_others_see_that_they_edit(
    client: Client, cast: Cast, profile: Profile
) -> None:
    page: Any = client.get(address("edit"))
    client.post(address("look"), typed(page, description="half a sen", act="check"))
    again: Any = client.get(address("edit"))
    assert again.context["fields"]["description"].text == "half a sen"
    assert again.context["edited"].is_resumed
    other: Any = cast.client("admin").get(address("edit"))
    assert not other.context["edited"].is_resumed
    (editing,) = other.context["around"].editing
    assert editing.name == cast.operator.username
    client.post(address("discard"))
    assert not ProfileDraft.objects.exists()


def test_a_secret_is_refused_with_its_line_and_kept_nowhere(
    client: Client, profile: Profile
) -> None:
    page: Any = client.get(address("edit"), {"view": "source"})
    text = f'{{\n  "name": "x",\n  "prompt": {{"systemPrompt": "use {KEY}"}}\n}}'
    page = client.post(address("look"), typed(page, text=text, act="check"))
    assert [one.line for one in page.context["problems"]] == [3]
    assert KEY not in page.context["problems"][0].message
    assert client.post(address("save"), typed(page, act="publish")).status_code == 422
    assert not ProfileDraft.objects.exists()
    assert not ProfileRevision.objects.filter(body__contains=KEY).exists()


def late(client: Client, cast: Cast, profile: Profile, **mine: str) -> Any:
    """A save by the operator after the admin saved another name as r2."""
    page: Any = client.get(address("edit"))
    actor = Actor(cast.admin, door="browser")
    theirs = {**BODY, "name": "theirs"}
    save_revision(profile, body=theirs, base=1, note="", actor=actor, publish=True)
    return client.post(address("save"), typed(page, act="publish", **mine))


def test_a_late_save_is_refused_and_rebased_where_nothing_collides(
    client: Client, cast: Cast, profile: Profile
) -> None:
    page: Any = late(client, cast, profile, description="mine")
    assert page.status_code == 409
    assert page.context["around"].newer.number == 2
    assert page.context["fields"]["description"].text == "mine"
    compared: Any = client.post(address("look"), typed(page, act="compare"))
    assert [one.shown_path for one in compared.context["changes"]] == ["name", "description"]
    page = client.post(address("look"), typed(page, act="rebase"))
    assert page.context["edited"].base == 2
    assert client.post(address("save"), typed(page, act="publish")).status_code == 303
    profile.refresh_from_db()
    assert profile.head is not None
    assert (profile.head.number, profile.name, profile.description) == (3, "theirs", "mine")


def test_what_both_changed_is_asked_and_then_as_it_was_chosen(
    client: Client, cast: Cast, profile: Profile
) -> None:
    page: Any = late(client, cast, profile, name="mine")
    asked: Any = client.post(address("look"), typed(page, act="rebase"))
    (conflict,) = asked.context["merged"].conflicts
    assert conflict.shown == ("reviewer", "mine", "theirs")
    assert ProfileDraft.objects.get().text.count("mine") == 1
    choice = {f"choice:{conflict.key}": "mine"}
    page = client.post(address("look"), {**typed(asked, act="rebase"), **choice})
    assert page.context["edited"].base == 2
    assert page.context["fields"]["name"].text == "mine"


def test_a_new_profile_is_made_in_the_chosen_catalog(client: Client, cast: Cast) -> None:
    shelf = CatalogFactory(team=cast.team)
    CatalogFactory(team=TeamFactory())
    new = reverse("fleets:profile_new")
    page: Any = client.get(new)
    assert dict(page.context["around"].catalogs).keys() == {"organisation", shelf.slug}
    values = typed(page, name="Code Reviewer", catalog=shelf.slug, act="publish")
    taken = client.post(f"{new}/save", values | {"slug": "new"})
    assert taken.status_code == 422
    made = client.post(f"{new}/save", values)
    assert made.headers["Location"] == reverse("fleets:profile_detail", args=["code-reviewer"])
    profile = Profile.objects.get()
    assert (profile.catalog, profile.owner) == (shelf, cast.operator)
    assert organisation_catalog().profiles.count() == 0


def test_the_editor_is_closed_to_those_who_may_not_write_there(cast: Cast) -> None:
    ProfileFactory(slug="reviewer", catalog=CatalogFactory(team=TeamFactory()))
    cast.expect(
        address("edit"), "GET", {"viewer": 403, "stranger": 404, "operator": 403, "admin": 200}
    )
    member = UserFactory(teams=[Profile.objects.get().catalog.team])
    client = Client()
    client.force_login(member, "django.contrib.auth.backends.ModelBackend")
    assert client.get(address("edit")).status_code == 200
