"""States of tasks that selectors group in the same way."""

from typing import Final

from django.db.models import Q

from fleets.domain.answer_check import Verdict
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
# And what has one that was refused.
NOT_GOOD: Final = Q(state__in=NOT_COMPLETED) | Q(verdict=Verdict.REFUSED)
