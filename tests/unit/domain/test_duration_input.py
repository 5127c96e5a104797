"""Durations as people type them."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.duration_input import parse_duration_s
from fleets.domain.errors import InvalidInput
from fleets.domain.numbers import show_duration_s


def read(text: str) -> int:
    return parse_duration_s(text, place="lifetime", least_s=10, most_s=86_400)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("60", 3_600),
        ("60 min", 3_600),
        ("7 h 30 m", 27_000),
        ("7h30m", 27_000),
        ("90 s", 90),
        ("1 Hour", 3_600),
        ("1 d", 86_400),
    ],
)
def test_durations_are_read(text: str, seconds: int) -> None:
    assert read(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "soon", "-5", "1.5 h", "5 5 min", "30 m 7 h", "7 h 30", "5 parsecs", "9" * 50]
)
def test_what_is_no_duration_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidInput, match="45 min, 90 s or 7 h 30 m"):
        read(text)


@pytest.mark.parametrize(("text", "repair"), [("5 s", "10 s"), ("2 d", "24 h")])
def test_bounds_are_told_and_offered(text: str, repair: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read(text)
    (problem,) = caught.value.problems
    assert problem.repair is not None
    assert problem.repair.value == repair
    assert read(repair)


@given(st.integers(10, 86_400))
def test_what_we_show_can_be_typed_back(seconds: int) -> None:
    if seconds < 3_600 or seconds % 60 == 0:
        assert read(show_duration_s(seconds)) == seconds


@given(st.text(max_size=50))
def test_any_text_is_a_duration_or_a_problem(text: str) -> None:
    with contextlib.suppress(InvalidInput):
        assert 10 <= read(text) <= 86_400
