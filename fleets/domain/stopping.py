"""Why a fleet stopped before its budget was spent, in one sentence with the figures."""

from typing import Final

from fleets.domain.money import show_limit, show_remaining, show_used

_WORDS: Final = (
    "no", "one", "two", "three", "four", "five", "six",
    "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip


def stop_sentence(
    *,
    budget_nusd: int,
    spent_nusd: int,
    reserved_nusd: int = 0,
    worst_call_nusd: int | None = None,
    calls_in_flight: int | None = None,
    was_refused: bool = True,
) -> str:
    """One sentence on why the budget stopped the fleet; never over 300 characters.

    Figures are those at the moment of the stop. `calls_in_flight` are the other calls that held
    money then, None if nobody counted. `was_refused` False: we began nothing more ourselves, as the
    next call would not have fitted.
    """
    stop = f"Stopped at {show_used(spent_nusd)} of {show_limit(budget_nusd)}"
    left = budget_nusd - spent_nusd - reserved_nusd
    if left <= 0 and reserved_nusd == 0:
        return f"{stop}: the budget is spent."
    end = "the next call was refused" if was_refused else "no further task was begun"
    if left <= 0:
        return f"{stop}: {show_used(reserved_nusd)} is reserved for children, so {end}."
    children = f" ({show_used(reserved_nusd)} is reserved for children)" if reserved_nusd else ""
    why = _why(left, worst_call_nusd=worst_call_nusd, calls_in_flight=calls_in_flight)
    return f"{stop}{children}: {why}, so {end}."


def _why(left_nusd: int, *, worst_call_nusd: int | None, calls_in_flight: int | None) -> str:
    left = show_remaining(left_nusd)
    if not worst_call_nusd:
        return f"the other {left} did not hold one more call at its largest"
    worst = show_used(worst_call_nusd)
    fits = left_nusd // worst_call_nusd
    if fits == 0:
        return f"the {left} left is less than one call may cost ({worst})"
    if calls_in_flight is not None and calls_in_flight < fits:
        # By our figures it would have fitted: calls were larger than we assume.
        return f"calls in flight held too much of the other {left} at once"
    noun = "call" if fits == 1 else "calls"
    return f"the other {left} holds only {_count(fits)} {noun} of up to {worst} at once"


def _count(number: int) -> str:
    return _WORDS[number] if number < len(_WORDS) else f"{number:,}"
