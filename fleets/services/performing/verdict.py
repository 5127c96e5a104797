"""What one piece of work on an operation came to."""

from dataclasses import dataclass, field
from typing import Any

from fleets.domain.status import OperationState


@dataclass(frozen=True, slots=True)
class Again:
    """Not ended: work on it again after so many seconds."""

    after_s: float


@dataclass(frozen=True, slots=True)
class Ended:
    """Ended, with the sentence that its page closes with."""

    state: OperationState
    sentence: str
    result: dict[str, Any] = field(default_factory=dict)


Verdict = Again | Ended


def backoff_s(attempts: int) -> float:
    """Seconds until the next try while the platform is not there: 1, 2, 4, … up to 15."""
    return float(min(15, 2 ** min(max(0, attempts - 1), 4)))
