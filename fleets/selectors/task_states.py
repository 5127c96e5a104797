"""States of tasks that selectors group in the same way."""

from typing import Final

from fleets.domain.status import TaskState

# What may be run again as failed: everything that ended without an answer.
NOT_COMPLETED: Final = (
    TaskState.FAILED,
    TaskState.TIMED_OUT,
    TaskState.BUDGET_EXHAUSTED,
    TaskState.CANCELLED,
    TaskState.NOT_STARTED,
    TaskState.UNKNOWN,
)
