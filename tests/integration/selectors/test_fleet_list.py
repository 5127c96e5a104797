"""Pages of the list: order, keyset, the tree, the tabs, and what each costs in queries."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from fleets.domain.status import FleetState
from fleets.models import Fleet, User
from fleets.selectors.fleet_filter import FleetFilter
from fleets.selectors.fleet_list import MOST_ROWS, FleetPage, fleet_page, overview
from tests.factories import ConnectionFactory, FleetFactory, TeamFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def user() -> User:
    made: User = UserFactory(username="ana")
    return made


def many(user: User, count: int) -> list[Fleet]:
    """Fleets of one minute each, the newest last."""
    team, connection = TeamFactory(), ConnectionFactory()
    begin = timezone.now() - timedelta(minutes=count)
    return [
        FleetFactory(
            name=f"f{n:03}",
            team=team,
            connection=connection,
            owner=user,
            created_at=begin + timedelta(minutes=n),
            spent_nusd=None if n % 7 == 0 else n % 5,
        )
        for n in range(count)
    ]


def page(user: User, *, sort: str = "", after: str = "", before: str = "") -> FleetPage:
    chosen = FleetFilter.of({"sort": sort})
    return fleet_page(chosen, user, now=timezone.now(), after=after, before=before)


def names(found: FleetPage) -> list[str]:
    return [listed.row.name for listed in found.rows]


@pytest.mark.parametrize("sort", ["", "started", "name", "-name", "spend", "-spend", "-cost"])
def test_pages_hold_every_fleet_once_and_go_back_the_same_way(user: User, sort: str) -> None:
    many(user, 2 * MOST_ROWS + 7)
    pages = [page(user, sort=sort)]
    while pages[-1].after:
        pages.append(page(user, sort=sort, after=pages[-1].after))
    assert [len(one.rows) for one in pages] == [MOST_ROWS, MOST_ROWS, 7]
    seen = [name for one in pages for name in names(one)]
    assert len(set(seen)) == len(seen) == 2 * MOST_ROWS + 7
    assert pages[0].before is None
    back = page(user, sort=sort, before=pages[2].before or "")
    assert names(back) == names(pages[1])
    assert names(page(user, sort=sort, before=back.before or "")) == names(pages[0])


def test_the_newest_comes_first_unless_asked_otherwise(user: User) -> None:
    many(user, 3)
    assert names(page(user)) == ["f002", "f001", "f000"]
    assert names(page(user, sort="started")) == ["f000", "f001", "f002"]
    assert names(page(user, sort="name")) == ["f000", "f001", "f002"]


def test_what_burns_more_costs_more_now(user: User) -> None:
    FleetFactory(name="idle", state=FleetState.FINISHED, machines_running=2)
    FleetFactory(name="busy", burn_nusd_per_min=500_000_000)
    FleetFactory(name="unknown", burn_nusd_per_min=None)
    FleetFactory(name="off", state=FleetState.FINISHED)
    assert names(page(user, sort="-cost")) == ["busy", "idle", "off", "unknown"]


@pytest.mark.parametrize("cursor", ["x", "bnVsbA", "WzEsMl0", "W251bGwsIm4iXQ", "é", "W10"])
def test_a_cursor_that_does_not_fit_is_the_first_page(user: User, cursor: str) -> None:
    many(user, 2)
    assert names(page(user, after=cursor)) == ["f001", "f000"]


def test_children_stand_under_their_parents_on_the_page(user: User) -> None:
    root = FleetFactory(name="root")
    first = FleetFactory(name="first", parent=root)
    FleetFactory(name="deep", parent=first)
    FleetFactory(name="second", parent=root)
    FleetFactory(name="other")
    found = page(user, sort="started")
    assert [(one.row.name, one.depth, one.has_line_through) for one in found.rows] == [
        ("root", 0, False),
        ("first", 1, False),
        ("deep", 2, True),
        ("second", 1, False),
        ("other", 0, False),
    ]
    assert {one.parent_name for one in found.rows} == {""}


def test_a_child_whose_parent_is_elsewhere_names_it(user: User) -> None:
    root = FleetFactory(name="root", state=FleetState.FINISHED)
    FleetFactory(name="child", parent=root)
    chosen = FleetFilter.of({"state": "running"})
    (only,) = fleet_page(chosen, user, now=timezone.now()).rows
    assert (only.depth, only.parent_name) == (0, "root")
    assert root.public_id in only.parent_url


def test_tabs_count_by_meaning_within_the_other_filters(user: User) -> None:
    FleetFactory(owner=user, state=FleetState.RUNNING)
    FleetFactory(owner=user, state=FleetState.BUDGET_EXHAUSTED)
    FleetFactory(owner=user, state=FleetState.DELETED)
    FleetFactory(state=FleetState.RUNNING)
    found = overview(FleetFilter.of({"owner": "me", "state": "budget"}), user, now=timezone.now())
    counts = {tab.key: tab.count for tab in found.tabs}
    assert counts[""] == 2
    assert (counts["running"], counts["budget"], counts["attention"], counts["deleted"]) == (
        1,
        1,
        1,
        1,
    )
    assert found.total == 1
    assert [tab.key for tab in found.tabs if tab.is_current] == ["budget"]
    assert all("owner=me" in tab.query for tab in found.tabs)


def test_costs_are_added_up_apart_for_work_and_for_idle_machines(user: User) -> None:
    FleetFactory(burn_nusd_per_min=270_000_000, machines_running=9)
    FleetFactory(burn_nusd_per_min=40_000_000)
    FleetFactory(state=FleetState.FINISHED, machines_running=1)
    found = overview(FleetFilter.of({}), user, now=timezone.now())
    assert found.burn_nusd_per_min == 310_000_000
    assert 0 < found.idle_nusd_per_hour < 1_000_000_000


def test_work_of_unknown_cost_is_unknown_not_free(user: User) -> None:
    FleetFactory(burn_nusd_per_min=None)
    found = overview(FleetFilter.of({}), user, now=timezone.now())
    assert found.burn_nusd_per_min is None


def test_fleets_that_came_later_are_counted_and_kept_waiting(user: User) -> None:
    known = many(user, 2)[-1].pk
    FleetFactory(name="late")
    FleetFactory(name="late-and-finished", state=FleetState.FINISHED)
    chosen = FleetFilter.of({"state": "running"})
    found = overview(chosen, user, now=timezone.now(), known=known)
    assert (found.new_count, found.known) == (1, known)
    rows = fleet_page(chosen, user, now=timezone.now(), known=known)
    assert "late" not in names(rows)


def test_the_list_costs_two_queries_whatever_its_length(
    user: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    root = FleetFactory()
    many(user, MOST_ROWS)
    FleetFactory(parent=root)
    chosen = FleetFilter.of({"q": "f"})
    with django_assert_num_queries(2):
        overview(chosen, user, now=timezone.now())
        fleet_page(chosen, user, now=timezone.now())
