"""The tasks of a fleet as they stand: each in the newest run that has it."""

from django.db.models import Exists, OuterRef, QuerySet

from fleets.domain.status import Pattern
from fleets.models import Fleet, Run, Task


def newest_tasks(fleet: Fleet, newest: Run | None = None) -> "QuerySet[Task]":
    """One row for each place of a pool's list, else those of each agent's newest run; in no order.

    `newest` is the fleet's newest run, for those who know it: the first one asks less.
    """
    if newest is not None and newest.number == 1:
        return Task.objects.filter(run=newest).order_by()
    same = "position" if fleet.pattern == Pattern.POOL else "agent"
    later = Task.objects.filter(
        run__fleet=fleet, run__number__gt=OuterRef("run__number"), **{same: OuterRef(same)}
    )
    return Task.objects.filter(~Exists(later), run__fleet=fleet).order_by()
