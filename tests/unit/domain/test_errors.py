"""What the refusals of our own rules carry."""

import pytest

from fleets.domain.errors import (
    Advice,
    Conflict,
    DomainError,
    InvalidInput,
    NotAllowed,
    NotFoundHere,
    OverLimit,
    Problem,
    Repair,
)


def test_invalid_input_names_every_place() -> None:
    error = InvalidInput([Problem("count", "Too many."), Problem("name", "Missing.")])
    assert str(error) == "count: Too many.; name: Missing."


def test_problems_are_grouped_by_their_place_in_reading_order() -> None:
    first, second, third = Problem("b", "1"), Problem("a", "2"), Problem("b", "3")
    grouped = InvalidInput([first, second, third]).by_place
    assert list(grouped.items()) == [("b", (first, third)), ("a", (second,))]


def test_invalid_input_without_a_problem_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="at least one problem"):
        InvalidInput([])


def test_every_refusal_is_a_domain_error_with_a_message() -> None:
    errors = [
        InvalidInput.at("x", "Wrong.", repair=Repair("Use 1", "x", "1")),
        NotAllowed("Only an admin may.", who_can="an admin"),
        Conflict("It has ended.", state="finished"),
        NotFoundHere("fleet", "fleet-1"),
        OverLimit("Too much.", limit="$3.00", asked="$4.00"),
    ]
    assert all(isinstance(error, DomainError) and error.message for error in errors)


@pytest.mark.parametrize(
    ("advice", "line"),
    [
        (Advice("agents", "Line 12, agents[3].task (a): must be text."), 12),
        (Advice("agents", "Line 12: no.", line=4), 4),
        (Advice("agents", "must be a list."), 0),
        (Advice("agents", "In line 12 something is wrong."), 0),
    ],
)
def test_advice_knows_the_line_that_it_is_about(advice: Advice, line: int) -> None:
    assert advice.at_line == line
