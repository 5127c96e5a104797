"""Amounts as people type them."""

import contextlib
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.errors import InvalidInput
from fleets.domain.money import show_exact, show_limit, usd_to_nusd
from fleets.domain.money_input import MAX_INPUT_NUSD, parse_usd


@pytest.mark.parametrize(
    ("text", "usd"),
    [
        ("3", "3"),
        ("$3", "3"),
        (" $ 3.00 ", "3"),
        ("3.", "3"),
        (".25", "0.25"),
        ("0.25", "0.25"),
        ("1,000", "1000"),
        ("1,234,567.5"[2:], "234567.5"),
        ("3 USD", "3"),
        ("US$3", "3"),
        ("0.000000001", "0.000000001"),
    ],
)
def test_what_people_type_is_read(text: str, usd: str) -> None:
    assert parse_usd(text, place="budget") == usd_to_nusd(Decimal(usd))


@pytest.mark.parametrize(
    ("text", "says", "repair"),
    [
        ("", "missing", None),
        ("-3", "negative", None),
        ("three", "“three” is not an amount", None),
        ("1e3", "not an amount", None),
        ("nan", "not an amount", None),
        ("٣", "not an amount", None),
        ("€3", "US dollars", None),
        ("3 EUR", "US dollars", None),
        ("1,00", "comma", "1.00"),
        ("1.000,50", "comma", "1000.50"),
        ("2000000", "At most $1,000,000.00", None),
        ("1.0000000001", "nine decimals of a dollar can be kept. 1 would be right", "1"),
        ("0.0000000001", "less than a billionth of a dollar", None),
        ("0.1234567891", "0.123456789 would be right", "0.123456789"),
        ("1" * 50, "too long", None),
    ],
)
def test_what_cannot_be_read_is_named_with_what_would_be_right(
    text: str, says: str, repair: str | None
) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_usd(text, place="budget")
    (problem,) = caught.value.problems
    assert problem.place == "budget"
    assert says in problem.message
    assert (problem.repair.value if problem.repair else None) == repair


@given(st.integers(min_value=0, max_value=MAX_INPUT_NUSD))
def test_what_we_show_can_be_typed_back(amount: int) -> None:
    assert parse_usd(show_exact(amount), place="budget") == amount
    assert parse_usd(show_limit(amount), place="budget") == amount


@given(st.text(max_size=60))
def test_any_text_is_an_amount_or_a_problem(text: str) -> None:
    with contextlib.suppress(InvalidInput):
        assert 0 <= parse_usd(text, place="budget") <= MAX_INPUT_NUSD
