"""Whose work a line of the worker's log is about: bound for each task, forgotten after it."""

from typing import Any

import structlog
from celery.signals import task_prerun


@task_prerun.connect
def bind_task(task_id: str, task: Any, **_facts: Any) -> None:
    """Forget the ids of the task before; services add the fleet and the turn."""
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(task=task.name, task_id=task_id)
