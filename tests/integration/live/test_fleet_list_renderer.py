"""What the fleets list is told when fleets change."""

import pytest
from pytest_django import DjangoAssertNumQueries

from fleets.live.fragments import Hint, Partial, Piece, render
from fleets.live.renderers.fleet_list import PAGE
from tests.factories import FleetFactory

pytestmark = pytest.mark.django_db


def changed(*ids: int) -> list[Piece]:
    return render(PAGE, "fleets", [{"kind": "fleet", "ids": list(ids)}])


def test_a_changed_fleet_patches_its_cells_and_lets_counts_and_peek_fetch() -> None:
    fleet = FleetFactory(name="nightly-review", tasks_total=2, tasks_completed=1)
    pieces = changed(fleet.pk)
    cells = {piece.target: piece.html for piece in pieces if isinstance(piece, Partial)}
    assert set(cells) == {f"{cell}-{fleet.pk}" for cell in ("fs", "fa", "fm", "fc", "fn")}
    assert all(html.startswith("<td") for html in cells.values())
    assert "1/2" in cells[f"fa-{fleet.pk}"]
    hints = {piece.target for piece in pieces if isinstance(piece, Hint)}
    assert hints == {"fleet-counts", "peek"}


def test_a_new_fleet_only_moves_the_counts() -> None:
    fleet = FleetFactory()
    pieces = render(PAGE, "fleets", [{"kind": "new", "ids": [fleet.pk]}])
    assert pieces == [Hint("fleet-counts")]


def test_many_at_once_become_one_fetch() -> None:
    pieces = changed(*range(1, 22))
    assert {piece.target for piece in pieces if isinstance(piece, Hint)} == {
        "fleet-table",
        "fleet-counts",
        "peek",
    }
    assert not [piece for piece in pieces if isinstance(piece, Partial)]


def test_a_flush_of_changes_costs_one_query(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    root = FleetFactory()
    fleets = [FleetFactory(parent=root).pk for _ in range(10)]
    with django_assert_num_queries(1):
        changed(*fleets)
