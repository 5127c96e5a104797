"""Runs commands over answers. On a queue of its own: a command may take minutes."""

from typing import Final

from celery import shared_task
from django.utils import timezone

from fleets import dispatch
from fleets.domain.answer_document import MAX_COMMAND_TIMEOUT_S
from fleets.services.alone import alone
from fleets.services.checking import AT_ONCE
from fleets.services.checking import check_answers as check

_LIMIT_S: Final = MAX_COMMAND_TIMEOUT_S + 30


@shared_task(name="fleets.check_answers", soft_time_limit=_LIMIT_S, time_limit=_LIMIT_S + 30)
def check_answers() -> None:
    """Run the commands that wait, some at once; a full round wakes the next one."""
    with alone("check_answers") as is_alone:
        count = check(now=timezone.now()) if is_alone else 0
    if count == AT_ONCE:
        dispatch.answers_to_check()
