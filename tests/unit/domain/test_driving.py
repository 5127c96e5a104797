"""When the driver sends again, gives up waiting, and calls a turn late."""

from datetime import UTC, datetime, timedelta

import pytest

from fleets.domain.driving import (
    TIMEOUT_GRACE_S,
    UNANSWERED_S,
    is_overdue,
    may_still_arrive,
    redispatch_after_s,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("begun_at", "is_late"),
    [
        (None, False),
        (ago(600), False),
        (ago(600 + TIMEOUT_GRACE_S), False),
        (ago(601 + TIMEOUT_GRACE_S), True),
    ],
)
def test_a_turn_is_late_once_its_time_and_the_grace_are_over(
    begun_at: datetime | None, is_late: bool
) -> None:
    assert is_overdue(begun_at=begun_at, timeout_s=600, now=NOW) is is_late


@pytest.mark.parametrize(
    ("requested_at", "may"),
    [(None, False), (ago(1), True), (ago(UNANSWERED_S), False)],
)
def test_an_unanswered_request_may_arrive_for_a_while(
    requested_at: datetime | None, may: bool
) -> None:
    assert may_still_arrive(requested_at=requested_at, now=NOW) is may


def test_the_same_turn_is_sent_again_more_and_more_rarely() -> None:
    waits = [redispatch_after_s(number) for number in range(1, 8)]
    assert waits == [1, 2, 4, 8, 16, 30, 30]
