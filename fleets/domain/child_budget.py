"""What a parent's budget still admits, told with its numbers.

A child's budget is taken from what its parent has left, and stays reserved there until the child is
deleted; only what it did not spend comes back (contract 5, 4.3).
"""

from dataclasses import dataclass
from typing import Final

from fleets.domain.errors import InvalidInput, Repair
from fleets.domain.money import show_limit, show_remaining, show_used, usd_string

_MINUS: Final = "\u2212"


@dataclass(frozen=True, slots=True)
class Above:
    """A parent's money in nanodollars, as last read; None is unknown, or no budget.

    `cap_nusd` is what its key admits now: the budget, or less once it was cut off.
    """

    name: str
    cap_nusd: int | None
    spent_nusd: int | None = None
    reserved_nusd: int | None = None
    remaining_nusd: int | None = None

    @property
    def held_nusd(self) -> int:
        """What calls under way hold: what is missing between the cap and its other parts."""
        if self.cap_nusd is None or self.remaining_nusd is None:
            return 0
        told = (self.spent_nusd or 0) + (self.reserved_nusd or 0) + self.remaining_nusd
        return max(0, self.cap_nusd - told)


def sum_words(above: Above) -> str:
    """`$0.30 − $0.24 reserved = $0.06 left`; what is nothing is left out."""
    parts = [show_limit(above.cap_nusd)]
    taken = (
        (above.spent_nusd, "spent"),
        (above.reserved_nusd, "reserved"),
        (above.held_nusd, "held in calls"),
    )
    parts += [f"{_MINUS} {show_used(amount)} {word}" for amount, word in taken if amount]
    left = show_remaining(above.remaining_nusd)
    return f"{' '.join(parts)} = {left} left" if len(parts) > 1 else f"{left} left"


def refusal_words(above: Above, *, asked_nusd: int) -> str:
    """Why the budget asked for is not admitted, in numbers."""
    return f"{above.name}: {sum_words(above)}; asked {show_limit(asked_nusd)}."


def check_child(above: Above, *, asked_nusd: int | None) -> None:
    """Raise InvalidInput at `budget` where the parent cannot admit such a child.

    What is not known of the parent refuses nothing: then the platform decides.
    """
    if above.cap_nusd is None:
        return
    left = above.remaining_nusd
    if asked_nusd is None:
        words = f"{above.name} has a budget, so its child needs one"
        known = f", at most what is left: {sum_words(above)}" if left is not None else ""
        raise InvalidInput.at("budget", f"{words}{known}.", repair=_all_of(left))
    if left is not None and asked_nusd > left:
        words = refusal_words(above, asked_nusd=asked_nusd)
        raise InvalidInput.at("budget", words, repair=_all_of(left))


def returned_words(*, budget_nusd: int, spent_nusd: int, parent: str) -> str:
    """`$0.08 of $0.12 returned to research; $0.04 was spent.`"""
    back = max(0, budget_nusd - spent_nusd)
    return (
        f"{show_remaining(back)} of {show_limit(budget_nusd)} returned to {parent};"
        f" {show_used(spent_nusd)} was spent."
    )


def _all_of(left_nusd: int | None) -> Repair | None:
    if not left_nusd:
        return None
    return Repair(f"Use {show_remaining(left_nusd)}", "budget", usd_string(left_nusd))
