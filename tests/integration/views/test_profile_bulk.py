"""The pages of a bulk change: what is meant, what it would do, what was done."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from fleets.models import Profile, ProfileBulkChange
from tests.factories import ProfileFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

FORM = reverse("fleets:profile_bulk")
PREVIEW = reverse("fleets:profile_bulk_preview")
CONFIRM = reverse("fleets:profile_bulk_confirm")
RETIRED = {"kind": "model", "model_old": "old", "model_new": "new"}


@pytest.fixture
def cast() -> Cast:
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


def make(*slugs: str, model: str = "old") -> list[Profile]:
    body = {"harness": "codex", "model": {"default": model}}
    return [ProfileFactory(slug=slug, body={**body, "name": slug}) for slug in slugs]


def hidden(answer: Any, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', answer.content.decode())
    assert found, name
    return found[1]


def shown(answer: Any) -> dict[str, str]:
    return {name: hidden(answer, name) for name in ("shown", "seen", "bulk_id", "count")}


def test_an_id_that_can_be_none_means_no_profile_and_never_all(client: Client) -> None:
    make("a", "b")
    text = client.get(f"{FORM}?slug=No+Such").content.decode()
    assert "Change 0 profiles" in text
    answer = client.post(CONFIRM, {"slug": "No Such", **RETIRED, "seen": "a:1", "take": "a"})
    assert "Change 0 profiles" in answer.content.decode()
    assert not ProfileBulkChange.objects.exists()


def test_a_filter_is_frozen_previewed_confirmed_and_undone(client: Client) -> None:
    make("a", "b")
    make("c", model="other")
    answer = client.get(f"{FORM}?harness=codex")
    assert "Change 3 profiles" in answer.content.decode()
    assert "old, in 2" in answer.content.decode()
    answer = client.post(PREVIEW, {"harness": "codex", "count": "3", **RETIRED})
    text = answer.content.decode()
    assert "does not use old" in text
    assert text.count('name="take"') == 2
    assert not ProfileBulkChange.objects.exists()
    filled = {"harness": "codex", **RETIRED, **shown(answer), "take": ["a", "b"], "note": "gone"}
    answer = client.post(CONFIRM, filled)
    bulk = ProfileBulkChange.objects.get()
    record = reverse("fleets:profile_bulk_change", args=[bulk.public_id])
    assert answer.headers["Location"] == record
    assert bulk.selection == "all with harness codex"
    assert set(Profile.objects.values_list("model", flat=True)) == {"new", "other"}
    assert client.post(CONFIRM, filled).headers["Location"] == record
    assert ProfileBulkChange.objects.count() == 1
    text = client.get(record).content.decode()
    assert "r1 → r2" in text
    assert "Undo all 2" in text
    client.post(reverse("fleets:profile_bulk_undo", args=[bulk.public_id]))
    assert set(Profile.objects.values_list("model", flat=True)) == {"old", "other"}
    assert "Undo all" not in client.get(record).content.decode()


def test_a_filter_that_grew_is_refused_with_how_it_stands(client: Client) -> None:
    make("a")
    answer = client.post(PREVIEW, {"harness": "codex", "count": "1", **RETIRED})
    filled = {"harness": "codex", **RETIRED, **shown(answer), "take": ["a"]}
    make("late")
    answer = client.post(CONFIRM, filled)
    assert answer.status_code == 409
    assert "1 matched when you looked, and 2 match now" in answer.content.decode()
    assert hidden(answer, "count") == "2"
    assert not ProfileBulkChange.objects.exists()
    assert client.post(PREVIEW, {"harness": "codex", "count": "1", **RETIRED}).status_code == 409
    # Chosen one by one there is nothing that could grow.
    answer = client.post(PREVIEW, {"slug": ["a"], "count": "1", **RETIRED})
    filled = {"slug": ["a"], **RETIRED, **shown(answer), "take": ["a"]}
    assert client.post(CONFIRM, filled).status_code == 303


def test_a_head_that_moved_is_named_and_what_was_unticked_stays_so(client: Client) -> None:
    first, _ = make("a", "b")
    answer = client.post(PREVIEW, {"count": "2", **RETIRED})
    filled = {**RETIRED, **shown(answer), "seen": "a:7 b:1", "take": ["a"], "note": "typed"}
    answer = client.post(CONFIRM, filled)
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "a is at r1, not r7" in text
    assert 'value="typed"' in text
    boxes = re.findall(r'<input type="checkbox"[^>]*name="take"[^>]*>', text)
    assert [("checked" in box) for box in boxes] == [True, False]
    first.refresh_from_db()
    assert first.newest == 1


def test_a_change_that_was_altered_after_its_preview_is_shown_first(client: Client) -> None:
    make("a")
    answer = client.post(PREVIEW, {"count": "1", **RETIRED})
    filled = {**RETIRED, **shown(answer), "take": ["a"], "model_new": "newer"}
    answer = client.post(CONFIRM, filled)
    assert answer.status_code == 409
    assert "not the one that was shown" in answer.content.decode()
    assert "newer" in answer.content.decode()
    assert not ProfileBulkChange.objects.exists()


def test_what_was_typed_wrong_is_refused_at_its_field_with_everything_kept(
    client: Client,
) -> None:
    make("a")
    typed = {"kind": "field", "field_path": "modell.small", "field_new": "<b>x</b>", "count": "1"}
    answer = client.post(PREVIEW, typed)
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "Did you mean model?" in text
    assert "&lt;b&gt;x&lt;/b&gt;" in text
    assert 'href="#b-field_path"' in text


def test_an_empty_selection_and_one_too_large_say_so(client: Client) -> None:
    assert "Nothing to change" in client.get(f"{FORM}?q=none-such").content.decode()
    answer = client.post(CONFIRM, {**RETIRED, "seen": "x:1\0", "take": "x", "bulk_id": "\0"})
    assert answer.status_code == 409


def test_a_preview_of_many_asks_the_database_as_often_as_one_of_few(
    client: Client, cast: Cast, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make(*(f"p-{at}" for at in range(3)))
    client.get(FORM)
    with django_assert_num_queries(6):  # with session, person and what the rail counts
        client.post(PREVIEW, {"count": "3", **RETIRED})
    make(*(f"q-{at}" for at in range(20)))
    with django_assert_num_queries(6):
        client.post(PREVIEW, {"count": "23", **RETIRED})


def test_viewers_read_the_record_and_see_no_way_to_undo_it(cast: Cast, client: Client) -> None:
    make("a")
    answer = client.post(PREVIEW, {"count": "1", **RETIRED})
    client.post(CONFIRM, {**RETIRED, **shown(answer), "take": ["a"]})
    bulk = ProfileBulkChange.objects.get()
    record = reverse("fleets:profile_bulk_change", args=[bulk.public_id])
    everybody = {"admin": 200, "operator": 200, "viewer": 200, "stranger": 404}
    cast.expect(record, "GET", everybody)
    assert "Undo all" not in cast.client("viewer").get(record).content.decode()
