"""The figures of a fleet with everything below it, kept on its own row for lists and trees.

They are sums over the rows below, taken anew while the rows above are locked: what a parallel
change of a sibling did is in them, and a wrong figure lasts until the next change. Rows of a tree
are locked from the deepest upwards, as everybody does who holds a fleet and then its ancestors.
"""

from typing import Final

from django.db import connection

from fleets.domain.tree import WORST_FIRST
from fleets.live import publish
from fleets.live.channels import tree_topic
from fleets.models import Fleet

_SUMS: Final = """
UPDATE fleets_fleet AS above SET
  tree_fleets = sums.fleets, tree_agents = sums.agents, tree_machines = sums.machines,
  tree_tasks = sums.tasks, tree_completed = sums.completed, tree_open = sums.open,
  tree_failed = sums.failed, tree_worst = COALESCE((%s::text[])[sums.worst], '')
FROM (
  SELECT top.id, count(*) AS fleets, sum(own.agents_total) AS agents,
    sum(own.machines_running) AS machines, sum(own.tasks_total) AS tasks,
    sum(own.tasks_completed) AS completed,
    sum(own.tasks_queued + own.tasks_running + own.tasks_waiting + own.tasks_unknown) AS open,
    sum(own.tasks_failed + own.tasks_timed_out) AS failed,
    min(array_position(%s::text[], own.state::text)) FILTER (WHERE own.id <> top.id) AS worst
  FROM fleets_fleet AS top JOIN fleets_fleet AS own
    ON own.root_id = top.root_id AND top.id = ANY(own.path)
  WHERE top.id = ANY(%s) GROUP BY top.id
) AS sums WHERE above.id = sums.id
"""


def recount_tree(fleet: Fleet) -> None:
    """Take the sums of the fleet and its ancestors anew; nothing for a fleet that stands alone.

    Runs in the caller's transaction, which may hold the fleet's row and none above it.
    """
    if fleet.parent_id is None and fleet.tree_fleets <= 1:
        return
    recount_above(fleet.path)
    publish(tree_topic(fleet.root_id or fleet.pk), {"kind": "tree"})


def recount_above(path: list[int]) -> None:
    """The sums of the fleets on a path, which the caller's transaction locks here."""
    rows = Fleet.objects.filter(pk__in=path).order_by("-pk").select_for_update()
    list(rows.values_list("pk", flat=True))
    words = list(WORST_FIRST)
    with connection.cursor() as cursor:
        cursor.execute(_SUMS, [words, words, path])
