"""Nothing bills after its work unless somebody chose that."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.afterwards import (
    afterwards_label,
    cleanup_due,
    cleanup_due_at,
    countdown,
)
from fleets.domain.status import Afterwards

ENDED = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def test_machines_go_half_an_hour_after_the_last_task() -> None:
    due_at = cleanup_due_at(after=Afterwards.DELETE, work_ended_at=ENDED, after_delay_s=1_800)
    assert due_at == ENDED + timedelta(minutes=30)


@pytest.mark.parametrize(("minutes", "due"), [(29, False), (30, True), (300, True)])
def test_clean_up_is_due_from_its_moment_on(minutes: int, due: bool) -> None:
    now = ENDED + timedelta(minutes=minutes)
    assert (
        cleanup_due(after=Afterwards.STOP, work_ended_at=ENDED, after_delay_s=1_800, now=now) is due
    )


@pytest.mark.parametrize(("after", "ended"), [(Afterwards.KEEP, ENDED), (Afterwards.DELETE, None)])
def test_nothing_goes_while_work_is_open_or_when_machines_are_kept(
    after: Afterwards, ended: datetime | None
) -> None:
    now = ENDED + timedelta(days=30)
    assert not cleanup_due(after=after, work_ended_at=ended, after_delay_s=0, now=now)
    assert (
        countdown(after=after, work_ended_at=ended, after_delay_s=0, nusd_per_hour=1, now=now)
        is None
    )


def test_the_countdown_has_time_and_money() -> None:
    shown = countdown(
        after=Afterwards.DELETE,
        work_ended_at=ENDED,
        after_delay_s=1_800,
        nusd_per_hour=100,
        now=ENDED + timedelta(minutes=10, milliseconds=300),
    )
    assert shown is not None
    assert (shown.left_s, shown.nusd_per_hour) == (1_200, 100)


@given(st.integers(0, 86_400), st.integers(-1_000, 100_000))
def test_a_countdown_at_zero_and_a_clean_up_that_is_due_are_the_same_moment(
    delay_s: int, after_s: int
) -> None:
    now = ENDED + timedelta(seconds=after_s)
    shown = countdown(
        after=Afterwards.DELETE,
        work_ended_at=ENDED,
        after_delay_s=delay_s,
        nusd_per_hour=1,
        now=now,
    )
    assert shown is not None
    due = cleanup_due(after=Afterwards.DELETE, work_ended_at=ENDED, after_delay_s=delay_s, now=now)
    assert (shown.left_s == 0) == due


@pytest.mark.parametrize(
    ("after", "delay_s", "label"),
    [
        (Afterwards.DELETE, 1_800, "delete after 30 min"),
        (Afterwards.STOP, 0, "stop at once"),
        (Afterwards.KEEP, 1_800, "keep"),
    ],
)
def test_the_choice_is_told_in_words(after: Afterwards, delay_s: int, label: str) -> None:
    assert afterwards_label(after, after_delay_s=delay_s) == label
