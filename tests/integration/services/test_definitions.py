"""Definitions are saved revision by revision, with the rows and profiles that they name."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.db.utils import ProgrammingError
from django.utils import timezone

from fleets.domain.definition import read_definition
from fleets.domain.errors import AlreadySo, Conflict, InvalidInput, NotAllowed
from fleets.domain.status import Role
from fleets.models import AuditEvent, Definition, DefinitionRevision, Fleet, StoredRows
from fleets.selectors.definition_check import launch_of, rows_of
from fleets.services.actor import Actor
from fleets.services.definition_drafts import Typed, keep_draft
from fleets.services.definition_rows import KEPT_UNUSED, forget_unused_rows, store_rows
from fleets.services.definitions import (
    archive_definition,
    create_definition,
    delete_definition,
    restore_definition,
    save_definition,
)
from fleets.services.launch import launch_fleet
from fleets.services.profile_shelf import delete_profile, hand_over_all
from tests.factories import ConnectionFactory, ProfileFactory, TeamFactory, UserFactory

pytestmark = pytest.mark.django_db

CSV = "Datei;Frage\nä.py;Prüfe\nb.py;Teste\n".encode("cp1252")


@pytest.fixture
def actor() -> Actor:
    return Actor(user=UserFactory(username="ana"), door="browser")


def body(**more: Any) -> dict[str, Any]:
    return {"name": "Nightly review", "agents": {"count": 3}, "message": "Do {index}", **more}


def matrix(rows: str = "ask", **more: Any) -> dict[str, Any]:
    return body(agents={"matrix": {"rows": rows, **more}}, message="{frage} {datei}")


def made(actor: Actor, **more: Any) -> Definition:
    return create_definition(body=body(**more), actor=actor)


def test_a_new_definition_is_r1_and_lists_know_its_facts(actor: Actor) -> None:
    definition = made(actor, budgetUsd="3.00", tags=["nightly"], description="Reviews all.")
    assert (definition.slug, definition.name) == ("nightly-review", "Nightly review")
    assert (definition.shape, definition.agents_count) == ("3 agents", 3)
    assert (definition.budget_nusd, definition.tags) == (3_000_000_000, ["nightly"])
    assert made(actor).slug == "nightly-review-2"
    event = AuditEvent.objects.get(object_id="nightly-review")
    assert (event.act, event.after["shape"]) == ("definition.create", "3 agents")


def test_a_late_save_is_refused_and_nothing_is_written(actor: Actor) -> None:
    definition = made(actor)
    save_definition(definition, body=body(message="Do more"), base=1, actor=actor)
    with pytest.raises(Conflict) as caught:
        save_definition(definition, body=body(message="Do less"), base=1, actor=actor)
    assert caught.value.state == "2"
    assert definition.revisions.count() == 2
    with pytest.raises(AlreadySo):
        save_definition(definition, body=body(message="Do more"), base=2, actor=actor)


def test_a_revision_never_changes_and_an_old_one_comes_back_as_a_new_one(actor: Actor) -> None:
    definition = made(actor)
    save_definition(definition, body=body(message="Do more"), base=1, note="more", actor=actor)
    third = restore_definition(definition, number=1, actor=actor)
    assert (third.number, third.note) == (3, "r1 restored")
    assert third.restored_from is not None
    assert third.body == third.restored_from.body
    with pytest.raises(ProgrammingError), transaction.atomic():
        DefinitionRevision.objects.filter(number=1).update(note="other")


def test_rows_are_stored_as_they_are_read_and_once(actor: Actor) -> None:
    rows, table = store_rows(CSV, file_name="dateien.csv", actor=actor)
    again, _ = store_rows(CSV, file_name="other.csv", actor=actor)
    assert (rows.pk, rows.encoding, rows.delimiter, rows.count) == (again.pk, "cp1252", ";", 2)
    other, _ = store_rows(CSV, file_name="dateien.csv", delimiter=",", actor=actor)
    assert (other.digest != rows.digest, other.columns) == (True, ["Datei;Frage"])
    definition = create_definition(body=matrix(rows.digest), actor=actor)
    assert (definition.shape, definition.agents_count) == ("2 rows", 2)
    assert definition.head is not None
    assert definition.head.rows == rows
    assert table.rows[0] == ("ä.py", "Prüfe")


def test_rows_with_a_credential_are_not_stored(actor: Actor) -> None:
    with pytest.raises(InvalidInput):
        store_rows(b"a\nghp_" + b"x1" * 12, file_name="a.csv", actor=actor)
    assert StoredRows.objects.count() == 0


@pytest.mark.parametrize(
    ("document", "place"),
    [
        (matrix("0" * 32), "agents.matrix.rows"),
        (matrix(profiles=[{"profile": {"profileId": "nobody"}}]), "profile"),
        (body(messge="x"), "messge"),
    ],
)
def test_what_is_not_there_is_refused_at_its_path(
    actor: Actor, document: dict[str, Any], place: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        create_definition(body=document, actor=actor)
    assert caught.value.problems[0].place == place


def test_a_field_that_is_no_column_is_refused_once_the_rows_are_known(actor: Actor) -> None:
    rows, _ = store_rows(CSV, file_name="a.csv", actor=actor)
    with pytest.raises(InvalidInput) as caught:
        create_definition(body={**matrix(rows.digest), "message": "{fragee}"}, actor=actor)
    assert "Did you mean {frage}?" in caught.value.problems[0].message


def test_a_launch_remembers_its_definition_and_what_its_profiles_were(actor: Actor) -> None:
    assert actor.user is not None
    team = TeamFactory()
    actor.user.teams.set([team])
    ConnectionFactory()
    profile = ProfileFactory(slug="fast", body={"name": "Fast", "harness": "opencode"})
    rows, _ = store_rows(CSV, file_name="a.csv", actor=actor)
    document = matrix(rows.digest, profiles=[{"profile": {"profileId": "fast"}}])
    document |= {"budgetUsd": "2", "machine": {"image": "node:22", "secrets": ["TOKEN"]}}
    definition = create_definition(body=document, actor=actor)
    recipe = read_definition(document)
    spec = launch_of(recipe, table=rows_of(recipe)[1], user=actor.user).spec
    fleet = launch_fleet(
        replace(spec, team_slug=team.slug),
        actor=actor,
        idempotency_key="k" * 12,
        revision=definition.head,
    )
    assert fleet.definition_revision == definition.head
    assert fleet.machine_needs == {"image": "node:22", "secrets": ["TOKEN"]}
    prompts = [task.prompt for task in fleet.runs.get().tasks.order_by("position")]
    assert prompts == ["Prüfe ä.py", "Teste b.py"]
    assert fleet.profiles.get().revision == profile.head
    assert definition.profile_slugs == ["fast"]
    with pytest.raises(Conflict, match="definition Nightly review"):
        delete_profile(profile, actor=Actor(profile.owner, "browser"), reason="old")
    delete_definition(definition, actor=actor, reason="old")
    assert Fleet.objects.get(pk=fleet.pk).definition_revision is None


def test_only_owners_and_admins_delete_and_viewers_do_nothing(actor: Actor) -> None:
    definition = made(actor)
    other = Actor(user=UserFactory(), door="browser")
    with pytest.raises(NotAllowed):
        delete_definition(definition, actor=other, reason="mine")
    archive_definition(definition, actor=other, reason="unused")
    with pytest.raises(AlreadySo):
        archive_definition(definition, actor=other)
    with pytest.raises(NotAllowed):
        made(Actor(user=UserFactory(role=Role.VIEWER), door="browser"))


def test_everything_of_somebody_who_leaves_is_handed_over_in_one_act(actor: Actor) -> None:
    definition = made(actor)
    profile = ProfileFactory(owner=actor.user)
    to = UserFactory(username="raj", role=Role.OPERATOR)
    assert actor.user is not None
    admin = Actor(user=UserFactory(role=Role.ADMIN), door="browser")
    with pytest.raises(InvalidInput, match="may not edit"):
        hand_over_all(actor.user, to=UserFactory(role=Role.VIEWER), actor=admin)
    assert hand_over_all(actor.user, to=to, actor=admin, reason="leaves") == 2
    definition.refresh_from_db()
    profile.refresh_from_db()
    assert (definition.owner, profile.owner) == (to, to)
    event = AuditEvent.objects.get(act="definition.hand_over")
    assert (event.before, event.after) == ({"owner": "ana"}, {"owner": "raj"})


def test_files_of_rows_that_nobody_uses_go_after_a_day(actor: Actor) -> None:
    kept, _ = store_rows(CSV, file_name="kept.csv", actor=actor)
    made(actor, **matrix(kept.digest))
    typed, _ = store_rows(b"a,b\n1,2\n", file_name="typed.csv", actor=actor)
    draft = Typed(f'{{"rows": "{typed.digest}"}}', "json", 0, is_form=False)
    assert actor.user is not None
    keep_draft(None, user=actor.user, typed=draft)
    store_rows(b"a,b\n3,4\n", file_name="left.csv", actor=actor)
    now = timezone.now()
    assert forget_unused_rows(now=now) == 0
    assert forget_unused_rows(now=now + KEPT_UNUSED + timedelta(seconds=1)) == 1
    names = set(StoredRows.objects.values_list("file_name", flat=True))
    assert names == {"kept.csv", "typed.csv"}


def test_no_definition_takes_the_address_of_a_page(actor: Actor) -> None:
    assert made(actor, name="New").slug == "new-2"
    with pytest.raises(InvalidInput, match="already"):
        create_definition(body=body(), slug="import", actor=actor)
