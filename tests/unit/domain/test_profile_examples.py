"""Examples of a profile: read from a form, named by what they say, moved one place."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleets.domain.errors import InvalidInput
from fleets.domain.profile_examples import (
    Direction,
    Example,
    example_of,
    moved,
    number_words,
    read_example,
)

JUDGED = {"prompt": " Say it.\r\nTwice. ", "answer_check": "matches", "answer_pattern": "ok"}


def test_an_example_is_its_prompt_and_what_a_good_answer_is() -> None:
    example = read_example(JUDGED)
    assert example.prompt == "Say it.\nTwice."
    assert example.acceptance == {"check": {"kind": "matches", "pattern": "ok"}}
    assert example.check_words == "matches ok"
    assert example_of(prompt=example.prompt, acceptance=example.acceptance) == example


def test_all_that_is_wrong_is_told_at_once_and_no_secret_is_repeated() -> None:
    with pytest.raises(InvalidInput) as refused:
        read_example({"prompt": " ", "answer_check": "matches", "answer_pattern": "("})
    assert list(refused.value.by_place) == ["prompt", "answer_pattern"]
    secret = "sk-ant-" + "api03-" + "q7" * 24
    with pytest.raises(InvalidInput) as hidden:
        read_example({"prompt": f"Use {secret}"})
    assert hidden.value.by_place.keys() == {"prompt"}
    assert secret not in str(hidden.value)
    with pytest.raises(InvalidInput, match="64 KiB"):
        read_example({"prompt": "x" * 65_537})


def test_two_that_say_the_same_have_the_same_mark() -> None:
    assert read_example(JUDGED).mark == read_example({**JUDGED, "seen": "other"}).mark
    assert read_example(JUDGED).mark != Example("Say it.\nTwice.").mark


def test_a_check_that_cannot_be_read_any_more_asks_nothing() -> None:
    assert example_of(prompt="x", acceptance={"check": {"kind": "guess"}}) == Example("x")


@settings(max_examples=40)
@given(st.permutations(range(4)), st.sampled_from(Direction), st.integers(0, 3))
def test_moving_swaps_with_the_neighbour_or_changes_nothing(
    order: list[int], direction: Direction, which: int
) -> None:
    after = moved(order, which, direction)
    assert sorted(after) == sorted(order)
    step = order.index(which) - after.index(which)
    at_end = order[0 if direction is Direction.UP else -1] == which
    assert step == (0 if at_end else 1 if direction is Direction.UP else -1)


def test_few_examples_are_said_to_be_few() -> None:
    assert (number_words(0), number_words(3)) == ("", "")
    assert number_words(1).startswith("One example says little")
    assert "3 to 10" in number_words(2)
