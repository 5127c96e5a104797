"""What a trial came to: the figures of each side, and how far one is from the other in words.

None is unknown. Money is in nanodollars, times are in seconds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from fleets.domain.answer_check import WAITING_VERDICTS, Verdict
from fleets.domain.numbers import counted
from fleets.domain.status import TaskState

_OPEN: Final = (TaskState.QUEUED, TaskState.RUNNING)
# Ended by us or lost from sight: that says nothing about the revision.
CUT_SHORT: Final = (TaskState.CANCELLED, TaskState.NOT_STARTED, TaskState.UNKNOWN)
UNCHECKED: Final = "unchecked"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One turn of a trial. `is_asked`: its example says what a good answer is."""

    is_asked: bool
    state: str
    verdict: str = ""
    cost_nusd: int | None = None
    time_s: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state not in _OPEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How far one side is, and how many of its answers were accepted.

    Of its `examples` so many say what a good answer is (`asked`); one that did not complete is not
    accepted. `waiting` are still to be decided; `cut_short` were ended before they could answer.
    """

    examples: int
    ended: int
    asked: int
    accepted: int
    waiting: int
    cut_short: int

    @property
    def has_ended(self) -> bool:
        """Whether all of it is done."""
        return self.ended == self.examples

    @property
    def accepted_words(self) -> str:
        """ "4 of 5", "unchecked" where no example says what a good answer is."""
        return f"{self.accepted} of {self.asked}" if self.asked else UNCHECKED


@dataclass(frozen=True, slots=True, kw_only=True)
class SideFigures(Score):
    """One side in full. `is_cost_partial`: the cost of some turn is unknown. `median_s` is of the
    turns that completed; the cost is of all.
    """

    completed: int
    refused: int
    cost_nusd: int | None
    is_cost_partial: bool
    median_s: float | None
    input_tokens: int | None
    output_tokens: int | None

    @property
    def rest_words(self) -> str:
        """What became of the others: "1 refused, 1 to be decided, 2 without a check"."""
        lost = self.ended - self.completed
        open_ = self.asked - self.accepted - self.refused - self.waiting
        parts = (
            (self.refused, "refused"),
            (self.waiting, "to be decided"),
            (max(0, open_) if self.has_ended and not lost else 0, "not checked"),
            (lost - self.cut_short, "did not complete"),
            (self.cut_short, "cut short"),
            (self.examples - self.asked if self.asked else 0, "without a check"),
        )
        return ", ".join(f"{count} {words}" for count, words in parts if count)


@dataclass(frozen=True, slots=True)
class Difference:
    """From one figure to another in words with a sign. `is_better` None: neither."""

    words: str
    is_better: bool | None = None


def side_figures(outcomes: Iterable[Outcome]) -> SideFigures:
    """The figures of one side."""
    all_ = tuple(outcomes)
    ended = [one for one in all_ if one.has_ended]
    asked = [one for one in all_ if one.is_asked]
    verdicts = [one.verdict for one in asked]
    completed = [one for one in ended if one.state == TaskState.COMPLETED]
    # What fails at once is not fast.
    times = [one.time_s for one in completed if one.time_s is not None]
    return SideFigures(
        examples=len(all_),
        ended=len(ended),
        completed=len(completed),
        asked=len(asked),
        accepted=verdicts.count(Verdict.ACCEPTED),
        refused=verdicts.count(Verdict.REFUSED),
        waiting=sum(verdict in WAITING_VERDICTS for verdict in verdicts),
        cut_short=sum(one.state in CUT_SHORT for one in ended),
        cost_nusd=_sum([one.cost_nusd for one in ended]),
        is_cost_partial=any(one.cost_nusd is None for one in ended),
        median_s=median(times) if times else None,
        input_tokens=_sum([one.input_tokens for one in ended]),
        output_tokens=_sum([one.output_tokens for one in ended]),
    )


def accepted_difference(before: SideFigures, after: SideFigures) -> Difference | None:
    """ "+1 more accepted"; None while that is not known, or when some of it was cut short."""
    is_known = before.has_ended and after.has_ended and not (before.waiting or after.waiting)
    if not is_known or not after.asked or before.cut_short or after.cut_short:
        return None
    more = after.accepted - before.accepted
    if not more:
        return Difference("as many accepted")
    if more > 0:
        return Difference(f"+{more} more accepted", is_better=True)
    return Difference(f"−{-more} fewer accepted", is_better=False)


def share_difference(
    before: float | None, after: float | None, *, less: str, more: str
) -> Difference | None:
    """ "−20 % cheaper" with words for less and more, less being better; None when unknown."""
    if before is None or after is None or before <= 0:
        return None
    percent = round((after - before) * 100 / before)
    if not percent:
        return Difference("the same within 1 %")
    if percent < 0:
        return Difference(f"−{-percent} % {less}", is_better=True)
    return Difference(f"+{percent} % {more}", is_better=False)


def verdict_words(before: Score, after: Score) -> str:
    """The badge: "4 of 5 vs 3 of 5", the tried revision first; how far it is while it runs."""
    if not (before.has_ended and after.has_ended):
        done, all_ = before.ended + after.ended, before.examples + after.examples
        return f"{done} of {counted(all_, 'turn')} done"
    cut_short, waiting = before.cut_short + after.cut_short, before.waiting + after.waiting
    if cut_short:
        return f"{cut_short} of {counted(before.examples + after.examples, 'turn')} cut short"
    if not after.asked:
        return f"{counted(after.examples, 'example')}, {UNCHECKED}"
    words = f"{after.accepted_words} vs {before.accepted_words}"
    return f"{words}, {waiting} to be decided" if waiting else words


def _sum(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
