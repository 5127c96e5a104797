"""What a stop does to the fleets below the one it is ordered for.

They are stopped with the row above: their epochs grow, so that nothing of theirs is begun any more,
and the pages of all say so. What is made below them later is found by readings and stopped too.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce, Now

from fleets.domain.status import FleetState
from fleets.live import publish
from fleets.models import Fleet, Machine, NodeKind, Operation, Turn
from fleets.services import operations
from fleets.services.fleet_events import Line, note_all

LATE: Final = "found after the stop was ordered"
_OVER: Final = (
    FleetState.CANCELLED,
    FleetState.FAILED,
    FleetState.FINISHED,
    FleetState.BUDGET_EXHAUSTED,
    FleetState.DELETED,
    FleetState.DELETING,
)


def living_below(fleet: Fleet) -> list[Fleet]:
    """Fleets below this one that are not deleted, parents before their children."""
    found = _below(fleet).select_related("connection", "parent__connection", "team")
    return list(found.order_by("depth", "pk"))


def lock_below(fleet: Fleet) -> list[int]:
    """Lock the rows below, the deepest first; the caller's transaction locks the fleet's after."""
    rows = _below(fleet).order_by("-pk").select_for_update(of=("self",))
    return list(rows.values_list("pk", flat=True))


def has_living_children(fleet: Fleet) -> bool:
    """Whether something below the fleet may still work: what a cancel of it would stop."""
    return _below(fleet).exclude(state__in=_OVER).exists()


def ask_to_cancel(pks: Sequence[int], *, now: datetime) -> None:
    """Write the order to cancel on these rows, which the caller's transaction holds."""
    fleets = Fleet.objects.filter(pk__in=pks)
    fleets.update(
        epoch=F("epoch") + 1,
        cancel_requested_at=Coalesce("cancel_requested_at", Now()),
        cancel_confirmed_at=None,
    )
    working = fleets.exclude(state__in=_OVER)
    working.update(state=FleetState.CANCELLING, state_since=now)
    _tell(pks)


def ask_to_delete(pks: Sequence[int], *, now: datetime) -> None:
    """Write the order to delete on these rows, which the caller's transaction holds."""
    Fleet.objects.filter(pk__in=pks).update(
        epoch=F("epoch") + 1,
        delete_requested_at=Coalesce("delete_requested_at", Now()),
        cleanup_due_at=None,
        state=FleetState.DELETING,
        state_since=now,
    )
    _tell(pks)


def note_below(fleet: Fleet, words: str) -> None:
    """The same line on the timelines of all fleets below."""
    for child in living_below(fleet):
        note_all(child, [Line("cancel", words)])


def fleet_nodes(fleets: Sequence[Fleet]) -> list[operations.NodePlan]:
    """A node for each of these fleets."""
    return [operations.NodePlan(NodeKind.FLEET, fleet.name, fleet.public_id) for fleet in fleets]


def agent_nodes(ordered: Fleet, turns: Sequence[Turn]) -> list[operations.NodePlan]:
    """A node for the agent of each of these turns (`agent__fleet` loaded)."""
    nodes = []
    for turn in turns:
        agent = turn.agent
        prefix = "" if agent.fleet_id == ordered.pk else f"{agent.fleet.public_id}/"
        label = f"{agent.fleet.name}/{agent.agent_id}"
        nodes.append(operations.NodePlan(NodeKind.AGENT, label, f"{prefix}{agent.agent_id}"))
    return nodes


def machine_nodes(fleets: Sequence[Fleet]) -> list[operations.NodePlan]:
    """A node for each living machine of fleets below the ordered one."""
    machines = Machine.objects.filter(fleet__in=fleets, gone_at__isnull=True)
    return [
        operations.NodePlan(
            NodeKind.MACHINE,
            f"{machine.fleet.name}/{machine.machine_id}",
            f"{machine.fleet.public_id}/{machine.machine_id}",
        )
        for machine in machines.select_related("fleet").order_by("fleet_id", "position")
    ]


def newcomers(operation: Operation) -> list[Fleet]:
    """Living fleets of the tree that the operation has no node for: made, or found, after it."""
    known = set(operation.nodes.filter(kind=NodeKind.FLEET).values_list("ref", flat=True))
    return [fleet for fleet in living_below(operation.fleet) if fleet.public_id not in known]


def _below(fleet: Fleet) -> QuerySet[Fleet]:
    root = fleet.root_id or fleet.pk
    below = Fleet.objects.filter(root=root, path__contains=[fleet.pk], deleted_at__isnull=True)
    return below.exclude(pk=fleet.pk)


def _tell(pks: Sequence[int]) -> None:
    if not pks:
        return
    publish("fleets", {"kind": "fleet", "ids": list(pks)})
    for public_id in Fleet.objects.filter(pk__in=pks).values_list("public_id", flat=True):
        publish(f"fleet:{public_id}", {"kind": "head"}, {"kind": "events"})
