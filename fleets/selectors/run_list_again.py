"""Which tasks of a pool could run again."""

from collections.abc import Collection
from typing import Final

from django.db.models import QuerySet

from fleets.models import Fleet, Task
from fleets.selectors.newest_tasks import newest_tasks
from fleets.selectors.task_states import NOT_GOOD

_NAMES_SHOWN: Final = 5


def chosen_tasks(fleet: Fleet, *, only: Collection[str], not_completed: bool) -> "QuerySet[Task]":
    """Tasks of the list as they stood last, in order: these by id (none: all), or only those
    without a good answer. What was prompted besides is no part of the list.
    """
    tasks = newest_tasks(fleet).exclude(name="").order_by("position")
    if not_completed:
        tasks = tasks.filter(NOT_GOOD)
    return tasks.filter(name__in=only) if only else tasks


def unknown_tasks(fleet: Fleet, only: Collection[str]) -> str:
    """What is wrong with a list of ids, "" if nothing. One query."""
    known = set(
        Task.objects.filter(run__fleet=fleet, run__number=1, name__in=only).values_list(
            "name", flat=True
        )
    )
    unknown = [name for name in dict.fromkeys(only) if name not in known]
    if not unknown:
        return ""
    more = len(unknown) - _NAMES_SHOWN
    shown = ", ".join(unknown[:_NAMES_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
    return f"There is no task {shown} in this fleet."
