"""How long a block of calls waits for each answer, where the usual half minute is too long."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_within_s: ContextVar[float | None] = ContextVar("answers_within_s", default=None)


@contextmanager
def answers_within(seconds: float | None) -> Iterator[None]:
    """Within this block a call that has no answer after `seconds` counts as unanswered.

    It is not sent again either; whether it was carried out is unknown, as with every lost answer.
    The time in line for the rate budget does not count. None changes nothing.
    """
    token = _within_s.set(seconds)
    try:
        yield
    finally:
        _within_s.reset(token)


def patience_s() -> float | None:
    """What the calls of this block wait; None where nothing was said."""
    return _within_s.get()
