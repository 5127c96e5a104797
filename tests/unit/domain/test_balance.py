"""A balance adds up on every screen."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.balance import (
    Balance,
    SpendReading,
    balance,
    burn_nusd_per_min,
    out_in_s,
    tells_of_calls,
)

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
USD = 1_000_000_000
AMOUNTS = st.integers(0, 10**13)


def usd_balance(spent: int, reserved: int, remaining: int | None) -> Balance:
    made = balance(
        budget_nusd=300, spent_nusd=spent, reserved_nusd=reserved, remaining_nusd=remaining
    )
    assert made is not None
    return made


def test_held_is_what_the_other_figures_leave_over() -> None:
    assert usd_balance(124, 44, 114).held_nusd == 18


def test_without_the_platforms_remainder_held_is_unknown() -> None:
    made = usd_balance(124, 44, None)
    assert (made.held_nusd, made.remaining_nusd) == (None, 132)


def test_there_is_no_balance_without_a_budget_or_a_reading() -> None:
    for budget, spent in ((None, 1), (1, None)):
        assert (
            balance(budget_nusd=budget, spent_nusd=spent, reserved_nusd=0, remaining_nusd=0) is None
        )


@given(AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS)
def test_the_parts_of_a_balance_add_up_to_the_budget(
    budget: int, spent: int, reserved: int, remaining: int
) -> None:
    made = balance(
        budget_nusd=budget, spent_nusd=spent, reserved_nusd=reserved, remaining_nusd=remaining
    )
    assert made is not None
    assert made.held_nusd is not None
    assert made.held_nusd >= 0
    parts = spent + reserved + made.held_nusd + made.remaining_nusd
    assert parts == budget + made.over_nusd


@given(AMOUNTS, AMOUNTS, AMOUNTS, st.none() | AMOUNTS)
def test_the_bar_is_exactly_full_and_in_order(
    budget: int, spent: int, reserved: int, remaining: int | None
) -> None:
    made = balance(
        budget_nusd=budget, spent_nusd=spent, reserved_nusd=reserved, remaining_nusd=remaining
    )
    assert made is not None
    parts = made.bar()
    assert [part.name for part in parts] == ["spent", "held", "reserved", "remaining"]
    end = 0
    for part in parts:
        assert part.start_bp == end
        assert part.width_bp >= 0
        end += part.width_bp
    assert end == 10_000


def test_the_bar_is_ready_for_an_svg() -> None:
    spent, held, reserved, remaining = usd_balance(124, 44, 114).bar()
    assert (spent.x, spent.width) == ("0.00%", "41.33%")
    assert (held.x, held.width) == ("41.33%", "6.00%")
    assert (reserved.width, remaining.width) == ("14.67%", "38.00%")


def test_burn_is_what_was_spent_over_the_last_readings() -> None:
    readings = [
        SpendReading(NOW - timedelta(seconds=600), 0),
        SpendReading(NOW - timedelta(seconds=60), USD),
        SpendReading(NOW - timedelta(seconds=30), USD + USD // 4),
        SpendReading(NOW, USD + USD // 2),
    ]
    assert burn_nusd_per_min(readings, now=NOW) == USD // 2


@pytest.mark.parametrize("count", [0, 1])
def test_burn_is_unknown_with_fewer_than_two_readings(count: int) -> None:
    assert burn_nusd_per_min([SpendReading(NOW, 5)] * count, now=NOW) is None


def test_two_readings_of_one_moment_say_nothing_about_burn() -> None:
    assert burn_nusd_per_min([SpendReading(NOW, 5), SpendReading(NOW, 9)], now=NOW) is None


def test_when_the_money_is_out_follows_from_the_burn() -> None:
    assert out_in_s(1_140_000_000, burn_nusd_per_min=270_000_000) == 253
    assert out_in_s(1, burn_nusd_per_min=0) is None
    assert out_in_s(1, burn_nusd_per_min=None) is None


def test_a_rate_above_what_machines_cost_tells_of_calls() -> None:
    hour = 60 * 3_000_000
    assert not tells_of_calls(3_000_000, machines_nusd_per_hour=hour)
    assert not tells_of_calls(0, machines_nusd_per_hour=0)
    assert tells_of_calls(9_000_000, machines_nusd_per_hour=hour)
