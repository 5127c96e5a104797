"""How much one round of calls holds."""

import pytest

from fleets.domain.driving import round_limit


@pytest.mark.parametrize(
    ("rate_per_minute", "calls"), [(20, 8), (60, 8), (300, 15), (1_000, 50), (6_000_000, 500)]
)
def test_a_round_holds_seconds_of_the_rate_and_never_more_than_memory_likes(
    rate_per_minute: int, calls: int
) -> None:
    assert round_limit(rate_per_minute) == calls
