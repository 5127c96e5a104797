"""The list as a file: everything of the filter, exact money, nothing that runs."""

import csv
import io
import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from fleets.domain.status import FleetState
from tests.factories import FleetFactory, TeamFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

URL = "/fleets/export"


@pytest.fixture
def cast() -> Cast:
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("viewer")


def body(client: Client, **params: str) -> str:
    response: Any = client.get(URL, params)
    assert response.status_code == 200
    return b"".join(response.streaming_content).decode()


def rows(client: Client, **params: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(body(client, format="csv", **params))))


def test_readers_may_export_and_strangers_may_not(cast: Cast) -> None:
    expected = {"admin": 200, "operator": 200, "viewer": 200, "stranger": 404}
    cast.expect(reverse("fleets:fleet_export"), "GET", expected)


def test_money_is_exact_and_unknown_is_empty(client: Client) -> None:
    FleetFactory(spent_nusd=14_123_456, budget_nusd=250_000_000, remaining_nusd=None)
    (row,) = rows(client)
    assert (row["spentUsd"], row["budgetUsd"], row["remainingUsd"]) == ("0.014123456", "0.25", "")
    found = json.loads(body(client, format="json"))["fleets"][0]
    assert (found["spentUsd"], found["remainingUsd"]) == ("0.014123456", None)


def test_the_file_follows_the_filter_and_says_which(client: Client) -> None:
    FleetFactory(name="kept", state=FleetState.FAILED)
    FleetFactory(name="left-out")
    (row,) = rows(client, state="failed")
    assert (row["name"], row["filter"], row["timeZone"]) == ("kept", "state=failed", "UTC")
    document = json.loads(body(client, format="json", state="failed"))
    assert [fleet["name"] for fleet in document["fleets"]] == ["kept"]
    assert document["filter"] == "state=failed"
    assert document["generatedAt"]


def test_more_than_a_page_is_exported(client: Client) -> None:
    root = FleetFactory()
    for _ in range(60):
        FleetFactory(team=root.team, connection=root.connection, owner=root.owner)
    assert len(rows(client)) == 61


def test_names_that_look_like_formulas_do_not_run(client: Client) -> None:
    FleetFactory(name="=HYPERLINK(1)", team=TeamFactory(), tags=["@x"])
    (row,) = rows(client)
    assert (row["name"], row["tags"]) == ("'=HYPERLINK(1)", "'@x")
    assert json.loads(body(client, format="json"))["fleets"][0]["name"] == "=HYPERLINK(1)"


def test_an_empty_list_is_a_file_with_a_head(client: Client) -> None:
    assert body(client, format="csv").startswith("fleetId,name,state")
    assert json.loads(body(client, format="json"))["fleets"] == []


def test_another_format_is_refused(client: Client) -> None:
    assert client.get(URL, {"format": "xlsx"}).status_code == 400
