"""Judges the answers that a round of reading brought, in the transaction that ends their tasks.

What takes long (a command on the machine, a person) is only noted here, and waits.
"""

import time
from datetime import datetime
from typing import Any, Final

import structlog

from fleets.domain.answer_check import AnswerCheck, Judgement, Verdict, judge
from fleets.domain.answer_document import read_answer_check
from fleets.domain.errors import InvalidInput
from fleets.domain.patience import Patience
from fleets.domain.status import TaskState
from fleets.models import Agent, Fleet, Task

log = structlog.get_logger(__name__)

# For all answers of a round together: the fleet's row is locked meanwhile.
ROUND_S: Final = 1.5


class Judge:
    """The check of one fleet for one round; `commands` counts answers that wait for a command."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._check = _read(fleet, fleet.answer_check)
        self._patience = Patience(time.monotonic, ROUND_S)
        self.commands = 0

    def judge(self, task: Task, *, agent: Agent, now: datetime) -> None:
        """Give a task that this agent completed its verdict (unsaved); others have no answer."""
        if task.state != TaskState.COMPLETED:
            return
        check = self._check_for(agent)
        if check is None:
            judgement = Judgement(Verdict.UNCHECKED, "Its check cannot be read.")
        else:
            judgement = judge(check, task.response, patience=self._patience)
        task.verdict, task.verdict_reason = judgement.verdict, judgement.reason
        task.verdict_at = now
        self.commands += judgement.verdict is Verdict.WAITING_COMMAND

    def _check_for(self, agent: Agent) -> AnswerCheck | None:
        if agent.answer_check is None:
            return self._check
        return _read(self._fleet, agent.answer_check)


def _read(fleet: Fleet, document: Any) -> AnswerCheck | None:
    try:
        return read_answer_check(document)
    except InvalidInput as error:
        # An answer more or less must not keep a run from going on.
        log.warning("answer_check_unreadable", fleet=fleet.public_id, error=error.message)
        return None
