"""Numbers of addresses and forms are digits, and nothing else is taken for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.number_input import parse_revision, parse_whole


@given(st.integers(0, 10**9 - 1))
def test_a_number_reads_back(number: int) -> None:
    assert parse_whole(str(number)) == number
    assert parse_revision(f"r{number}") == parse_revision(str(number)) == number


@pytest.mark.parametrize("text", ["", "-1", "+1", " 1", "1_0", "1.0", "١", "²", "r1", "1" * 10])
def test_anything_else_is_no_number(text: str) -> None:
    assert parse_whole(text) is None


def test_how_many_digits_there_may_be_is_the_callers_to_say() -> None:
    assert parse_whole("1" * 18, most_digits=18) == int("1" * 18)
    assert parse_whole("1" * 19, most_digits=18) is None
