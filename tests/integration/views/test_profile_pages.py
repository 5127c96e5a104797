"""The catalog's pages: the list and its filters, one profile, and what is done from its page."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from fleets.models import AgentProfile, Profile
from tests.factories import (
    AgentFactory,
    CatalogFactory,
    FleetFactory,
    MachineFactory,
    ProfileFactory,
    ProfileRevisionFactory,
    RunFactory,
    TaskFactory,
    TeamFactory,
    TurnFactory,
)
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

LIST = reverse("fleets:profile_list")


@pytest.fixture
def cast() -> Cast:
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


def used(profile: Profile) -> None:
    """One fleet with two agents has its head; one turn of them has ended, for $0.0042."""
    fleet = FleetFactory(name="nightly")
    assert profile.head is not None
    copy = AgentProfile.objects.create(
        fleet=fleet, digest="0" * 16, body="{}", revision=profile.head
    )
    machine = MachineFactory(fleet=fleet)
    agents = [AgentFactory(machine=machine, profile=copy) for _ in range(2)]
    agents[0].turns, agents[0].cost_nusd = 1, 4_200_000
    agents[0].save()
    TurnFactory(
        task=TaskFactory(agent=agents[0], run=RunFactory(fleet=fleet)),
        state="ended",
        outcome="failed",
        error_code="tool_timeout",
        cost_nusd=4_200_000,
        requested_at=timezone.now(),
        ended_at=timezone.now(),
    )


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?q=tests", ["reviewer"]),
        ("?q=docs.example.org", ["reviewer"]),
        ("?q=ISSUES_TOKEN", ["reviewer"]),
        ("?q=tag:writing", ["writer"]),
        ("?harness=codex", ["writer"]),
        ("?tag=review", ["reviewer"]),
        ("?owner=me", ["writer"]),
        ("?catalog=ours", ["writer"]),
        ("?archived=only", ["old"]),
        ("?sort=name", ["reviewer", "writer"]),
        ("?sort=-name", ["writer", "reviewer"]),
        ("?harness=none-such", ["reviewer", "writer"]),
    ],
)
def test_the_list_finds_what_the_address_says(
    query: str, found: list[str], cast: Cast, client: Client
) -> None:
    secret = {"kind": "secret-ref", "key": "ISSUES_TOKEN"}
    body = {
        "name": "reviewer",
        "tags": ["review"],
        "prompt": {"instructions": ["Run the tests."]},
        "mcp": {"docs": {"url": "https://docs.example.org", "headers": {"authorization": secret}}},
    }
    ProfileFactory(slug="reviewer", body=body)
    ProfileFactory(
        slug="writer",
        owner=cast.operator,
        catalog=CatalogFactory(slug="ours"),
        body={"name": "writer", "tags": ["writing"], "harness": "codex"},
    )
    ProfileFactory(slug="old", archived_at=timezone.now())
    page = client.get(f"{LIST}{query}").context["page"]
    assert [row.slug for row in page.rows] == found or (
        "sort" not in query and sorted(row.slug for row in page.rows) == found
    )


def test_a_row_says_how_much_it_was_used_and_what_a_turn_cost(client: Client) -> None:
    profile = ProfileFactory(slug="reviewer")
    ProfileRevisionFactory(profile=profile)
    used(profile)
    (row,) = client.get(LIST).context["page"].rows
    assert (row.usage.words, row.cost) == ("1 fleet, 2 agents", "$0.0042")
    assert (row.head, row.draft) == ("r1", "r2")


def test_pages_follow_each_other_both_ways(client: Client) -> None:
    for number in range(51):
        ProfileFactory(slug=f"p-{number:02}")
    first = client.get(f"{LIST}?sort=name")
    assert [row.slug for row in first.context["page"].rows][-1] == "p-49"
    second = client.get(f"{LIST}?{first.context['older_query']}")
    assert [row.slug for row in second.context["page"].rows] == ["p-50"]
    back = client.get(f"{LIST}?{second.context['newer_query']}")
    assert [row.slug for row in back.context["page"].rows] == [f"p-{n:02}" for n in range(50)]
    assert client.get(f"{LIST}?after=no-cursor").status_code == 200


def test_the_list_asks_as_often_for_many_rows_as_for_one(
    client: Client, django_assert_num_queries: "pytest.FixtureRequest"
) -> None:
    ProfileFactory()
    client.get(LIST)
    queries = 13
    with django_assert_num_queries(queries):  # type: ignore[operator]
        client.get(LIST)
    for _ in range(12):
        used(ProfileFactory())
    with django_assert_num_queries(queries):  # type: ignore[operator]
        client.get(LIST)


def test_accepted_answers_are_counted_of_those_that_were_judged(client: Client) -> None:
    profile = ProfileFactory(slug="reviewer")
    used(profile)
    agent = profile.head.used_as.get().agents.first() if profile.head else None
    assert agent is not None
    run = agent.fleet.runs.get()
    for verdict in ("accepted", "accepted", "refused", "unchecked", "waiting_person"):
        TaskFactory(agent=agent, run=run, verdict=verdict)
    (row,) = client.get(LIST).context["page"].rows
    assert (row.usage.accepted, row.usage.checked) == (2, 3)
    page = client.get(reverse("fleets:profile_detail", args=["reviewer"]), {"tab": "results"})
    (result,) = page.context["results"]
    assert (result.accepted, result.checked) == (2, 3)


def test_results_stand_by_revision_with_failures_by_kind(client: Client) -> None:
    profile = ProfileFactory(slug="reviewer")
    used(profile)
    page = client.get(reverse("fleets:profile_detail", args=["reviewer"]), {"tab": "results"})
    (row,) = page.context["results"]
    assert (row.number, row.fleets, row.turns, row.completed) == (1, 1, 1, 0)
    assert row.failures == [("failed", "tool_timeout", 1)]
    assert (row.cost_median, row.checked) == ("$0.0042", 0)
    (use,) = client.get(page.request["PATH_INFO"], {"tab": "used-by"}).context["page"].rows
    assert (use.name, use.number, use.agents) == ("nightly", 1, 2)


def test_a_difference_shows_fields_and_the_words_that_changed(client: Client) -> None:
    long = "Read every file.\nAnswer with JSON."
    profile = ProfileFactory(body={"name": "x", "prompt": {"systemPrompt": long}, "tags": ["a"]})
    changed = {"name": "x", "prompt": {"systemPrompt": long.replace("every", "each")}}
    ProfileRevisionFactory(profile=profile, body=changed)
    shown = client.get(reverse("fleets:profile_diff", args=[profile.slug]))
    assert [one.shown_path for one in shown.context["shown"].changes] == [
        "prompt.systemPrompt",
        "tags",
    ]
    text = shown.content.decode()
    assert "<del>every</del>" in text
    assert "<ins>each</ins>" in text
    missing = reverse("fleets:profile_diff", args=[profile.slug]) + "?a=1&b=9"
    assert client.get(missing).status_code == 404


def test_from_the_page_a_draft_is_published_restored_and_labelled(client: Client) -> None:
    profile = ProfileFactory(slug="reviewer", body={"name": "one"})
    ProfileRevisionFactory(profile=profile, body={"name": "two"})
    act = {name: reverse(f"fleets:profile_{name}", args=["reviewer"]) for name in ACTS}
    client.post(act["publish"], {"number": "2"})
    client.post(act["label"], {"number": "r1", "name": "stable"})
    client.post(act["restore"], {"number": "1"})
    profile.refresh_from_db()
    assert profile.head is not None
    assert (profile.head.number, profile.newest) == (2, 3)
    assert list(profile.labels.values_list("name", "revision__number")) == [("stable", 1)]
    refused = client.post(act["label"], {"number": "3", "name": "stable"})
    assert refused.status_code == 409
    assert "is a draft: publish it first" in refused.content.decode()
    client.post(act["archive"])
    profile.refresh_from_db()
    assert profile.archived_at is not None


ACTS = ("publish", "label", "restore", "archive")


def test_nobody_writes_in_a_catalog_of_a_team_they_are_not_in(cast: Cast) -> None:
    profile = ProfileFactory(catalog=CatalogFactory(team=TeamFactory()))
    address = reverse("fleets:profile_archive", args=[profile.slug])
    cast.expect(address, "POST", {"viewer": 403, "stranger": 404, "operator": 403, "admin": 303})
