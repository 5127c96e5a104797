"""How often a run looks at the platform."""

import pytest

from fleets.domain.driving import READ_SHARE, fleet_read_s, read_interval_s


@pytest.mark.parametrize(
    ("rate_per_minute", "seconds"), [(0, 0.5), (60, 5.0), (300, 1.0), (1_000, 0.5), (10**6, 0.5)]
)
def test_a_fleet_whose_machines_are_made_is_read_with_a_fifth_of_the_rate(
    rate_per_minute: int, seconds: float
) -> None:
    assert fleet_read_s(rate_per_minute, ordered_s_ago=20) == pytest.approx(seconds)


@pytest.mark.parametrize(("ordered_s_ago", "seconds"), [(0, 0.1), (0.2, 0.2), (0.7, 0.5)])
def test_the_first_looks_at_machines_that_are_made_come_sooner(
    ordered_s_ago: float, seconds: float
) -> None:
    assert fleet_read_s(6_000, ordered_s_ago=ordered_s_ago) == pytest.approx(seconds)


def test_the_first_looks_keep_to_the_rate_all_the_same() -> None:
    assert fleet_read_s(60, ordered_s_ago=0) == pytest.approx(5.0)


def test_a_round_that_was_full_is_followed_at_once_where_the_rate_allows() -> None:
    assert read_interval_s(
        youngest_turn_s=40, machines=4, rate_per_minute=0, is_cut_short=True
    ) == pytest.approx(0)


def test_a_round_that_was_full_keeps_to_the_rate_all_the_same() -> None:
    full = read_interval_s(youngest_turn_s=0, machines=8, rate_per_minute=60, is_cut_short=True)
    assert full == pytest.approx(8 / (60 / 60 * READ_SHARE))
