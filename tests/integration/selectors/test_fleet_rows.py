"""What one row says: figures, bars, and what is not known."""

import pytest

from fleets.domain.status import FleetState, Origin
from fleets.models import Fleet, SealedSecret
from fleets.selectors.fleet_rows import FleetRow, for_rows, row_of, show_rate
from tests.factories import FleetFactory

pytestmark = pytest.mark.django_db


def row(**fields: object) -> FleetRow:
    fleet = FleetFactory(**fields)
    return row_of(for_rows(Fleet.objects.filter(pk=fleet.pk)).get())


def test_used_money_rounds_up_and_keeps_the_exact_value_beside_it() -> None:
    shown = row(spent_nusd=14_123_456, budget_nusd=250_000_000)
    assert (shown.spent, shown.spent_exact) == ("$0.015", "$0.014123456")
    assert shown.beside == "of $0.25"


def test_what_is_held_and_reserved_stands_beside_what_is_spent() -> None:
    shown = row(
        spent_nusd=1_240_000_000,
        reserved_nusd=440_000_000,
        remaining_nusd=1_140_000_000,
        key_cap_nusd=3_000_000_000,
    )
    assert (shown.taken, shown.beside) == ("0.620", "of $3.00")
    assert [part.kind for part in shown.spend] == ["used", "held", "resv"]


def test_unknown_is_a_dash_and_never_zero() -> None:
    shown = row(spent_nusd=None, burn_nusd_per_min=None)
    assert (shown.spent, shown.spent_exact, shown.cost_now) == ("—", "—", "—")
    assert shown.spend == ()


def test_a_fleet_without_a_budget_says_so() -> None:
    assert row(budget_nusd=None, spent_nusd=0).beside == "no budget"


@pytest.mark.parametrize(
    ("state", "machines", "expected"),
    [
        (FleetState.RUNNING, 2, "$0.27/min"),
        (FleetState.CREATING, 1, "/h"),
        (FleetState.HELD, 1, "/h"),
        (FleetState.FINISHED, 0, "$0"),
        (FleetState.DELETED, 1, "$0"),
    ],
)
def test_costs_now_are_the_burn_while_it_works_else_its_machines(
    state: FleetState, machines: int, expected: str
) -> None:
    shown = row(state=state, machines_running=machines, burn_nusd_per_min=270_000_000)
    assert shown.cost_now.endswith(expected)


def test_a_rate_is_shown_in_cents_rounded_up() -> None:
    assert show_rate(86_414_400) == "$0.09"
    assert show_rate(410_000) == "$0.00041"
    assert show_rate(None) == "—"


def test_the_bar_of_agents_fills_its_width_and_names_what_hurts() -> None:
    shown = row(
        tasks_total=20,
        tasks_completed=12,
        tasks_budget=5,
        tasks_not_started=3,
    )
    assert shown.agents_text == "12/20"
    assert [(hurt.state, hurt.text) for hurt in shown.hurts] == [
        ("budget", "5 budget out"),
        ("not-started", "3 not started"),
    ]
    assert [(part.state, part.x, part.width) for part in shown.agents] == [
        ("finished", "0.00%", "60.00%"),
        ("budget", "60.00%", "25.00%"),
        ("not-started", "85.00%", "15.00%"),
    ]


def test_a_fleet_being_made_counts_its_machines() -> None:
    shown = row(state=FleetState.CREATING, machines_running=4, machines_total=9, agents_total=45)
    assert shown.state_label == "Creating 4/9"
    assert shown.agents_text == "0/45"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"key_id": "k1", "key_secret": True}, "here"),
        ({"key_id": "k1", "origin": Origin.FOREIGN}, "elsewhere"),
        ({"key_cap_nusd": 1, "origin": Origin.FOREIGN}, "elsewhere"),
        ({"key_id": "k1"}, ""),
        ({"key_id": "k1", "state": FleetState.DELETED, "origin": Origin.FOREIGN}, ""),
        ({}, ""),
    ],
)
def test_a_row_says_who_holds_the_key(fields: dict[str, object], expected: str) -> None:
    if fields.get("key_secret"):
        fields["key_secret"] = SealedSecret.seal("sk-tan-x")
    assert row(**fields).key == expected
