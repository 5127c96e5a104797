"""Which fleets a filter finds, and how it reads and writes the query string."""

from datetime import timedelta

import pytest
from django.utils import timezone

from fleets.domain.status import FleetState
from fleets.models import User
from fleets.selectors.fleet_filter import FleetFilter
from tests.factories import FleetFactory, TeamFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def user() -> User:
    made: User = UserFactory(username="ana")
    return made


def names(user: User, **params: str) -> set[str]:
    now = timezone.now()
    chosen = FleetFilter.of(params)
    return {fleet.name for fleet in chosen.fleets(user, now=now).filter(chosen.in_state(now=now))}


def test_deleted_fleets_are_history_and_shown_only_when_asked_for(user: User) -> None:
    FleetFactory(name="here")
    FleetFactory(name="gone", state=FleetState.DELETED)
    assert names(user) == {"here"}
    assert names(user, state="deleted") == {"gone"}


@pytest.mark.parametrize(
    ("state", "tab"),
    [
        (FleetState.CREATING, "running"),
        (FleetState.RUNNING, "running"),
        (FleetState.CANCELLING, "running"),
        (FleetState.DELETING, "running"),
        (FleetState.WAITING, "waiting"),
        (FleetState.HELD, "waiting"),
        (FleetState.FINISHED, "finished"),
        (FleetState.FAILED, "failed"),
        (FleetState.BUDGET_EXHAUSTED, "budget"),
        (FleetState.CANCELLED, "cancelled"),
        (FleetState.DELETED, "deleted"),
    ],
)
def test_every_state_has_exactly_one_tab(user: User, state: FleetState, tab: str) -> None:
    FleetFactory(name="it", state=state)
    tabs = ("running", "waiting", "finished", "failed", "budget", "cancelled", "deleted")
    assert [name for name in tabs if names(user, state=name)] == [tab]


def test_a_raw_word_of_state_is_a_filter_too(user: User) -> None:
    FleetFactory(name="held", state=FleetState.HELD)
    FleetFactory(name="asking", state=FleetState.WAITING)
    assert names(user, state="held") == {"held"}


def test_what_hurts_needs_attention(user: User) -> None:
    now = timezone.now()
    FleetFactory(name="well", platform_seen_at=now)
    FleetFactory(name="failing", tasks_failed=1)
    FleetFactory(name="out", state=FleetState.BUDGET_EXHAUSTED)
    FleetFactory(name="asking", state=FleetState.WAITING)
    FleetFactory(name="unread", tasks_unknown=2)
    FleetFactory(name="silent", platform_seen_at=now - timedelta(minutes=5))
    FleetFactory(name="stuck", state=FleetState.DELETING, state_since=now - timedelta(minutes=6))
    FleetFactory(name="deleting", state=FleetState.DELETING, state_since=now)
    FleetFactory(name="gone", state=FleetState.DELETED, tasks_failed=3)
    assert names(user, state="attention") == {
        "failing",
        "out",
        "asking",
        "unread",
        "silent",
        "stuck",
    }


def test_me_is_whoever_looks(user: User) -> None:
    FleetFactory(name="mine", owner=user)
    FleetFactory(name="theirs")
    assert names(user, owner="me") == {"mine"}
    assert names(user, owner="ana") == {"mine"}


def test_a_range_counts_back_from_now(user: User) -> None:
    FleetFactory(name="new")
    FleetFactory(name="old", created_at=timezone.now() - timedelta(hours=25))
    assert names(user, range="24h") == {"new"}
    assert names(user, range="7d") == {"new", "old"}


def test_the_search_box_knows_words_and_tokens(user: User) -> None:
    team = TeamFactory(name="search", slug="search")
    FleetFactory(name="crawl-docs", team=team, spent_nusd=2_000_000_000, tags=["night"])
    FleetFactory(name="crawl-code", spent_nusd=500_000_000, owner=user)
    FleetFactory(name="price-watch", spent_nusd=None)
    assert names(user, q="crawl") == {"crawl-docs", "crawl-code"}
    assert names(user, q="crawl team:search") == {"crawl-docs"}
    assert names(user, q="spend:>1") == {"crawl-docs"}
    assert names(user, q="spend:<1") == {"crawl-code"}
    assert names(user, q="tag:night") == {"crawl-docs"}
    assert names(user, q="owner:ANA") == {"crawl-code"}
    assert names(user, q="100%") == set()


def test_what_is_not_understood_is_said_and_left_out() -> None:
    chosen = FleetFilter.of({"state": "sideways", "range": "2w", "sort": "luck", "q": "spend:lots"})
    assert (chosen.state, chosen.range, chosen.sort) == ("", "", "-started")
    assert len(chosen.problems) == 4
    assert "spend:>1" in chosen.problems[-1]


def test_the_query_string_leaves_defaults_out_and_keeps_the_rest() -> None:
    chosen = FleetFilter.of({"state": "running", "q": "a b", "sort": "-started", "range": "7d"})
    assert chosen.query() == "state=running&q=a+b&range=7d"
    assert chosen.query(state="", peek="fleet-1") == "q=a+b&range=7d&peek=fleet-1"
    assert FleetFilter.of({}).query(sort="name") == "sort=name"


@pytest.mark.parametrize("text", ["\0", "tag:\0", "x" * 5_000, "state:nope", "%_\\", "spend:>"])
def test_hostile_searches_are_only_searches(user: User, text: str) -> None:
    assert names(user, q=text) == set()
