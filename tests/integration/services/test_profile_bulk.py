"""One change over many profiles: all or none, one revision each, and one undo."""

import json
from typing import Any

import pytest
from django.utils import timezone

from fleets.domain.errors import AlreadySo, Conflict, InvalidInput, NotAllowed
from fleets.domain.profile_change import ChangeKind, ProfileChange
from fleets.domain.status import Role
from fleets.models import AuditEvent, BulkOutcome, Profile, ProfileBulkChange, ProfileDraft
from fleets.services.actor import Actor
from fleets.services.profile_bulk import BulkOrder, change_profiles, undo_bulk_change
from fleets.services.profile_shelf import archive_profile, delete_profile
from fleets.services.profiles import publish_revision, save_revision
from tests.factories import (
    CatalogFactory,
    ProfileFactory,
    ProfileRevisionFactory,
    TeamFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db

RETIRED = ProfileChange(ChangeKind.MODEL, "old", "new")


@pytest.fixture
def actor() -> Actor:
    return Actor(UserFactory(username="ana"), door="browser")


def using(model: str, slug: str, **kwargs: Any) -> Profile:
    body = {"name": slug, "model": {"default": model}, "tags": ["x"]}
    profile: Profile = ProfileFactory(slug=slug, body=body, **kwargs)
    return profile


def order(*profiles: Profile, change: ProfileChange = RETIRED, **parts: Any) -> BulkOrder:
    """All of them taken, each as its head stands in the row given."""
    seen = {one.slug: one.head.number if one.head else 0 for one in profiles}
    given = {"public_id": "bulk-1", "taken": set(seen), "selection": "all", **parts}
    return BulkOrder(change=change, seen=seen, **given)


def models() -> dict[str, str]:
    return dict(Profile.objects.values_list("slug", "model"))


def test_each_taken_profile_gets_one_published_revision_and_the_rest_is_recorded(
    actor: Actor,
) -> None:
    first, second, left = (using("old", slug) for slug in ("a", "b", "c"))
    other = using("other", "d")
    bulk = change_profiles(
        order(first, second, left, other, taken={"a", "b", "d"} - {"d"}, note="retired"),
        actor=actor,
    )
    assert models() == {"a": "new", "b": "new", "c": "old", "d": "other"}
    first.refresh_from_db()
    assert first.head is not None
    assert (first.head.number, first.newest, first.head.note) == (2, 2, "retired")
    assert first.head.base is not None
    assert first.head.base.number == 1
    assert json.loads(first.head.body)["tags"] == ["x"]
    items = {item.slug: item for item in bulk.items.all()}
    assert [items[slug].outcome for slug in "abcd"] == [
        *(BulkOutcome.CHANGED, BulkOutcome.CHANGED, BulkOutcome.LEFT_OUT, BulkOutcome.UNCHANGED)
    ]
    assert (items["a"].from_number, items["a"].to_number, bulk.count) == (1, 2, 2)
    whole = AuditEvent.objects.get(act="profile.bulk_change")
    assert (whole.before, whole.after["profiles"]) == ({"a": 1, "b": 1}, {"a": 2, "b": 2})
    assert AuditEvent.objects.filter(act="profile.save").count() == 2


def test_a_head_that_moved_names_its_profile_and_nothing_at_all_is_written(actor: Actor) -> None:
    first, second = using("old", "a"), using("old", "b")
    asked = order(first, second)
    body = {"model": {"default": "old"}, "name": "b2"}
    save_revision(second, body=body, base=1, note="", actor=actor, publish=True)
    with pytest.raises(Conflict, match="b is at r2, not r1"):
        change_profiles(asked, actor=actor)
    assert models() == {"a": "old", "b": "old"}
    assert not ProfileBulkChange.objects.exists()
    change_profiles(order(first, second, taken={"a"}), actor=actor)
    assert models() == {"a": "new", "b": "old"}


def test_a_second_press_changes_nothing_and_leads_to_what_was_done(actor: Actor) -> None:
    profile = using("old", "a")
    asked = order(profile)
    change_profiles(asked, actor=actor)
    with pytest.raises(AlreadySo) as refused:
        change_profiles(asked, actor=actor)
    assert refused.value.state == "bulk-1"
    assert Profile.objects.get().newest == 2


def test_kept_as_drafts_the_heads_stay_and_lists_go_on_showing_them(actor: Actor) -> None:
    change_profiles(order(using("old", "a"), is_published=False), actor=actor)
    profile = Profile.objects.get()
    assert profile.head is not None
    assert (profile.head.number, profile.newest, profile.model) == (1, 2, "old")


def test_what_may_not_be_changed_is_refused_with_the_reason(actor: Actor) -> None:
    theirs = using("old", "theirs", catalog=CatalogFactory(team=TeamFactory(), name="Search"))
    away = using("old", "away", archived_at=timezone.now())
    typed = using("old", "typed")
    now = timezone.now()
    ProfileDraft.objects.create(
        profile=typed,
        user=UserFactory(username="raj"),
        text="{}",
        base=typed.head,
        began_at=now,
        updated_at=now,
    )
    text = using("old", "text")
    secret = "sk-" + "a1B2c3D4e5F6g7H8i9J0"
    long = ProfileChange(ChangeKind.FIELD, new=secret, path=("description",))
    asked = order(theirs, away, typed, text, taken={"text"})
    bulk = change_profiles(asked, actor=actor)
    reasons = {item.slug: item.reason for item in bulk.items.all()}
    assert "team that is not yours" in reasons["theirs"]
    assert "is archived" in reasons["away"]
    assert reasons["typed"] == "raj is editing it now"
    for slug in ("theirs", "away", "typed"):
        with pytest.raises(Conflict, match=slug):
            change_profiles(order(theirs, away, typed, taken={slug}, public_id="b-2"), actor=actor)
    text.refresh_from_db()
    with pytest.raises(Conflict, match="description") as refused:
        change_profiles(order(text, change=long, public_id="b-3"), actor=actor)
    assert secret not in str(refused.value)


def test_a_draft_above_the_head_stays_a_draft_and_is_not_published_with_it(actor: Actor) -> None:
    profile = using("old", "a")
    ProfileRevisionFactory(profile=profile, body={"model": {"default": "old"}, "name": "wild"})
    change_profiles(order(profile), actor=actor)
    profile.refresh_from_db()
    assert profile.head is not None
    assert (profile.head.number, profile.name, profile.model) == (3, "a", "new")
    assert profile.revisions.get(number=2).published_at is None


def test_viewers_change_nothing_and_nothing_chosen_is_said(actor: Actor) -> None:
    profile = using("old", "a")
    viewer = Actor(UserFactory(role=Role.VIEWER), door="browser")
    with pytest.raises(NotAllowed):
        change_profiles(order(profile), actor=viewer)
    with pytest.raises(InvalidInput, match="at least one"):
        change_profiles(order(profile, taken=set()), actor=actor)
    with pytest.raises(InvalidInput, match="note"):
        change_profiles(order(profile, note="x" * 301), actor=actor)


def test_one_undo_brings_back_what_each_said_where_nobody_changed_it_since(actor: Actor) -> None:
    rows = [using("old", slug) for slug in ("back", "moved", "gone", "away")]
    back, moved, gone, away = rows
    bulk = change_profiles(order(*rows, note="retired"), actor=actor)
    for row in rows:
        row.refresh_from_db()
    save_revision(moved, body={"name": "mine"}, base=2, note="", actor=actor, publish=True)
    admin = Actor(UserFactory(role=Role.ADMIN), door="browser")
    delete_profile(gone, actor=admin, reason="")
    archive_profile(away, actor=actor)
    undo_bulk_change(bulk, actor=actor)
    back.refresh_from_db()
    moved.refresh_from_db()
    assert back.head is not None
    assert back.head.restored_from is not None
    assert (back.head.number, back.head.restored_from.number, back.model) == (3, 1, "old")
    assert back.head.body == back.revisions.get(number=1).body
    assert back.head.note == "Undo: retired"
    assert moved.newest == 3
    items = {item.slug: item for item in bulk.items.all()}
    assert items["back"].undone_number == 3
    assert items["moved"].undo_reason == "changed since: r3, left alone"
    assert items["gone"].undo_reason == "is gone"
    assert items["away"].undo_reason == "archived since"
    whole = AuditEvent.objects.get(act="profile.bulk_undo")
    assert (whole.before, whole.after["profiles"]) == ({"back": 2}, {"back": 3})
    with pytest.raises(AlreadySo):
        undo_bulk_change(bulk, actor=actor)


def test_an_undo_of_drafts_publishes_nothing_unless_they_were(actor: Actor) -> None:
    kept, published = using("old", "kept"), using("old", "published")
    bulk = change_profiles(order(kept, published, is_published=False), actor=actor)
    publish_revision(published, number=2, actor=actor)
    undo_bulk_change(bulk, actor=actor)
    heads = dict(Profile.objects.values_list("slug", "head__number"))
    assert heads == {"kept": 1, "published": 3}
    assert dict(Profile.objects.values_list("slug", "newest")) == {"kept": 3, "published": 3}


def test_an_undo_with_nothing_left_says_so_and_stays_open(actor: Actor) -> None:
    profile = using("old", "a")
    bulk = change_profiles(order(profile), actor=actor)
    save_revision(profile, body={"name": "b"}, base=2, note="", actor=actor, publish=True)
    with pytest.raises(Conflict, match="Nothing is left"):
        undo_bulk_change(bulk, actor=actor)
    bulk.refresh_from_db()
    assert bulk.undone_at is None
