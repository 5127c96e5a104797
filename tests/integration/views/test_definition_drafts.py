"""What somebody types at a definition is kept as they type, and others are told of them."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from fleets.models import Definition, DefinitionDraft
from fleets.services.actor import Actor
from fleets.services.definitions import create_definition, save_definition
from tests.factories import ConnectionFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

BODY: dict[str, Any] = {"name": "Sweep", "agents": {"count": 3}, "message": "Do {index}"}
EDIT = "/definitions/sweep/edit"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


@pytest.fixture
def cast() -> Cast:
    ConnectionFactory()
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


@pytest.fixture
def definition(cast: Cast) -> Definition:
    return create_definition(body=BODY, actor=Actor(cast.operator, door="browser"))


def look(client: Client, *, slug: str = "sweep", **typed: str) -> str:
    """One look of the editor, as it comes half a second after each change."""
    fields = {"mode": "form", "document": json.dumps(BODY), "base": "1" if slug else ""}
    fields |= {"slug": slug, "kind": "count", "name": "Sweep", "count": "3"}
    answer = client.post(reverse("fleets:definition_preview"), fields | typed)
    return answer.content.decode()


def test_a_closed_tab_loses_nothing(client: Client, definition: Definition) -> None:
    assert "Kept as your draft" in look(client, message="Do it well, {index}")
    again = client.get(EDIT).content.decode()
    assert "These are your unsaved changes" in again
    assert "Do it well, {index}" in again
    look(client, message="Do {index}")
    assert not DefinitionDraft.objects.exists()


def test_a_source_that_cannot_be_read_yet_is_kept_too(
    client: Client, definition: Definition
) -> None:
    look(client, mode="source", source='{"name": "Sweep", "agents": ')
    again = client.get(EDIT).content.decode()
    assert "{&quot;name&quot;: &quot;Sweep&quot;, &quot;agents&quot;: </textarea>" in again


def test_a_new_one_waits_until_it_is_saved_or_discarded(client: Client) -> None:
    look(client, slug="", document="{}", message="Look at {index}")
    new = reverse("fleets:definition_new")
    assert "Look at {index}" in client.get(new).content.decode()
    assert client.post(reverse("fleets:definition_discard", args=["new"])).status_code == 303
    assert "These are your" not in client.get(new).content.decode()
    look(client, slug="", document="{}", message="Look at {index}")
    fields = {"mode": "form", "document": json.dumps(BODY), "kind": "count", "name": "Sweep"}
    assert client.post(new, fields).status_code == 303
    assert not DefinitionDraft.objects.exists()


def test_a_secret_is_not_kept(client: Client, definition: Definition) -> None:
    look(client, message=f"Use {SECRET}")
    look(client, mode="source", source=f'{{"message": "{SECRET}')
    look(client, message="Do it", note=SECRET)
    assert not DefinitionDraft.objects.exists()


def test_others_are_told_who_is_at_it(cast: Cast, client: Client, definition: Definition) -> None:
    look(client, message="Do it well, {index}")
    other = cast.client("admin")
    name = cast.operator.get_username()
    for page in (EDIT, "/definitions/sweep"):
        shown = other.get(page).content.decode()
        assert f"<b>{name}</b> is editing" in shown
    assert "is editing" not in client.get(EDIT).content.decode()


def test_a_late_save_keeps_what_was_typed(
    cast: Cast, client: Client, definition: Definition
) -> None:
    actor = Actor(cast.admin, door="browser")
    save_definition(definition, body={**BODY, "harness": "codex"}, base=1, note="", actor=actor)
    fields = {"mode": "form", "document": json.dumps(BODY), "base": "1", "kind": "count"}
    late = client.post(EDIT, {**fields, "name": "Sweep", "count": "9"})
    assert late.status_code == 409
    again = client.get(EDIT).content.decode()
    assert 'name="count" value="9"' in again
    assert "started from r1" in again


def test_who_reads_keeps_nothing(cast: Cast, definition: Definition) -> None:
    statuses = {"admin": 303, "operator": 303, "viewer": 403, "stranger": 404}
    url = reverse("fleets:definition_discard", args=["sweep"])
    cast.expect(url, "POST", statuses)
