"""Times carry the instant in UTC and read well before any script has run."""

import zoneinfo
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
import time_machine
from django.template import Context, Template
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from fleets.templatetags.times import counting_duration, full_duration, short_duration

NOON = datetime(2026, 11, 29, 12, 0, 2, 204_000, tzinfo=UTC)


def rendered(source: str, **context: object) -> str:
    return Template(source).render(Context(context))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.85, "850 ms"),
        (12.4, "12.4 s"),
        (59.94, "59.9 s"),
        (59.96, "1 m 00 s"),
        (187, "3 m 07 s"),
        (8_040, "2 h 14 m"),
        (93_600, "1 d 02 h"),
    ],
)
def test_a_duration_has_two_units(seconds: float, text: str) -> None:
    assert full_duration(seconds) == text


@pytest.mark.parametrize(("seconds", "text"), [(31.9, "31 s"), (271, "4 m 31 s"), (-4, "0 s")])
def test_a_counting_duration_counts_whole_seconds(seconds: float, text: str) -> None:
    assert counting_duration(seconds) == text


@given(st.floats(min_value=0, max_value=10**8))
def test_a_duration_never_shows_sixty_of_a_unit(seconds: float) -> None:
    words = full_duration(seconds).split(" ")
    assert {("60", "s"), ("60", "m")}.isdisjoint(pairwise(words))


@given(st.integers(min_value=0, max_value=10**8))
def test_the_short_form_is_one_number_and_one_unit(seconds: int) -> None:
    number, unit = short_duration(seconds).split(" ")
    assert int(number) >= 0
    assert unit in {"s", "min", "h", "d"}


def test_ago_is_relative_under_a_day_and_absolute_after() -> None:
    with time_machine.travel(NOON + timedelta(minutes=4, seconds=40), tick=False):
        assert ">4 min ago</time>" in rendered("{% ago at %}", at=NOON)
        assert ">4 min</time>" in rendered("{% age at %}", at=NOON)
    with time_machine.travel(NOON + timedelta(days=2), tick=False):
        assert ">29 Nov 12:00</time>" in rendered("{% ago at %}", at=NOON)


def test_the_element_carries_the_instant_in_utc_and_the_whole_moment_on_hover() -> None:
    with time_machine.travel(NOON, tick=False):
        html = rendered("{% ago at %}", at=NOON)
    assert 'datetime="2026-11-29T12:00:02.204Z"' in html
    assert 'title="29 Nov 2026 12:00:02 UTC"' in html


def test_the_text_is_in_the_zone_of_the_viewer() -> None:
    with timezone.override(zoneinfo.ZoneInfo("Europe/Berlin")):
        html = rendered("{% clock_ms at %}", at=NOON)
    assert ">13:00:02.204</time>" in html
    assert 'datetime="2026-11-29T12:00:02.204Z"' in html


def test_a_running_duration_ticks_and_an_ended_one_stands_still() -> None:
    with time_machine.travel(NOON + timedelta(seconds=271), tick=False):
        assert 'data-t="since"' in rendered("{% since at %}", at=NOON)
        assert ">4 m 31 s</time>" in rendered("{% since at %}", at=NOON)
        ended = rendered("{% since at ended %}", at=NOON, ended=NOON + timedelta(seconds=12.4))
    assert ended == "<span>12.4 s</span>"


def test_a_countdown_stops_at_zero() -> None:
    with time_machine.travel(NOON, tick=False):
        assert ">4 m 13 s</time>" in rendered("{% until at %}", at=NOON + timedelta(seconds=253))
        assert ">0 s</time>" in rendered("{% until at %}", at=NOON - timedelta(seconds=5))


@pytest.mark.parametrize("tag", ["ago", "age", "since", "until", "clock", "clock_ms", "moment"])
def test_an_unknown_time_is_a_dash(tag: str) -> None:
    assert rendered("{% " + tag + " at %}", at=None) == "—"
