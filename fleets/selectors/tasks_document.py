"""The tasks of a pool as the list that would launch it again."""

from fleets.domain.pool import PoolTask, tasks_document
from fleets.domain.status import Pattern
from fleets.models import Fleet, Task


def fleet_tasks_document(fleet: Fleet) -> str:
    """JSON text of the list it was launched with, "" where it is no pool. One query."""
    if fleet.pattern != Pattern.POOL:
        return ""
    tasks = Task.objects.filter(run__fleet=fleet, run__number=1).exclude(name="")
    rows = tasks.order_by("position").values_list("name", "item", "prompt")
    return tasks_document([PoolTask(name, item or prompt) for name, item, prompt in rows])
