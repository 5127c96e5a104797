"""The tasks of a pool as they stand: each in the newest run that has it."""

from django.db.models import Exists, OuterRef, QuerySet

from fleets.models import Fleet, Run, Task


def newest_tasks(fleet: Fleet, newest: Run | None) -> "QuerySet[Task]":
    """One row for each place of the list, in no order; `newest` is the fleet's newest run."""
    if newest is None or newest.number == 1:
        return Task.objects.filter(run=newest).order_by()
    later = Task.objects.filter(
        run__fleet=fleet, position=OuterRef("position"), run__number__gt=OuterRef("run__number")
    )
    return Task.objects.filter(~Exists(later), run__fleet=fleet).order_by()
