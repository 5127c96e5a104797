"""Imports: compared with the catalog, written in one transaction, and never a secret kept."""

import logging
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from fleets.domain.errors import AlreadySo, Conflict, InvalidInput, NotAllowed, NotFoundHere
from fleets.domain.profile_body import body_text
from fleets.domain.profile_export import Form, export_profiles
from fleets.domain.profile_import.reading import read_pasted, read_uploads
from fleets.domain.profile_import.upload import Upload
from fleets.domain.status import Role
from fleets.models import AuditEvent, Profile, ProfileImport
from fleets.selectors.profile_export import entries_of
from fleets.selectors.profile_import import Verdict, import_preview
from fleets.services.actor import Actor
from fleets.services.profile_import import Choice, confirm_import, discard_import, keep_import
from fleets.services.profile_shelf import archive_profile
from fleets.services.profiles import create_profile, organisation_catalog, save_revision
from tests.factories import CatalogFactory, TeamFactory, UserFactory

pytestmark = pytest.mark.django_db

KEY = "sk-" + "live-8f3a9c1d2e4b"
JUDGE = "---\nname: judge\npermissionMode: plan\n---\nJudge."


@pytest.fixture
def actor() -> Actor:
    return Actor(user=UserFactory(username="ana"), door="browser")


def made(actor: Actor, slug: str, **body: Any) -> Profile:
    return create_profile(catalog=organisation_catalog(), slug=slug, body=body, actor=actor)


def kept(actor: Actor, *texts: tuple[str, str]) -> ProfileImport:
    found = read_uploads(Upload(path, text.encode()) for path, text in texts)
    return keep_import(found, catalog=organisation_catalog(), actor=actor)


def verdicts(one: ProfileImport, actor: Actor) -> dict[str, Verdict]:
    assert actor.user is not None
    return {row.candidate.slug: row.verdict for row in import_preview(one, actor.user).rows}


def confirmed(one: ProfileImport, actor: Actor, *taken: int, **more: Any) -> ProfileImport:
    choice = Choice(frozenset(taken), frozenset(more.pop("accepted", ())), more.pop("seen", None))
    return confirm_import(one, choice, note="", publish=True, actor=actor)


def test_each_profile_is_compared_with_the_catalog(
    actor: Actor, django_assert_num_queries: Any
) -> None:
    made(actor, "same", name="x")
    made(actor, "other", name="x")
    archive_profile(made(actor, "away", name="x"), actor=actor)
    team = CatalogFactory(team=TeamFactory())
    admin = Actor(user=UserFactory(role=Role.ADMIN), door="browser")
    create_profile(catalog=team, slug="theirs", body={}, actor=admin)
    texts = [(f"{slug}.json", '{"name": "y"}') for slug in ("other", "away", "theirs", "new-one")]
    one = kept(actor, ("same.json", '{"name": "x"}'), *texts, ("import.json", '{"name": "z"}'))
    assert actor.user is not None
    with django_assert_num_queries(2):
        rows = import_preview(one, actor.user).rows
    assert {row.candidate.slug: row.verdict for row in rows} == {
        "same": Verdict.UNCHANGED,
        "other": Verdict.REVISION,
        "away": Verdict.REFUSED,
        "theirs": Verdict.REFUSED,
        "new-one": Verdict.NEW,
        "import": Verdict.REFUSED,
    }
    assert verdicts(one, admin)["theirs"] == Verdict.REVISION


def test_nothing_is_written_before_and_all_at_once_after_confirming(actor: Actor) -> None:
    made(actor, "b", name="old")
    one = kept(actor, ("a.json", '{"name": "A"}'), ("b.json", '{"name": "B"}'))
    assert Profile.objects.count() == 1
    one = confirmed(one, actor, 0, 1, seen={1: 1})
    assert [(row["slug"], row["number"]) for row in one.outcome] == [("a", 1), ("b", 2)]
    assert Profile.objects.get(slug="b").name == "B"
    assert AuditEvent.objects.get(act="profile.import").after["profiles"] == ["a r1", "b r2"]
    with pytest.raises(AlreadySo):
        confirmed(one, actor, 0, 1)
    assert Profile.objects.get(slug="b").newest == 2


def test_only_the_chosen_ones_are_written(actor: Actor) -> None:
    confirmed(kept(actor, ("a.json", "{}"), ("b.json", "{}")), actor, 1)
    assert list(Profile.objects.values_list("slug", flat=True)) == ["b"]


def test_a_catalog_that_moved_since_the_preview_refuses_all(actor: Actor) -> None:
    profile = made(actor, "b", name="old")
    one = kept(actor, ("a.json", "{}"), ("b.json", '{"name": "B"}'))
    save_revision(profile, body={"name": "C"}, base=1, note="", actor=actor, publish=True)
    with pytest.raises(Conflict, match="b"):
        confirmed(one, actor, 0, 1, seen={1: 1})
    assert not Profile.objects.filter(slug="a").exists()


def test_what_would_be_lost_must_be_accepted(actor: Actor) -> None:
    one = kept(actor, ("a.json", "{}"), ("judge.md", JUDGE))
    with pytest.raises(InvalidInput, match="judge: accept what would be lost"):
        confirmed(one, actor, 0, 1)
    assert not Profile.objects.exists()
    confirmed(one, actor, 0, 1, accepted={1})
    lost = AuditEvent.objects.get(act="profile.import").after["accepted_losses"]
    assert lost == {"judge": ["permissionMode"]}


def test_what_is_refused_cannot_be_chosen(actor: Actor) -> None:
    one = kept(actor, ("a.json", '{"nope": 1}'))
    with pytest.raises(Conflict):
        confirmed(one, actor, 0)
    with pytest.raises(InvalidInput, match="at least one"):
        confirmed(one, actor)


def test_it_is_the_persons_own_expires_and_can_be_forgotten(actor: Actor) -> None:
    one = kept(actor, ("a.json", "{}"))
    other = Actor(user=UserFactory(), door="browser")
    with pytest.raises(NotFoundHere):
        confirmed(one, other, 0)
    ProfileImport.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(NotFoundHere):
        confirmed(one, actor, 0)
    newer = [kept(actor, ("a.json", "{}")) for _ in range(4)]
    assert ProfileImport.objects.count() == 3
    discard_import(newer[-1], actor=actor)
    assert ProfileImport.objects.count() == 2


def test_a_viewer_cannot_import() -> None:
    viewer = Actor(user=UserFactory(role=Role.VIEWER), door="browser")
    with pytest.raises(NotAllowed):
        kept(viewer, ("a.json", "{}"))


def test_a_secret_is_in_no_row_and_no_log(actor: Actor, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    found = read_pasted(f'{{"name": "a", "prompt": {{"systemPrompt": "use {KEY}"}}, "x": "{KEY}"}}')
    one = keep_import(found, catalog=organisation_catalog(), actor=actor)
    with connection.cursor() as cursor:
        cursor.execute("SELECT t::text FROM fleets_profileimport t")
        rows = str(cursor.fetchall())
    assert one.public_id in rows
    assert "refused" in one.found
    assert KEY not in rows + caplog.text + str(found)
    with pytest.raises(InvalidInput) as caught:
        made(actor, "a", metadata={"note": KEY})
    assert KEY not in f"{caught.value}{caplog.text}"
    assert not Profile.objects.exists()


@pytest.mark.parametrize("form", Form)
def test_what_is_exported_comes_back_as_unchanged(actor: Actor, form: Form) -> None:
    bodies: dict[str, dict[str, Any]] = {
        "a": {"name": "no", "description": "a: b\n\n# c\n"},
        "opencode": {"tags": ["1e3"]},
    }
    for slug, body in bodies.items():
        made(actor, slug, **body)
    draft = create_profile(
        catalog=organisation_catalog(), slug="new-draft", body={}, actor=actor, publish=False
    )
    save_revision(draft, body={"name": "d"}, base=1, note="", actor=actor, publish=False)
    entries = entries_of(["a", "new-draft", "opencode"])
    assert [entry.text for entry in entries] == [
        body_text(bodies["a"]),
        body_text({"name": "d"}),
        body_text(bodies["opencode"]),
    ]
    file = export_profiles(entries, form=form)
    found = read_uploads([Upload(file.name, file.content)])
    one = keep_import(found, catalog=organisation_catalog(), actor=actor)
    assert set(verdicts(one, actor).values()) == {Verdict.UNCHANGED}
