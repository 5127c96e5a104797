"""Texts that profiles share are found by content, shown with who has them, and updated together."""

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from fleets.domain.profile_parts import text_digest
from fleets.models import Profile, ProfileText
from fleets.services.actor import Actor
from fleets.services.profile_shelf import archive_profile
from fleets.services.profile_texts import read_missing_texts
from fleets.services.profiles import create_profile, organisation_catalog, save_revision
from tests.factories import ProfileFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

LIST = reverse("fleets:profile_skills")


@pytest.fixture
def cast() -> Cast:
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


def body(text: str, *, name: str = "pytest") -> dict[str, object]:
    skill = {"kind": "inline", "name": name, "content": text}
    return {"resources": {"skills": [skill, {"kind": "github", "path": "x"}]}}


def page(digest: str) -> str:
    return reverse("fleets:profile_skill", args=[digest])


def test_equal_texts_are_one_line_whatever_they_are_called_and_same_names_stand_out(
    cast: Cast, client: Client
) -> None:
    assert "No profile brings a text along" in client.get(LIST).content.decode()
    ProfileFactory(slug="a", body=body("Use -k.\nNow."))
    ProfileFactory(slug="b", body=body("Use -k.\r\nNow.", name="testing"))
    ProfileFactory(slug="c", body=body("<script>x</script>"))
    away = ProfileFactory(slug="d", body=body("Use -k.\nNow."))
    archive_profile(away, actor=Actor(cast.admin, door="browser"))
    digest = text_digest("Use -k.\nNow.")
    text = client.get(LIST).content.decode()
    assert "pytest, testing" in text
    assert text.count("1 other text") == 2
    found = client.get(page(digest)).content.decode()
    assert "in <b>2</b> profiles" in found
    assert "as testing" in found
    other = text_digest("<script>x</script>")
    shown = client.get(page(other)).content.decode()
    assert "&lt;script&gt;x" in shown
    assert "<script>x" not in shown
    diff = client.get(f"{page(digest)}?with={other}").content.decode()
    assert "Difference of" in diff
    assert "<script>x" not in diff
    assert client.get(f"{LIST}?show=shared").content.decode().count('scope="row"') == 1
    assert client.get(f"{LIST}?show=alike").content.decode().count('scope="row"') == 2
    assert client.get(f"{LIST}?q=testing").content.decode().count('scope="row"') == 1
    assert "Nothing matches" in client.get(f"{LIST}?q=nowhere").content.decode()
    missing = {"admin": 404, "operator": 404, "viewer": 404, "stranger": 404}
    cast.expect(page("0" * 32), "GET", missing)


def test_a_shared_text_is_updated_everywhere_in_one_act_from_its_page(client: Client) -> None:
    for slug in ("a", "b"):
        ProfileFactory(slug=slug, body={**body("Use -k."), "name": slug})
    ProfileFactory(slug="c", body={**body("other"), "name": "c"})
    digest = text_digest("Use -k.")
    link = f"{reverse('fleets:profile_bulk')}?q=text:{digest}&kind=skill&skill_old={digest}"
    assert link.replace("&", "&amp;") in client.get(page(digest)).content.decode()
    form = client.get(link).content.decode()
    assert "Change 2 profiles" in form
    assert 'name="skill_new"' in form
    assert ">Use -k.</textarea>" in form
    typed = {"kind": "skill", "skill_old": digest, "skill_new": "Use -x.", "q": f"text:{digest}"}
    preview = client.post(reverse("fleets:profile_bulk_preview"), {**typed, "count": "2"})
    assert preview.content.decode().count('name="take"') == 2


def test_a_new_head_takes_its_texts_along_and_a_draft_does_not(cast: Cast) -> None:
    actor = Actor(cast.operator, door="browser")
    profile = create_profile(
        catalog=organisation_catalog(), body={**body("one"), "name": "a"}, actor=actor
    )
    assert [row.digest for row in ProfileText.objects.all()] == [text_digest("one")]
    save_revision(profile, body=body("two"), base=1, note="", actor=actor, publish=False)
    assert ProfileText.objects.get().digest == text_digest("one")
    save_revision(profile, body=body("three"), base=2, note="", actor=actor, publish=True)
    row = ProfileText.objects.get()
    assert (row.kind, row.name, row.size_bytes) == ("skill", "pytest", 5)
    assert row.digest == text_digest("three")


def test_heads_from_before_the_table_are_read_once(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    ProfileFactory(slug="a", body=body("one", name="with\0nul"))
    ProfileFactory(slug="b", body={"name": "b"})
    assert read_missing_texts() == 2
    assert Profile.objects.get(slug="b").texts_number == 1
    assert ProfileText.objects.get().name == "with\ufffdnul"
    with django_assert_num_queries(3):  # one, between the two of its transaction
        assert read_missing_texts() == 0
