"""The tree around a fleet."""

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from fleets.domain.status import FleetState, Origin
from fleets.models import Fleet
from fleets.selectors.fleet_tree import MOST_WHOLE, PAGE, fleet_tree
from fleets.services.tree_counts import recount_above
from tests.factories import FleetFactory

pytestmark = pytest.mark.django_db
CENT = 10_000_000


def fresh(fleet: Fleet) -> Fleet:
    return Fleet.objects.select_related("root").get(pk=fleet.pk)


def test_a_fleet_that_stands_alone_costs_no_query(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    fleet = FleetFactory()
    with django_assert_num_queries(0):
        assert fleet_tree(fleet).is_alone


def test_a_small_tree_is_shown_whole_what_hurts_first_with_what_each_takes(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    root = FleetFactory(name="research", budget_nusd=30 * CENT, tasks_total=2, tasks_completed=1)
    child = FleetFactory(
        parent=root,
        name="shard-3",
        parent_agent="agent-3",
        budget_nusd=12 * CENT,
        spent_nusd=4 * CENT,
        tasks_total=3,
    )
    deep = FleetFactory(parent=child, name="deep-1", state=FleetState.FAILED)
    found = FleetFactory(
        parent=root, name="shard-9", origin=Origin.SPAWNED, found_at=timezone.now(),
        budget_nusd=None, budget_is_known=False, machines_running=2,
    )  # fmt: skip
    recount_above(deep.path)
    recount_above(found.path)
    current = fresh(child)
    with django_assert_num_queries(2):
        tree = fleet_tree(current)

    assert [(node.name, node.level, node.position, node.siblings) for node in tree.nodes] == [
        ("research", 1, 1, 1),
        ("shard-3", 2, 1, 2),
        ("deep-1", 3, 1, 1),
        ("shard-9", 2, 2, 2),
    ]
    top, shard, deepest, other = tree.nodes
    assert (top.worst, shard.worst, deepest.worst) == ("failed", "failed", "")
    assert top.own == "1/2"
    assert top.subtree.startswith("4 fleets, 1/5 done, 2 machines")
    assert (shard.takes, shard.spent) == ("takes $0.12 of research's $0.30", "$0.04")
    assert (shard.is_current, shard.is_open, deepest.is_open) == (True, True, None)
    assert (other.own, other.takes, other.spent) == ("2 machines", "budget unknown", "—")


def test_of_a_large_tree_the_way_down_and_a_page_of_children_are_shown(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    root = FleetFactory(name="research")
    children = [FleetFactory(parent=root) for _ in range(MOST_WHOLE + 5)]
    recount_above(root.path)
    current = fresh(root)
    with django_assert_num_queries(4):
        tree = fleet_tree(current, page=1)

    assert len(tree.nodes) == 1 + PAGE
    assert tree.shown_below == f"21 to 40 of {len(children)} children"
    assert (tree.before, tree.after) == (0, 2)
    leaf = fleet_tree(fresh(children[0]))
    assert [node.name for node in leaf.nodes] == ["research", children[0].name]
    assert leaf.nodes[0].is_open
