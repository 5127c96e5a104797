"""How long work on hostile text may take: patterns and schemas can be made to run for ever."""

from collections.abc import Callable
from dataclasses import dataclass, field

import regex


class OutOfPatience(Exception):
    """It took longer than was allowed; nothing is known about the text."""


@dataclass(slots=True)
class Patience:
    """`seconds` for everything from here on, by a clock that is handed in (seconds, monotonic)."""

    clock: Callable[[], float]
    seconds: float
    _until: float = field(init=False)

    def __post_init__(self) -> None:
        self._until = self.clock() + self.seconds

    def at_most(self, seconds: float) -> "Patience":
        """A share of what is left, for one piece of the work."""
        return Patience(self.clock, min(seconds, self._until - self.clock()))

    def left_s(self) -> float:
        """Seconds left. Raises `OutOfPatience` when there are none."""
        left = self._until - self.clock()
        if left <= 0:
            raise OutOfPatience
        return left

    def finds(self, pattern: "regex.Pattern[str]", text: str) -> bool:
        """Whether the pattern is somewhere in the text. Raises `OutOfPatience`."""
        try:
            return pattern.search(text, timeout=self.left_s()) is not None
        except TimeoutError:
            raise OutOfPatience from None
