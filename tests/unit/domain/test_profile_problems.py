"""What a profile may not hold although its schema lets it pass, named by its place."""

import pytest

from fleets.domain.profile_problems import check_body


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (float("1e400"), "a number too large to travel"),
        (10**390, "a number too large to travel"),
        ("\ud800", "half a character"),
    ],
)
def test_what_no_digest_can_be_made_of_is_a_problem_at_its_place(value: object, words: str) -> None:
    (problem,) = check_body({"name": "x", "metadata": {"a": [value]}}).problems
    assert problem.path == ("metadata", "a", 0)
    assert words in problem.message


def test_large_numbers_that_json_carries_are_kept() -> None:
    assert not check_body({"name": "x", "metadata": {"a": 10**300, "b": 1.5, "c": True}}).problems
