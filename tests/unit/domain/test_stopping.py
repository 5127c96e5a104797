"""Why a fleet stopped early, in one sentence."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.money import usd_to_nusd
from fleets.domain.stopping import stop_sentence


def nusd(usd: str) -> int:
    return usd_to_nusd(Decimal(usd))


@pytest.mark.parametrize(
    ("spent", "reserved", "worst", "calls", "refused", "sentence"),
    [
        (
            "0.014",
            "0",
            "0.059",
            4,
            True,
            "Stopped at $0.014 of $0.25: the other $0.236 holds only four calls of up to $0.059"
            " at once, so the next call was refused.",
        ),
        (
            "0.2",
            "0",
            "0.059",
            0,
            False,
            "Stopped at $0.20 of $0.25: the $0.05 left is less than one call may cost ($0.059),"
            " so no further task was begun.",
        ),
        ("0.25", "0", "0.059", 0, True, "Stopped at $0.25 of $0.25: the budget is spent."),
        (
            "0.01",
            "0.12",
            "0.059",
            2,
            True,
            "Stopped at $0.01 of $0.25 ($0.12 is reserved for children): the other $0.12 holds only"
            " two calls of up to $0.059 at once, so the next call was refused.",
        ),
        (
            "0.05",
            "0.2",
            "0.059",
            0,
            True,
            "Stopped at $0.05 of $0.25: $0.20 is reserved for children, so the next call was"
            " refused.",
        ),
    ],
)
def test_the_sentence_has_the_figures(
    spent: str, reserved: str, worst: str, calls: int, refused: bool, sentence: str
) -> None:
    assert (
        stop_sentence(
            budget_nusd=nusd("0.25"),
            spent_nusd=nusd(spent),
            reserved_nusd=nusd(reserved),
            worst_call_nusd=nusd(worst),
            calls_in_flight=calls,
            was_refused=refused,
        )
        == sentence
    )


def test_a_refusal_that_our_figures_do_not_explain_is_not_explained_by_them() -> None:
    sentence = stop_sentence(
        budget_nusd=nusd("3"), spent_nusd=0, worst_call_nusd=nusd("0.06"), calls_in_flight=2
    )
    assert "held too much of the other $3.00" in sentence


def test_without_a_price_the_sentence_names_no_call() -> None:
    assert stop_sentence(budget_nusd=nusd("0.25"), spent_nusd=nusd("0.014")) == (
        "Stopped at $0.014 of $0.25: the other $0.236 did not hold one more call at its largest,"
        " so the next call was refused."
    )


@given(
    st.integers(1, 10**15),
    st.integers(0, 10**15),
    st.integers(0, 10**15),
    st.none() | st.integers(0, 10**12),
    st.none() | st.integers(0, 10_000),
)
def test_it_is_always_one_sentence_that_fits_its_column(
    budget: int, spent: int, reserved: int, worst: int | None, calls: int | None
) -> None:
    sentence = stop_sentence(
        budget_nusd=budget,
        spent_nusd=spent,
        reserved_nusd=reserved,
        worst_call_nusd=worst,
        calls_in_flight=calls,
    )
    assert len(sentence) <= 300
    assert sentence.endswith(".")
    assert ". " not in sentence
