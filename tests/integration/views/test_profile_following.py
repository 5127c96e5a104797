"""Following: who published what since one looked, and what it means for one's definitions."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from fleets.models import Profile, ProfileFollow
from fleets.selectors.profile_following import following_page, unseen_count
from fleets.services.actor import Actor
from fleets.services.definitions import create_definition
from fleets.services.profiles import publish_revision, save_revision
from tests.factories import ProfileFactory, UserFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

PAGE = reverse("fleets:profile_following")


@pytest.fixture
def cast() -> Cast:
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


@pytest.fixture
def profile() -> Profile:
    hour = timezone.now() - timedelta(hours=1)
    made: Profile = ProfileFactory(slug="reviewer", body={"name": "Reviewer"}, created_at=hour)
    return made


def publish(profile: Profile, actor: Actor, *, note: str, base: int = 1) -> None:
    body = {"name": "Reviewer", "description": note}
    save_revision(profile, body=body, base=base, note=note, actor=actor, publish=True)


def follow(client: Client, profile: Profile, **data: str) -> None:
    assert client.post(reverse("fleets:profile_follow", args=[profile.slug]), data).status_code


def test_a_publication_is_news_until_it_was_looked_at_and_one_since_stays_news(
    cast: Cast, client: Client, profile: Profile
) -> None:
    raj = Actor(UserFactory(username="raj"), door="browser")
    assert "You follow nothing yet" in client.get(PAGE).content.decode()
    follow(client, profile)
    assert unseen_count(cast.operator) == 0
    publish(profile, raj, note="on codex")
    text = client.get(PAGE).content.decode()
    assert "r1 → r2" in text
    assert f"{reverse('fleets:profile_diff', args=['reviewer'])}?a=1&amp;b=2" in text
    assert "raj" in text
    assert "1 new" in client.get(reverse("fleets:profile_list")).content.decode()
    until = following_page(cast.operator).until
    assert until is not None
    publish(profile, raj, note="later", base=2)
    seen = reverse("fleets:profile_following_seen")
    client.post(seen, {"until": until.isoformat()})
    assert [row.is_new for row in following_page(cast.operator).rows] == [True, False, False]
    for nonsense in ("", "x", "2026-13-01", "9999-12-31T00:00:00+00:00", "2026-01-01T00:00:00"):
        assert client.post(seen, {"until": nonsense}).status_code == 303
    assert unseen_count(cast.operator) == 0


def test_a_catalog_is_followed_as_a_whole_and_what_one_did_oneself_is_no_news(
    cast: Cast, client: Client, profile: Profile
) -> None:
    act = reverse("fleets:profile_follow_catalog")
    catalog = {"catalog": profile.catalog.slug}
    listed = f"{reverse('fleets:profile_list')}?catalog={profile.catalog.slug}"
    assert "You do not follow the catalog" in client.get(listed).content.decode()
    assert client.post(act, catalog).headers["Location"] == listed
    assert "You follow the catalog" in client.get(listed).content.decode()
    page = client.get(reverse("fleets:profile_detail", args=["reviewer"])).content.decode()
    assert "its catalog" in page
    publish(profile, Actor(cast.operator, door="browser"), note="mine")
    assert unseen_count(cast.operator) == 0
    publish(profile, Actor(cast.admin, door="browser"), note="theirs", base=2)
    assert unseen_count(cast.operator) == 1
    client.post(act, {**catalog, "stop": "1"})
    assert unseen_count(cast.operator) == 0
    assert client.post(act, {"catalog": "none"}).status_code == 404


def test_definitions_of_mine_and_of_my_team_say_what_their_next_launch_gets(
    cast: Cast, client: Client, profile: Profile
) -> None:
    stranger = UserFactory(username="elsewhere")
    refs: dict[str, tuple[object, dict[str, int]]] = {
        "takes": (cast.operator, {}),
        "expects": (cast.admin, {"revision": 1}),
        "fixed": (cast.operator, {"fixed": 1}),
        "unseen": (stranger, {}),
    }
    for name, (owner, ref) in refs.items():
        agents = {"count": 1, "profile": {"profileId": "reviewer", **ref}}
        body = {"name": name, "agents": agents, "message": "Go."}
        create_definition(body=body, actor=Actor(owner, door="browser"))  # type: ignore[arg-type]
    follow(client, profile)
    publish(profile, Actor(stranger, door="browser"), note="new")
    newest, first = following_page(cast.operator).rows
    said = {use.name: use.effects[0].words for use in newest.uses}
    assert said == {
        "expects": "expects r1: its next launch is refused",
        "fixed": "is fixed at r1: nothing changes for it",
        "takes": "takes r2 at its next launch",
    }
    assert first.uses == ()
    assert "its next launch is refused" in client.get(PAGE).content.decode()


def test_who_published_the_draft_of_another_is_named(
    cast: Cast, client: Client, profile: Profile
) -> None:
    follow(client, profile)
    raj = Actor(UserFactory(username="raj"), door="browser")
    save_revision(profile, body={"name": "x"}, base=1, note="", actor=raj, publish=False)
    publish_revision(profile, number=2, actor=Actor(cast.admin, door="browser"))
    assert following_page(cast.operator).rows[0].who == "admin-1"


def test_the_page_asks_the_database_as_often_for_many_as_for_one(
    cast: Cast, client: Client, profile: Profile, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    follow(client, profile)
    with django_assert_num_queries(10):
        following_page(cast.operator)
    for at in range(5):
        other = ProfileFactory(slug=f"p-{at}")
        ProfileFollow.objects.create(
            user=cast.operator, profile=other, created_at=timezone.now(), seen_at=timezone.now()
        )
    with django_assert_num_queries(10):
        following_page(cast.operator)
    with django_assert_num_queries(2):
        unseen_count(cast.operator)
    with django_assert_num_queries(1):
        unseen_count(cast.viewer)


def test_viewers_follow_and_strangers_find_nothing(cast: Cast, profile: Profile) -> None:
    address = reverse("fleets:profile_follow", args=[profile.slug])
    everybody = {"admin": 303, "operator": 303, "viewer": 303, "stranger": 404}
    cast.expect(address, "POST", everybody)
    cast.expect(address, "POST", everybody, data={"stop": "1"})
    assert not ProfileFollow.objects.exists()
