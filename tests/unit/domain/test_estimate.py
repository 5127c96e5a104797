"""Low, expected and worst cost of a launch."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.estimate import Range, forecast, task_cost, work_duration
from fleets.domain.prices import MODEL_PRICES, ModelPrice
from fleets.domain.status import Afterwards

PRICES = st.sampled_from(list(MODEL_PRICES.values()))


def test_ranges_add_and_multiply_part_by_part() -> None:
    assert Range(1, 2, 3) + Range(10, 20, 30) == Range(11, 22, 33)
    assert Range(1, 2, 3) * 4 == Range(4, 8, 12)


@given(PRICES, st.none() | st.integers(1_000, 40_000))
def test_a_task_costs_low_before_expected_before_worst(
    price: ModelPrice, answer_cap_tokens: int | None
) -> None:
    cost = task_cost(price, answer_cap_tokens=answer_cap_tokens)
    assert cost is not None
    assert 0 < cost.cost.low < cost.cost.expected < cost.likely_most_nusd < cost.cost.worst


def test_without_a_price_only_compute_is_forecast() -> None:
    duration = work_duration(tasks=5, at_once=5, machines=1, task_timeout_s=600, lifetime_s=3_600)
    result = forecast(
        tasks=5,
        task=task_cost(None),
        machines_nusd_per_s=24_000,
        duration=duration,
        lifetime_s=3_600,
        after=Afterwards.DELETE,
        after_delay_s=1_800,
    )
    assert (result.model, result.total) == (None, None)
    assert result.compute.worst == 24_000 * 3_600


@given(
    st.integers(1, 10_000),
    st.integers(1, 10_000),
    st.integers(10, 7_200),
    st.integers(60, 86_400),
    st.sampled_from(list(Afterwards)),
)
def test_a_forecast_is_ordered_and_adds_up(
    tasks: int, at_once: int, task_timeout_s: int, lifetime_s: int, after: Afterwards
) -> None:
    duration = work_duration(
        tasks=tasks,
        at_once=at_once,
        machines=tasks,
        task_timeout_s=task_timeout_s,
        lifetime_s=lifetime_s,
    )
    result = forecast(
        tasks=tasks,
        task=task_cost(MODEL_PRICES["gpt-4.1-mini"]),
        machines_nusd_per_s=24_000,
        duration=duration,
        lifetime_s=lifetime_s,
        after=after,
        after_delay_s=1_800,
    )
    compute = result.compute
    assert compute.low <= compute.expected <= compute.worst == 24_000 * lifetime_s
    assert result.model is not None
    assert result.total == result.model + compute


@pytest.mark.parametrize(("at_once", "expected_s"), [(50, 80), (25, 140), (1, 3_020)])
def test_work_goes_in_waves(at_once: int, expected_s: int) -> None:
    duration = work_duration(
        tasks=50, at_once=at_once, machines=9, task_timeout_s=600, lifetime_s=7_200
    )
    assert duration.expected_s == expected_s


def test_machines_that_are_kept_cost_for_their_whole_lifetime() -> None:
    duration = work_duration(tasks=1, at_once=1, machines=1, task_timeout_s=60, lifetime_s=3_600)
    kept = forecast(
        tasks=1,
        task=None,
        machines_nusd_per_s=1,
        duration=duration,
        lifetime_s=3_600,
        after=Afterwards.KEEP,
        after_delay_s=0,
    )
    assert kept.compute == Range(3_600, 3_600, 3_600)
