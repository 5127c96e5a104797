"""Example tasks of a profile: written, changed by two people, moved, removed; who may."""

import pytest
from django.test import Client
from django.urls import reverse

from fleets.models import AuditEvent, Profile, ProfileExample
from tests.factories import CatalogFactory, ProfileFactory, TeamFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

ASKED = {
    "prompt": "Review src/a.py.",
    "answer_shape": "json",
    "answer_check": "field_equals",
    "answer_field": "verdict",
    "answer_value": "ok",
}


@pytest.fixture
def cast() -> Cast:
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


@pytest.fixture
def profile() -> Profile:
    made: Profile = ProfileFactory(slug="reviewer")
    return made


def address(act: str, *names: object) -> str:
    return reverse(f"fleets:profile_example{act}", args=["reviewer", *names])


def add(client: Client, prompt: str) -> ProfileExample:
    client.post(address("_add"), {"prompt": prompt})
    return ProfileExample.objects.get(prompt=prompt)


def order() -> list[tuple[int, str]]:
    return list(ProfileExample.objects.order_by("position").values_list("position", "prompt"))


def test_an_example_is_written_with_its_check_and_shown(client: Client, profile: Profile) -> None:
    added = client.post(address("_add"), ASKED)
    assert added.headers["Location"].endswith("reviewer?tab=examples")
    row = ProfileExample.objects.get()
    assert row.acceptance == {
        "shape": "json",
        "check": {"kind": "field_equals", "field": "verdict", "value": "ok"},
    }
    text = client.get(added.headers["Location"]).content.decode()
    assert "verdict is &quot;ok&quot;" in text
    assert "One example says little: 3 to 10 tell most." in text
    form = client.get(address(""), {"example": row.pk}).context["form"]
    assert form["answer_value"].value() == "ok"
    event = AuditEvent.objects.get(act="profile.example_add")
    assert (event.object_id, event.after["position"]) == ("reviewer", 1)


def test_what_is_wrong_is_told_at_its_field_and_nothing_is_lost(
    client: Client, profile: Profile
) -> None:
    refused = client.post(address("_add"), {**ASKED, "answer_shape": "text"})
    assert refused.status_code == 422
    assert "A field is looked for in JSON" in " ".join(
        refused.context["form"].errors["answer_shape"]
    )
    assert "Review src/a.py." in refused.content.decode()
    assert not ProfileExample.objects.exists()


def test_the_same_form_twice_adds_one_and_there_are_ten_at_most(
    client: Client, profile: Profile
) -> None:
    client.post(address("_add"), ASKED)
    again = client.post(address("_add"), ASKED)
    assert again.status_code == 409
    assert "Example 1 says exactly this already." in again.content.decode()
    for number in range(2, 11):
        add(client, f"Task {number}")
    full = client.post(address("_add"), {"prompt": "One more"})
    assert full.status_code == 409
    assert "remove one first" in full.content.decode()
    assert ProfileExample.objects.count() == 10


def test_whoever_saves_second_is_told_and_may_save_again(client: Client, profile: Profile) -> None:
    row = add(client, "First")
    seen = client.get(address(""), {"example": row.pk}).context["form"]["seen"].value()
    client.post(address("_save", row.pk), {"prompt": "Theirs", "seen": seen})
    late = client.post(address("_save", row.pk), {"prompt": "Mine", "seen": seen})
    assert late.status_code == 409
    text = late.content.decode()
    assert "Theirs" in text
    assert "Mine" in text
    now = late.context["form"]["seen"].value()
    client.post(address("_save", row.pk), {"prompt": "Mine", "seen": now})
    row.refresh_from_db()
    assert row.prompt == "Mine"
    event = AuditEvent.objects.filter(act="profile.example_change").latest("pk")
    assert (event.before["prompt"], event.after["prompt"]) == ("Theirs", "Mine")


def test_examples_move_by_one_and_close_the_gap(client: Client, profile: Profile) -> None:
    a, b, c = (add(client, name) for name in "abc")
    client.post(address("_move", c.pk), {"direction": "up"})
    client.post(address("_move", a.pk), {"direction": "up"})
    assert order() == [(1, "a"), (2, "c"), (3, "b")]
    client.post(address("_remove", a.pk))
    assert order() == [(1, "c"), (2, "b")]
    gone = client.post(address("_remove", a.pk))
    assert gone.status_code == 404
    assert client.get(address(""), {"example": a.pk}).status_code == 404
    assert AuditEvent.objects.filter(act="profile.example_move").count() == 1
    assert b.position == 2


def test_only_who_may_edit_the_catalog_writes_its_examples(cast: Cast) -> None:
    ProfileFactory(slug="reviewer", catalog=CatalogFactory(team=TeamFactory()))
    refused = {"viewer": 403, "stranger": 404, "operator": 403}
    cast.expect(address(""), "GET", {**refused, "admin": 200})
    cast.expect(address("_add"), "POST", {**refused, "admin": 303}, data={"prompt": "x"})
    assert ProfileExample.objects.count() == 1
    row = ProfileExample.objects.get()
    for act in ("_save", "_move", "_remove"):
        assert cast.client("operator").post(address(act, row.pk)).status_code == 403
