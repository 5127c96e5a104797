"""How money is kept and shown: the table of the house rules, then its rules as properties."""

from decimal import ROUND_HALF_EVEN, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain import money

AMOUNTS = st.integers(min_value=0, max_value=10**18)
SIGNED = st.integers(min_value=-(10**18), max_value=10**18)
UNIT_8 = 10


def nusd(usd: str) -> int:
    return money.usd_to_nusd(Decimal(usd))


def shown_value(text: str) -> Decimal:
    return Decimal(text.replace("$", "").replace(",", "").replace("−", "-"))


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        ("0", "$0"),
        ("0.0000031", "$0.0000031"),
        ("0.00041239", "$0.00041"),
        ("0.000000004", "< $0.00000001"),
        ("0.000000001", "< $0.00000001"),
        ("0.000000005", "$0.00000001"),
        ("0.014", "$0.014"),
        ("0.5", "$0.50"),
        ("0.21374", "$0.2137"),
        ("0.25", "$0.25"),
        ("0.00996", "$0.01"),
        ("0.99996", "$1.00"),
        ("3", "$3.00"),
        ("12345.678", "$12,345.68"),
        ("-0.5", "−$0.50"),
    ],
)
def test_money_is_shown_as_the_table_says(usd: str, shown: str) -> None:
    assert money.show(nusd(usd)) == shown


def test_unknown_money_is_a_dash_in_every_form() -> None:
    forms = (
        money.show,
        money.show_used,
        money.show_remaining,
        money.show_estimate,
        money.show_ceiling,
        money.show_limit,
        money.show_exact,
        money.show_per_hour,
        money.show_per_minute,
    )
    assert {form(None) for form in forms} == {"—"}
    assert money.show_column([None]) == ["—"]


def test_estimates_ceilings_limits_and_rates_are_marked() -> None:
    assert money.show_estimate(nusd("0.21")) == "~ $0.21"
    assert money.show_ceiling(nusd("2.4")) == "≤ $2.40"
    assert money.show_ceiling(nusd("2.401")) == "≤ $2.41"
    assert money.show_limit(nusd("0.2537")) == "$0.2537"
    assert money.show_limit(nusd("3")) == "$3.00"
    assert money.show_per_hour(nusd("1.5")) == "$1.50/h"
    assert money.show_per_minute(nusd("0.27")) == "$0.27/min"


def test_the_exact_form_keeps_every_digit_and_pastes() -> None:
    assert money.show_exact(nusd("0.014123456")) == "$0.014123456"
    assert money.show_exact(nusd("12345.6")) == "$12345.60"
    assert money.show_exact(0) == "$0"
    assert money.usd_string(nusd("0.014123456")) == "0.014123456"
    assert money.usd_string(0) == "0.00"


def test_a_column_uses_the_precision_of_its_smallest_cell() -> None:
    values = [nusd("0.014"), nusd("0.0021"), None, 0]
    assert money.show_column(values) == ["$0.0140", "$0.0021", "—", "$0"]
    assert money.show_column([nusd("3"), nusd("0.5")]) == ["$3.00", "$0.50"]


def test_a_column_has_at_most_six_decimals_and_never_turns_money_into_zero() -> None:
    assert money.show_column([nusd("0.0000001"), nusd("1")]) == ["< $0.000001", "$1.000000"]


@given(SIGNED)
def test_dollars_and_nanodollars_convert_exactly_both_ways(amount: int) -> None:
    assert money.usd_to_nusd(money.nusd_to_usd(amount)) == amount
    assert money.usd_to_nusd(Decimal(money.usd_string(amount))) == amount


@pytest.mark.parametrize("usd", ["0.0000000001", "NaN", "Infinity"])
def test_what_nanodollars_cannot_hold_is_refused(usd: str) -> None:
    with pytest.raises(ValueError, match=r"decimals|not an amount"):
        money.usd_to_nusd(Decimal(usd))


def test_the_wire_may_give_more_decimals_when_the_rounding_is_said() -> None:
    assert money.usd_to_nusd(Decimal("0.0000000015"), rounding=ROUND_HALF_EVEN) == 2


@given(AMOUNTS.filter(bool))
def test_money_that_is_there_is_never_shown_as_zero(amount: int) -> None:
    for form in (money.show, money.show_used, money.show_remaining):
        assert any(digit in form(amount) for digit in "123456789")
        assert "e" not in form(amount).lower()


@given(AMOUNTS)
def test_used_parts_never_show_less_and_remainders_never_show_more(amount: int) -> None:
    true = money.nusd_to_usd(amount)
    assert shown_value(money.show_used(amount)) >= true
    remaining = money.show_remaining(amount)
    if not remaining.startswith("<"):
        assert shown_value(remaining) <= true


@given(AMOUNTS.filter(bool))
def test_what_is_shown_is_within_one_part_in_ten_of_the_truth(amount: int) -> None:
    text = money.show(amount)
    if text.startswith("<"):
        assert amount < UNIT_8
    else:
        true = money.nusd_to_usd(amount)
        assert abs(shown_value(text) - true) <= max(true / 10, Decimal("0.000000005"))


@given(st.integers(min_value=money.NUSD_PER_USD // 100, max_value=money.NUSD_PER_USD - 1))
def test_cents_have_two_to_four_decimals_and_no_trailing_zero_past_two(amount: int) -> None:
    decimals = money.show(amount).split(".")[1]
    assert 2 <= len(decimals) <= 4
    assert len(decimals) == 2 or not decimals.endswith("0")


@given(st.integers(min_value=money.NUSD_PER_USD, max_value=10**18))
def test_dollars_have_two_decimals_and_groups(amount: int) -> None:
    whole, decimals = money.show(amount).removeprefix("$").split(".")
    assert len(decimals) == 2
    assert f"{int(whole.replace(',', '')):,}" == whole


@given(st.lists(st.none() | AMOUNTS, min_size=1))
def test_every_cell_of_a_column_has_the_same_decimals(values: list[int | None]) -> None:
    cells = [cell for cell in money.show_column(values) if cell not in ("—", "$0")]
    assert len({len(cell.split(".")[1]) for cell in cells}) <= 1
    assert 2 <= money.column_precision(values) <= 6


@given(st.lists(SIGNED, max_size=8))
def test_the_order_of_amounts_survives_rounding(values: list[int]) -> None:
    shown = [money.show(value) for value in sorted(values)]
    exact = [shown_value(text.removeprefix("< ")) for text in shown if text != "$0"]
    assert exact == sorted(exact)


def test_a_round_cell_does_not_cost_its_column_the_digits_of_the_others() -> None:
    column = [20_000_000, 23_100_000, None, 0]
    assert money.show_column(column) == ["$0.0200", "$0.0231", "—", "$0"]
    assert money.show_used_column([20_000_000, 23_140_000]) == ["$0.0200", "$0.0232"]
