"""What a trial came to: sums of each side, and differences in words with a sign."""

from hypothesis import given, settings
from hypothesis import strategies as st

from fleets.domain.trial_figures import (
    Difference,
    Outcome,
    accepted_difference,
    share_difference,
    side_figures,
    verdict_words,
)


def done(verdict: str, *, is_asked: bool = True, cost: int | None = 10, s: float = 2.0) -> Outcome:
    return Outcome(is_asked, "completed", verdict, cost, s, 100, 10)


FAILED = Outcome(True, "failed", "", 5, 8.0)


def test_a_turn_that_did_not_complete_is_not_accepted() -> None:
    figures = side_figures([done("accepted"), done("refused"), FAILED])
    assert figures.accepted_words == "1 of 3"
    assert figures.rest_words == "1 refused, 1 did not complete"
    assert (figures.cost_nusd, figures.median_s, figures.input_tokens) == (25, 2.0, 200)


def test_a_side_whose_turns_fail_at_once_is_not_called_fast() -> None:
    fails = Outcome(True, "failed", "", 5, 0.5)
    figures = side_figures([done("accepted", s=8.0), fails, fails])
    assert figures.median_s == 8.0
    assert side_figures([fails, fails]).median_s is None


def test_what_was_cut_short_is_told_and_compared_with_nothing() -> None:
    cut = [Outcome(True, "cancelled"), Outcome(True, "not_started")]
    side, whole = side_figures([done("accepted"), *cut]), side_figures([done("accepted")] * 3)
    assert side.rest_words == "2 cut short"
    assert accepted_difference(whole, side) is None
    assert verdict_words(whole, side) == "2 of 6 turns cut short"


def test_without_a_check_the_side_is_unchecked() -> None:
    side = side_figures([done("unchecked", is_asked=False)] * 2)
    assert (side.accepted_words, side.rest_words) == ("unchecked", "")
    assert verdict_words(side, side) == "2 examples, unchecked"
    assert accepted_difference(side, side) is None
    mixed = side_figures([done("accepted"), done("unchecked", is_asked=False)])
    assert (mixed.accepted_words, mixed.rest_words) == ("1 of 1", "1 without a check")


def test_an_unknown_cost_is_never_nothing() -> None:
    side = side_figures([done("accepted", cost=None), done("accepted", cost=7)])
    assert (side.cost_nusd, side.is_cost_partial) == (7, True)
    assert side_figures([done("accepted", cost=None)]).cost_nusd is None
    assert share_difference(None, 7, less="cheaper", more="dearer") is None


def test_the_badge_tells_how_far_it_is_and_then_what_it_came_to() -> None:
    old = side_figures([done("accepted"), done("refused")])
    new = side_figures([done("accepted"), done("accepted")])
    running = side_figures([done("accepted"), Outcome(True, "running")])
    assert verdict_words(old, new) == "2 of 2 vs 1 of 2"
    assert verdict_words(old, running) == "3 of 4 turns done"
    assert accepted_difference(old, new) == Difference("+1 more accepted", is_better=True)
    assert accepted_difference(new, old) == Difference("−1 fewer accepted", is_better=False)
    assert accepted_difference(old, running) is None
    undecided = side_figures([done("accepted"), done("waiting_person")])
    assert accepted_difference(old, undecided) is None
    assert undecided.rest_words == "1 to be decided"


def test_a_command_that_could_not_run_is_told() -> None:
    side = side_figures([done("accepted"), done("unchecked")])
    assert (side.accepted_words, side.rest_words) == ("1 of 2", "1 not checked")


@settings(max_examples=60)
@given(st.integers(1, 10**12), st.integers(0, 10**12))
def test_a_difference_has_the_sign_of_its_words(before: int, after: int) -> None:
    found = share_difference(before, after, less="cheaper", more="dearer")
    assert found is not None
    if found.is_better is None:
        assert abs(after - before) * 100 <= before
    else:
        assert found.is_better is (after < before)
        assert found.words.startswith("−" if found.is_better else "+")
        assert found.words.endswith("cheaper" if found.is_better else "dearer")
