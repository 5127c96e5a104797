"""What one piece of work on an operation came to."""

from dataclasses import dataclass, field
from typing import Any, Final

from fleets.domain.status import OperationState

# After so many answers in a row that were not understood, an operation gives up.
SURPRISES: Final = 4


@dataclass(frozen=True, slots=True)
class Again:
    """Not ended: work on it again after so many seconds. `is_failure`: something went wrong."""

    after_s: float
    is_failure: bool = False


@dataclass(frozen=True, slots=True)
class Ended:
    """Ended, with the sentence that its page closes with."""

    state: OperationState
    sentence: str
    result: dict[str, Any] = field(default_factory=dict)


Verdict = Again | Ended


def backoff_s(failures: int, *, longest_s: int = 15) -> float:
    """Seconds until the next try after so many failures in a row: 1, 2, 4, … up to `longest_s`."""
    return float(min(longest_s, 2 ** min(max(0, failures - 1), 10)))
