"""The fleets list in the browser's eyes: who sees it, what it says, its fragments and its cost."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from fleets.domain.status import FleetState
from fleets.models import Connection
from tests.factories import ConnectionFactory, FleetEventFactory, FleetFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

URL = "/fleets/"


@pytest.fixture
def cast() -> Cast:
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


def fragment(client: Client, target: str, query: str = "") -> Any:
    headers = {"HX-Request": "true", "HX-Target": f"div#{target}"}
    return client.get(f"{URL}?{query}", headers=headers)


def text(response: Any) -> str:
    return str(response.content.decode())


def test_readers_see_the_list_and_strangers_do_not(cast: Cast) -> None:
    FleetFactory()
    expected = {"admin": 200, "operator": 200, "viewer": 200, "stranger": 404}
    cast.expect(reverse("fleets:fleet_list"), "GET", expected)


def test_the_title_says_how_many_need_attention(client: Client) -> None:
    FleetFactory()
    assert "<title>Fleets · Fleetdash</title>" in text(client.get(URL))
    FleetFactory(tasks_failed=3)
    page = text(client.get(URL))
    assert "<title>Fleets · 1 needs attention · Fleetdash</title>" in page
    assert "favicon-failed" in page


def test_a_row_shows_state_agents_money_and_owner(client: Client, cast: Cast) -> None:
    FleetFactory(
        name="nightly-review",
        owner=cast.operator,
        tasks_total=50,
        tasks_completed=38,
        tasks_failed=3,
        tasks_running=9,
        spent_nusd=1_240_000_000,
        burn_nusd_per_min=270_000_000,
    )
    page = text(client.get(URL))
    for words in ("nightly-review", "38/50", "3 failed", "$1.240", "of $3.00", "$0.27/min"):
        assert words in page
    assert 'data-state="running"' in page


def test_why_a_fleet_stopped_far_below_its_budget_is_one_press_away(client: Client) -> None:
    sentence = "Stopped at $0.0142 of $0.25: four calls held the other $0.2358."
    fleet = FleetFactory(state=FleetState.BUDGET_EXHAUSTED, stop_sentence=sentence)
    page = text(client.get(URL))
    assert f'popovertarget="why-{fleet.pk}"' in page
    assert sentence in page


def test_what_people_and_agents_wrote_is_only_text(client: Client) -> None:
    FleetFactory(name="<script>alert(1)</script>", stop_sentence="<img src=x>")
    page = text(client.get(URL))
    assert "<script>alert" not in page
    assert "<img src=x>" not in page


def test_only_those_who_may_launch_are_offered_it(cast: Cast) -> None:
    FleetFactory()
    link = f'href="{reverse("fleets:fleet_new")}" data-kind="primary"'
    assert link in text(cast.client("operator").get(URL))
    assert link not in text(cast.client("viewer").get(URL))


def test_without_fleets_it_says_how_to_get_one(client: Client, cast: Cast) -> None:
    ConnectionFactory()
    assert "No fleets yet" in text(client.get(URL))
    assert "An operator or an admin launches them" in text(cast.client("viewer").get(URL))


def test_without_an_account_it_says_who_can_connect_one(client: Client) -> None:
    assert not Connection.objects.exists()
    assert "No platform account is connected" in text(client.get(URL))


def test_when_nothing_matches_the_filters_are_shown_and_can_be_cleared(client: Client) -> None:
    FleetFactory()
    page = text(client.get(URL, {"q": "zzz", "owner": "me", "range": "7d"}))
    assert "Nothing matches" in page
    for words in ("search: zzz", "owner: me", "in the last: 7d", "Clear filters"):
        assert words in page


def test_a_filter_that_is_not_understood_is_said(client: Client) -> None:
    FleetFactory(name="still-here")
    page = text(client.get(URL, {"state": "sideways"}))
    assert "“sideways” is not a state of fleets." in page
    assert "still-here" in page


def test_the_peek_shows_counts_events_spend_and_the_way_to_stop(client: Client) -> None:
    fleet = FleetFactory(
        name="nightly-review",
        tasks_failed=3,
        spent_nusd=1_240_000_000,
        stop_sentence="It stopped because.",
    )
    for n in range(7):
        FleetEventFactory(fleet=fleet, text=f"event number {n}")
    page = text(client.get(URL, {"peek": fleet.public_id}))
    peek = page[page.index('id="peek"') :]
    assert "3 failed" in peek
    assert "$1.24" in peek
    assert "It stopped because." in peek
    assert reverse("fleets:fleet_stop", args=[fleet.public_id]) in peek
    assert re.findall(r"event number (\d)", peek) == ["6", "5", "4", "3", "2"]


def test_a_viewer_peeks_without_being_offered_to_stop(cast: Cast) -> None:
    fleet = FleetFactory()
    page = text(cast.client("viewer").get(URL, {"peek": fleet.public_id}))
    assert 'id="peek"' in page
    assert reverse("fleets:fleet_stop", args=[fleet.public_id]) not in page


def test_a_peek_at_nothing_is_the_plain_list(client: Client) -> None:
    FleetFactory(name="here")
    response = client.get(URL, {"peek": "fleet-nothing"})
    assert response.status_code == 200
    assert 'id="peek"' not in text(response)


def test_the_peek_fetches_itself_and_ends_with_its_fleet(client: Client) -> None:
    fleet = FleetFactory(name="nightly-review")
    found = fragment(client, "peek", f"peek={fleet.public_id}")
    assert text(found).strip().startswith("<aside")
    assert fragment(client, "peek", "peek=fleet-nothing").status_code == 404


def test_counts_come_with_the_new_rows_bar_the_costs_and_the_title(client: Client) -> None:
    old = FleetFactory()
    FleetFactory(tasks_failed=1)
    answer = text(fragment(client, "fleet-counts", f"known={old.pk}"))
    assert "1 new fleet, show" in answer
    assert "Fleets · 1 needs attention · Fleetdash" in answer
    assert 'id="fleet-costs"' in answer
    assert f"known={old.pk}" in answer
    assert "<table" not in answer


def test_a_table_that_refreshes_lets_new_fleets_wait(client: Client) -> None:
    old = FleetFactory(name="old")
    FleetFactory(name="late")
    answer = text(fragment(client, "fleet-table", f"known={old.pk}"))
    assert ">old<" in answer
    assert ">late<" not in answer


def test_an_unchanged_refresh_is_not_sent_again(client: Client) -> None:
    FleetFactory(created_at=timezone.now() - timedelta(days=3))
    first = fragment(client, "fleet-table", "known=999")
    headers = {"HX-Request": "true", "HX-Target": "fleet-table", "HX-PTag": first["HX-PTag"]}
    assert client.get(f"{URL}?known=999", headers=headers).status_code == 304


def test_pages_are_linked_both_ways(client: Client) -> None:
    root = FleetFactory()
    for _ in range(51):
        FleetFactory(team=root.team, connection=root.connection, owner=root.owner)
    page = text(client.get(URL))
    assert "50 of 52" in page
    assert 'rel="prev"' not in page
    older = re.search(r'href="([^"]+)" rel="next"', page)
    assert older is not None
    second = text(client.get(older[1].replace("&amp;", "&")))
    assert "2 of 52" in second
    assert 'rel="prev"' in second


@pytest.mark.parametrize("rows", [1, 50])
def test_the_page_costs_the_same_queries_for_one_row_and_for_fifty(
    client: Client, rows: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    root = FleetFactory()
    for _ in range(rows - 1):
        FleetFactory(team=root.team, connection=root.connection, parent=root)
    # Session, user, the frame's connection, counts, rows.
    with django_assert_num_queries(5):
        client.get(URL)


def test_the_peek_costs_two_queries_more(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    fleet = FleetFactory()
    FleetEventFactory.create_batch(9, fleet=fleet)
    with django_assert_num_queries(7):
        client.get(URL, {"peek": fleet.public_id})
