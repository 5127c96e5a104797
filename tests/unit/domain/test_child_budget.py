"""What a parent's budget still admits."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleets.domain.child_budget import Above, check_child, returned_words, sum_words
from fleets.domain.errors import InvalidInput

CENT = 10_000_000


def test_a_third_child_is_refused_in_numbers_with_what_would_fit() -> None:
    above = Above("research", 30 * CENT, 0, 24 * CENT, 6 * CENT)
    with pytest.raises(InvalidInput) as refused:
        check_child(above, asked_nusd=12 * CENT)

    (problem,) = refused.value.problems
    assert problem.place == "budget"
    assert problem.message == "research: $0.30 − $0.24 reserved = $0.06 left; asked $0.12."
    assert problem.repair is not None
    assert problem.repair.value == "0.06"


def test_every_part_that_is_taken_is_named() -> None:
    above = Above("research", 30 * CENT, 4 * CENT, 12 * CENT, 8 * CENT)

    assert sum_words(above) == (
        "$0.30 − $0.04 spent − $0.12 reserved − $0.06 held in calls = $0.08 left"
    )
    assert sum_words(Above("research", 30 * CENT, 0, 0, 30 * CENT)) == "$0.30 left"


def test_a_child_without_a_budget_is_refused_below_one_that_has_it() -> None:
    with pytest.raises(InvalidInput, match=r"research has a budget, so its child needs one, at"):
        check_child(Above("research", 30 * CENT, 0, 0, 30 * CENT), asked_nusd=None)

    check_child(Above("research", None), asked_nusd=None)


def test_what_is_not_known_of_the_parent_refuses_nothing() -> None:
    check_child(Above("research", 30 * CENT), asked_nusd=99 * CENT)


def test_a_delete_says_what_came_back() -> None:
    words = returned_words(budget_nusd=12 * CENT, spent_nusd=4 * CENT, parent="research")

    assert words == "$0.08 of $0.12 returned to research; $0.04 was spent."


@given(st.integers(1, 10**12), st.integers(0, 10**12), st.integers(0, 10**12))
@settings(max_examples=50)
def test_the_parts_never_take_more_than_there_is(cap: int, spent: int, left: int) -> None:
    above = Above("p", cap, spent, 0, left)

    assert above.held_nusd == max(0, cap - spent - left)
