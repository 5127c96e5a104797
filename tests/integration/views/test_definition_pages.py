"""The pages of definitions: written as form or source, shown, launched."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from fleets.models import Definition, Fleet, StoredRows, Team, User
from fleets.selectors.definition_filter import DefinitionFilter
from fleets.selectors.definition_list import definition_page
from fleets.services.actor import Actor
from fleets.services.definitions import create_definition, save_definition
from tests.factories import (
    ConnectionFactory,
    FleetFactory,
    ProfileFactory,
    ProfileRevisionFactory,
    TeamFactory,
    UserFactory,
)
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

CSV = "Path;Ask\na.py;Review\nb.py;Test\n".encode("cp1252")
BODY = {"name": "Nightly", "agents": {"count": 3}, "message": "Do {index}", "budgetUsd": "2.00"}
MATRIX = {
    "name": "Rows",
    "agents": {"matrix": {"profiles": [{"name": "a"}, {"name": "b"}]}},
    "message": "{ask} {path}",
    "budgetUsd": "5.00",
}


@pytest.fixture
def team() -> Team:
    ConnectionFactory()
    made: Team = TeamFactory()
    return made


@pytest.fixture
def user(team: Team) -> User:
    made: User = UserFactory(username="ana", teams=[team])
    return made


@pytest.fixture
def client(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def made(user: User, body: dict[str, Any] = BODY) -> Definition:
    return create_definition(body=body, actor=Actor(user, "browser"))


def at(name: str, *args: str) -> str:
    return reverse(f"fleets:{name}", args=args)


def rows_file(data: bytes = CSV) -> SimpleUploadedFile:
    return SimpleUploadedFile("shards.csv", data)


def test_a_definition_is_written_in_the_form(client: Client) -> None:
    typed = {"mode": "form", "document": "{}", "name": "Nightly", "kind": "count", "count": "3"}
    typed |= {"message": "Do {index}", "budget": "2.00", "image": "node:22", "note": "first"}
    answer = client.post(at("definition_new"), typed)
    assert answer.status_code == 303
    definition = Definition.objects.get()
    assert definition.head is not None
    assert json.loads(definition.head.body) == {
        "name": "Nightly",
        "agents": {"count": 3},
        "message": "Do {index}",
        "budgetUsd": "2.00",
        "machine": {"image": "node:22"},
    }
    assert definition.head.note == "first"


def test_source_and_form_are_two_views_of_one_document(client: Client) -> None:
    document = {**BODY, "placement": {"agentsPerSandbox": 2}, "agents": {"count": 4}}
    typed = {"mode": "form", "document": json.dumps(document), "count": "5", "to": "yaml"}
    page = client.post(at("definition_preview"), typed).content.decode()
    assert "agentsPerSandbox: 2" in page
    source = "name: Nightly\nagents:\n  count: 6\nmessage: Do it\n"
    back = client.post(at("definition_preview"), {"mode": "source", "source": source, "to": "form"})
    assert 'id="id_count" name="count" value="6"' in back.content.decode()


def test_a_refused_save_names_lines_and_keeps_what_was_typed(client: Client) -> None:
    source = "name: Nightly\nagents:\n  count: 6\nmesage: Do it\n"
    answer = client.post(at("definition_new"), {"mode": "source", "source": source})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "line 4, mesage" in page
    assert "did you mean message?" in page
    assert "mesage: Do it" in page
    broken = client.post(at("definition_new"), {"mode": "source", "source": "{"})
    assert "this is no JSON" in broken.content.decode()


def test_a_file_of_rows_is_read_shown_and_can_be_read_otherwise(client: Client) -> None:
    typed = {"mode": "form", "document": json.dumps(MATRIX)}
    answer = client.post(at("definition_preview"), {**typed, "rows_file": rows_file()})
    page = answer.content.decode()
    rows = StoredRows.objects.get()
    assert 'value=";" selected' in page
    assert "shards.csv" in page
    assert "Review a.py" in page
    document = json.loads(json.dumps(MATRIX))
    document["agents"]["matrix"]["rows"] = rows.digest
    typed = {"mode": "form", "document": json.dumps(document), "rows": rows.digest}
    other = client.post(at("definition_preview"), {**typed, "delimiter": ",", "encoding": "cp1252"})
    assert "Path;Ask" in other.content.decode()
    assert StoredRows.objects.count() == 2


def test_a_late_save_is_refused_and_can_be_brought_together(client: Client, user: User) -> None:
    definition = made(user)
    other = Actor(UserFactory(username="raj"), "browser")
    save_definition(definition, body={**BODY, "budgetUsd": "3.00"}, base=1, actor=other)
    mine = {**BODY, "message": "Do more"}
    typed = {"mode": "form", "document": json.dumps(mine), "base": "1", "slug": "nightly"}
    answer = client.post(at("definition_edit", "nightly"), typed)
    assert answer.status_code == 409
    assert "r2 was saved by raj" in answer.content.decode()
    merged = client.post(at("definition_preview"), {**typed, "rebase": "1"}).content.decode()
    assert "Brought together with r2" in merged
    assert 'value="3.00"' in merged
    assert "Do more" in merged
    assert 'name="base" value="2"' in merged


def test_what_began_from_no_revision_is_not_brought_together(client: Client, user: User) -> None:
    definition = made(user)
    source = json.dumps({**BODY, "message": "Mine."})
    typed = {"mode": "source", "source": source, "slug": definition.slug, "base": "77"}
    answer = client.post(at("definition_preview"), {**typed, "rebase": "1"})
    assert answer.status_code == 200
    page = answer.content.decode()
    assert "There is no r77" in page
    assert "Mine." in page


def test_what_a_launch_changes_counts_for_it_alone(client: Client, user: User) -> None:
    definition = made(user)
    page = client.get(at("definition_launch", definition.slug)).content.decode()
    assert "Launch 3 agents, ≤ $2.00" in page
    team = user.teams.get()
    typed = {"name": "tonight", "team": team.slug, "budget": "3.00", "at_once": "auto"}
    typed |= {"lifetime": "60 min", "task_timeout": "10 min", "idempotency_key": "k" * 32}
    now = at("definition_launch_now", definition.slug)
    first, second = client.post(now, typed), client.post(now, typed)
    fleet = Fleet.objects.get()
    assert first["Location"] == second["Location"] == f"/fleets/{fleet.public_id}"
    assert (fleet.name, fleet.budget_nusd) == ("tonight", 3_000_000_000)
    assert fleet.definition_revision == definition.head
    listed = client.get(at("definition_detail", definition.slug) + "?tab=launches")
    assert "tonight" in listed.content.decode()


def test_rows_are_brought_to_a_launch(client: Client, user: User) -> None:
    definition = made(user, MATRIX)
    team = user.teams.get()
    url = at("definition_launch_preview", definition.slug)
    typed = {"name": "Rows", "team": team.slug, "budget": "5.00", "idempotency_key": "k" * 32}
    asked = client.post(url, typed).content.decode()
    assert "The rows are missing" in asked
    shown = client.post(url, {**typed, "rows_file": rows_file()}).content.decode()
    assert "Launch 4 agents" in shown
    refused = client.post(url, {**typed, "rows_file": rows_file(b'a,b\n"x,1\n')}).content.decode()
    assert "Line 2: a quotation mark opens here" in refused
    now = at("definition_launch_now", definition.slug)
    client.post(now, {**typed, "rows": StoredRows.objects.get().digest})
    prompts = Fleet.objects.get().runs.get().tasks.order_by("position").values_list("prompt")
    assert [prompt for (prompt,) in prompts] == ["Review a.py"] * 2 + ["Test b.py"] * 2


def test_an_archived_definition_is_not_launched(client: Client, user: User) -> None:
    definition = made(user)
    client.post(at("definition_archive", definition.slug))
    typed = {"name": "x", "team": user.teams.get().slug, "budget": "1", "idempotency_key": "k" * 32}
    answer = client.post(at("definition_launch_now", definition.slug), typed)
    assert answer.status_code == 422
    assert "bring it back first" in answer.content.decode()
    assert not Fleet.objects.exists()


def test_agents_go_out_as_the_platform_reads_them(client: Client, user: User) -> None:
    definition = made(user)
    agents = json.loads(client.get(at("definition_agents", definition.slug)).content)
    assert agents[1] == {
        "agentId": "agent-2",
        "harness": "opencode",
        "model": "gpt-4.1-mini",
        "task": "Do 2",
    }
    source = client.get(at("definition_source", definition.slug, "json")).content
    assert json.loads(source) == BODY


def test_a_fleet_becomes_a_definition_and_a_definition_is_cloned(
    client: Client, user: User
) -> None:
    fleet = FleetFactory(name="last-night", agents_total=7, tags=["night"])
    page = client.get(at("definition_new") + f"?from={fleet.public_id}").content.decode()
    assert 'id="id_count" name="count" value="7"' in page
    assert 'value="last-night"' in page
    definition = made(user)
    client.post(at("definition_clone", definition.slug))
    clone = Definition.objects.get(slug="nightly-2")
    assert clone.cloned_from == definition


def test_a_profile_that_moved_on_is_said_with_what_repairs_it(client: Client, user: User) -> None:
    profile = ProfileFactory(slug="fast", body={"name": "Fast"})
    ProfileRevisionFactory(profile=profile, body={"name": "Fast!"}, published_at=timezone.now())
    agents = {"count": 2, "profile": {"profileId": "fast", "revision": 1}}
    definition = made(user, {**BODY, "agents": agents})
    page = client.get(at("definition_edit", definition.slug)).content.decode()
    assert "fast is expected at r1, and its head is r2: a launch is refused." in page
    typed = {"mode": "form", "document": json.dumps({**BODY, "agents": agents})}
    repaired = client.post(at("definition_preview"), {**typed, "repair": "which=fixed r1"})
    assert "fast: it is fixed at r1, and its head is r2." in repaired.content.decode()
    launch = client.get(at("definition_launch", definition.slug)).content.decode()
    assert "fast is expected at r1, and its head is r2" in launch
    difference = reverse("fleets:profile_diff", args=["fast"]) + "?a=1&amp;b=2"
    assert difference in page
    assert launch.count(difference) == launch.count("Change the definition") == 2


def test_what_stands_in_the_launch_form_becomes_a_definition(client: Client) -> None:
    typed = {"name": "tonight", "count": "4", "prompt": "Do {index}", "budget": "2.50"}
    page = client.post(at("definition_from_launch"), typed).content.decode()
    assert 'id="id_count" name="count" value="4"' in page
    assert 'value="2.50"' in page
    assert "Do {index}" in page


def test_who_reads_does_not_write(user: User) -> None:
    definition = made(user)
    cast = Cast.gather()
    readers = {"stranger": 404, "viewer": 200, "operator": 200, "admin": 200}
    cast.expect(at("definition_detail", definition.slug), "GET", readers)
    writers = {"stranger": 404, "viewer": 403, "operator": 200, "admin": 200}
    cast.expect(at("definition_edit", definition.slug), "GET", writers)
    cast.expect(at("definition_launch", definition.slug), "GET", writers)


def test_the_list_costs_three_queries_however_many_there_are(
    user: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(4):
        definition = made(user, {**BODY, "name": f"n{number}"})
        FleetFactory(definition_revision=definition.head, state="finished", tasks_total=4)
    with django_assert_num_queries(3):
        page = definition_page(DefinitionFilter.of({"q": "n"}), user)
    assert [row.last.tasks for row in page.rows] == [4, 4, 4, 4]
    assert [row.budget for row in page.rows] == ["$2.00"] * 4
