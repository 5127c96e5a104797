"""What a budget can hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.budget import (
    Plan,
    Purse,
    at_once_limit,
    compute_reserve_nusd,
    fit_at_end,
    fit_at_start,
    needed_budget,
    worst_call_nusd,
)
from fleets.domain.prices import MODEL_PRICES

MINI = MODEL_PRICES["gpt-4.1-mini"]
USD = 1_000_000_000
MONEY = st.integers(0, 10 * USD)
PURSES = st.builds(
    Purse,
    budget_nusd=MONEY,
    spent_nusd=MONEY,
    reserved_nusd=MONEY,
    worst_call_nusd=st.integers(1, USD),
    task_rest_nusd=MONEY,
    compute_reserve_nusd=MONEY,
)
PLANS = st.builds(
    Plan,
    tasks=st.integers(1, 500),
    task_nusd=st.integers(0, USD),
    worst_call_nusd=st.integers(1, USD),
    compute_nusd=MONEY,
)


def test_a_call_with_sixteen_thousand_tokens_of_input_holds_about_six_cents() -> None:
    assert worst_call_nusd(MINI, input_tokens=16_000) == 58_828_800


def test_a_cap_on_answers_lowers_what_a_call_holds_but_never_raises_it() -> None:
    assert worst_call_nusd(MINI, answer_cap_tokens=8_000) == 20_800_000
    assert worst_call_nusd(MINI, answer_cap_tokens=10**6) == worst_call_nusd(MINI)


def test_what_a_model_without_a_price_holds_is_unknown() -> None:
    assert worst_call_nusd(None) is None


def test_a_number_that_was_asked_for_is_honoured() -> None:
    broke = Purse(budget_nusd=1, spent_nusd=1, worst_call_nusd=1)
    assert at_once_limit(broke, asked=4, open_tasks=12) == 4
    assert at_once_limit(broke, asked=4, open_tasks=2) == 2


def test_without_a_budget_all_tasks_go_at_once() -> None:
    assert at_once_limit(Purse(budget_nusd=None), asked=None, open_tasks=50) == 50


def test_without_a_price_a_budget_lets_tasks_go_one_by_one_until_it_is_spent() -> None:
    assert at_once_limit(Purse(budget_nusd=10), asked=None, open_tasks=50) == 1
    assert at_once_limit(Purse(budget_nusd=10, spent_nusd=10), asked=None, open_tasks=50) == 0


def test_one_more_begins_while_one_worst_case_fits_and_none_after_that() -> None:
    tight = Purse(budget_nusd=100, spent_nusd=40, worst_call_nusd=60, task_rest_nusd=50)
    assert at_once_limit(tight, asked=None, open_tasks=5) == 1
    spent = Purse(budget_nusd=100, spent_nusd=41, worst_call_nusd=60, task_rest_nusd=50)
    assert at_once_limit(spent, asked=None, open_tasks=5) == 0


@given(PURSES, st.integers(0, 500))
def test_auto_begins_no_more_than_the_purse_holds(purse: Purse, open_tasks: int) -> None:
    limit = at_once_limit(purse, asked=None, open_tasks=open_tasks)
    free, worst = purse.free_nusd, purse.worst_call_nusd
    assert free is not None
    assert worst is not None
    assert 0 <= limit <= open_tasks
    assert limit == 0 or limit * worst <= free
    if limit > 1:
        each = worst + purse.task_rest_nusd
        assert limit * each + purse.compute_reserve_nusd <= free
    if open_tasks > 0:
        assert (limit == 0) == (free < worst)


@given(PURSES, st.integers(0, 500), MONEY)
def test_spending_never_lets_more_begin(purse: Purse, open_tasks: int, more: int) -> None:
    later = Purse(
        budget_nusd=purse.budget_nusd,
        spent_nusd=purse.spent_nusd + more,
        reserved_nusd=purse.reserved_nusd,
        worst_call_nusd=purse.worst_call_nusd,
        task_rest_nusd=purse.task_rest_nusd,
        compute_reserve_nusd=purse.compute_reserve_nusd,
    )
    assert at_once_limit(later, asked=None, open_tasks=open_tasks) <= at_once_limit(
        purse, asked=None, open_tasks=open_tasks
    )


@given(PLANS, st.integers(1, 500))
def test_the_needed_budget_holds_what_was_asked_until_the_end(plan: Plan, at_once: int) -> None:
    budget = needed_budget(plan, at_once=at_once)
    in_flight = min(at_once, plan.tasks)
    assert fit_at_end(plan, budget_nusd=budget) >= in_flight
    assert fit_at_end(plan, budget_nusd=budget - 1) < in_flight
    assert fit_at_start(plan, budget_nusd=budget) >= fit_at_end(plan, budget_nusd=budget)


@pytest.mark.parametrize(("left_s", "seconds"), [(3_600, 300), (60, 60), (-5, 0)])
def test_compute_is_kept_free_for_a_while_but_not_past_the_lifetime(
    left_s: int, seconds: int
) -> None:
    assert compute_reserve_nusd(24_000, lifetime_left_s=left_s) == 24_000 * seconds
