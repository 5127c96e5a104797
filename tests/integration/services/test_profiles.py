"""Profiles are saved revision by revision; nothing is overwritten, nothing saved ever changes."""

import json

import pytest
from django.db import transaction
from django.db.utils import ProgrammingError
from django.utils import timezone

from fleets.domain.errors import AlreadySo, Conflict, InvalidInput, NotAllowed
from fleets.domain.profile_refs import ProfileRef, RefMode
from fleets.domain.status import Role
from fleets.models import AgentProfile, Profile, ProfileRevision
from fleets.selectors.profile_refs import resolve_profile
from fleets.services.actor import Actor
from fleets.services.profile_labels import set_label
from fleets.services.profile_shelf import archive_profile, delete_profile, hand_over_all
from fleets.services.profiles import (
    create_profile,
    organisation_catalog,
    publish_revision,
    restore_revision,
    save_revision,
)
from tests.factories import (
    CatalogFactory,
    FleetFactory,
    ProfileFactory,
    ProfileRevisionFactory,
    TeamFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def actor() -> Actor:
    return Actor(user=UserFactory(username="ana"), door="browser")


def made(actor: Actor, **body: object) -> Profile:
    return create_profile(
        catalog=organisation_catalog(), body={"name": "Code reviewer", **body}, actor=actor
    )


def test_a_new_profile_is_r1_and_head_and_lists_know_its_facts(actor: Actor) -> None:
    profile = made(
        actor,
        tags=["review"],
        mcp={"docs": {"url": "https://docs.example.org/mcp"}},
        resources={"skills": [{"kind": "inline", "name": "pytest", "content": "Use -k."}]},
    )
    assert (profile.slug, profile.newest, profile.tags) == ("code-reviewer", 1, ["review"])
    assert profile.head is not None
    assert profile.head.published_at is not None
    assert (profile.skills, profile.mcp_servers) == (1, 1)
    assert "docs.example.org" in profile.search_text
    assert made(actor).slug == "code-reviewer-2"


def test_the_body_keeps_the_order_of_its_fields_and_the_digest_does_not_depend_on_it(
    actor: Actor,
) -> None:
    profile = made(actor, harness="codex", tags=[])
    assert profile.head is not None
    assert list(json.loads(profile.head.body)) == ["name", "harness", "tags"]
    twin = create_profile(
        catalog=profile.catalog,
        body={"tags": [], "harness": "codex", "name": "Code reviewer"},
        actor=actor,
    )
    assert twin.head is not None
    assert twin.head.digest == profile.head.digest


def test_a_save_is_a_draft_until_it_is_published(actor: Actor) -> None:
    profile = made(actor)
    draft = save_revision(
        profile, body={"name": "Other"}, base=1, note="shorter", actor=actor, publish=False
    )
    profile.refresh_from_db()
    assert profile.head is not None
    assert (profile.head.number, profile.newest, profile.name) == (1, 2, "Code reviewer")
    publish_revision(profile, number=2, actor=actor)
    profile.refresh_from_db()
    assert (profile.head, profile.name) == (draft, "Other")
    with pytest.raises(Conflict, match="restore r1"):
        publish_revision(profile, number=1, actor=actor)


def test_a_late_save_is_refused_and_writes_nothing(actor: Actor) -> None:
    profile = made(actor)
    save_revision(profile, body={"name": "A"}, base=1, note="", actor=actor, publish=True)
    with pytest.raises(Conflict, match=r"r2 was saved by ana") as refused:
        save_revision(profile, body={"name": "B"}, base=1, note="", actor=actor, publish=True)
    assert refused.value.state == "2"
    assert profile.revisions.count() == 2
    with pytest.raises(AlreadySo):
        save_revision(profile, body={"name": "A"}, base=2, note="", actor=actor, publish=False)


def test_what_the_schema_refuses_is_refused_with_the_name_that_was_meant(actor: Actor) -> None:
    with pytest.raises(InvalidInput) as refused:
        made(actor, harness="open-code", modell={}, mcp={"x": {"command": "bash"}})
    words = str(refused.value)
    assert "Did you mean opencode?" in words
    assert "Did you mean model?" in words
    assert "mcp.x" in words
    assert not Profile.objects.exists()


def test_an_old_revision_comes_back_as_a_new_one(actor: Actor) -> None:
    profile = made(actor)
    save_revision(profile, body={"name": "A"}, base=1, note="", actor=actor, publish=True)
    again = restore_revision(profile, number=1, actor=actor, publish=True)
    first = profile.revisions.get(number=1)
    assert (again.number, again.body, again.restored_from) == (3, first.body, first)
    assert again.note == "r1 restored"


@pytest.mark.parametrize(
    "change", [{"body": "{}"}, {"note": "x"}, {"published_at": None}, {"number": 9}]
)
def test_the_database_lets_no_revision_change(change: dict[str, object]) -> None:
    ProfileFactory()
    with pytest.raises(ProgrammingError), transaction.atomic():
        ProfileRevision.objects.update(**change)


def test_the_database_lets_no_revision_go_but_with_its_profile(actor: Actor) -> None:
    profile = made(actor)
    with pytest.raises(ProgrammingError), transaction.atomic():
        ProfileRevisionFactory(profile=profile).delete()
    fleet = FleetFactory(work_ended_at=timezone.now())
    copy = AgentProfile.objects.create(
        fleet=fleet, digest="0" * 16, body="{}", revision=profile.head
    )
    delete_profile(profile, actor=actor, reason="tried out")
    assert not Profile.objects.exists()
    copy.refresh_from_db()
    assert (copy.revision, copy.body) == (None, "{}")


def test_a_profile_at_work_is_not_deleted_and_the_refusal_names_the_fleet(actor: Actor) -> None:
    profile = made(actor)
    fleet = FleetFactory(name="nightly")
    AgentProfile.objects.create(fleet=fleet, digest="0" * 16, body="{}", revision=profile.head)
    with pytest.raises(Conflict, match="fleet nightly"):
        delete_profile(profile, actor=actor, reason="tried out")
    with pytest.raises(NotAllowed, match="owner"):
        delete_profile(profile, actor=Actor(UserFactory(), door="browser"), reason="tried out")


def test_a_team_s_catalog_is_written_by_that_team_and_by_admins(actor: Actor) -> None:
    shelf = CatalogFactory(team=TeamFactory())
    with pytest.raises(NotAllowed, match="team"):
        create_profile(catalog=shelf, body={"name": "x"}, actor=actor)
    member = UserFactory(teams=[shelf.team])
    for user in (member, UserFactory(role=Role.ADMIN)):
        create_profile(catalog=shelf, body={"name": "x"}, actor=Actor(user, door="browser"))


def test_everything_of_somebody_who_leaves_goes_over_in_one_act(actor: Actor) -> None:
    profile, heir = made(actor), UserFactory()
    assert actor.user is not None
    assert hand_over_all(actor.user, to=heir, actor=actor) == 1
    profile.refresh_from_db()
    assert profile.owner == heir


def test_references_resolve_to_what_they_say(actor: Actor) -> None:
    profile = made(actor)
    save_revision(profile, body={"name": "A"}, base=1, note="", actor=actor, publish=True)
    set_label(profile, name="stable", number=1, actor=actor)
    numbers = {
        ProfileRef("code-reviewer"): 2,
        ProfileRef("code-reviewer", RefMode.EXPECT, 2): 2,
        ProfileRef("code-reviewer", RefMode.FIXED, 1): 1,
        ProfileRef("code-reviewer", RefMode.LABEL, label="stable"): 1,
    }
    for ref, number in numbers.items():
        assert resolve_profile(actor.user, ref).number == number


@pytest.mark.parametrize(
    ("ref", "words"),
    [
        (ProfileRef("code-reviwer"), "Did you mean code-reviewer?"),
        (ProfileRef("code-reviewer", RefMode.EXPECT, 4), "expected at r4, and its head is r1:"),
        (ProfileRef("code-reviewer", RefMode.FIXED, 4), "has no r4: its newest is r1"),
        (ProfileRef("code-reviewer", RefMode.LABEL, label="stabel"), "Did you mean stable?"),
    ],
)
def test_a_reference_that_means_nothing_says_what_was_near(
    ref: ProfileRef, words: str, actor: Actor
) -> None:
    profile = made(actor)
    set_label(profile, name="stable", number=1, actor=actor)
    with pytest.raises(InvalidInput) as refused:
        resolve_profile(actor.user, ref)
    assert words in str(refused.value)


def test_an_archived_profile_is_chosen_no_more_unless_a_revision_is_fixed(actor: Actor) -> None:
    profile = archive_profile(made(actor), actor=actor)
    assert resolve_profile(actor.user, ProfileRef(profile.slug, RefMode.FIXED, 1)).number == 1
    with pytest.raises(InvalidInput, match="archived"):
        resolve_profile(actor.user, ProfileRef(profile.slug))
