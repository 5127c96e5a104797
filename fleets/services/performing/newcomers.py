"""Fleets that are made, or found, below a tree after its stop was ordered: marked, and stopped too.

A process that an agent left in its machine goes on making child fleets with the fleet's key,
whatever becomes of the agent (contract 11). An interrupt does not reach it; a cut off does, and
where there is none the stop says that it was beaten instead of trying for ever.
"""

from collections.abc import Sequence
from typing import Final

from django.db import transaction
from django.utils import timezone

from fleets.domain.numbers import counted
from fleets.gateway import gateway
from fleets.live import publish
from fleets.models import Fleet, NodeKind, Operation, OperationNode
from fleets.services import operations, tree_stops
from fleets.services.account.reading import list_all, take_told
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import lock, recount
from fleets.services.performing.calling import call
from fleets.services.performing.nodes import remember

# So many rounds with new children, and nothing that keeps them from being made: it is beaten.
ROUNDS: Final = 4


def stop_newcomers(operation: Operation) -> int:
    """Read the account's list, and order the stop of what is new below the tree; how many."""
    connection = operation.fleet.connection
    account = gateway().account(connection)
    take_told(connection, call(operation, list_all(account)))
    new = tree_stops.newcomers(operation)
    if not new:
        return 0
    mark_late(operation, new)
    for fleet in new:
        with transaction.atomic():
            locked = lock(fleet.pk)
            tree_stops.ask_to_cancel([locked.pk], now=timezone.now())
            recount(lock(fleet.pk), now=timezone.now())
    rounds = int(operation.result.get("roundsWithNew", 0)) + 1
    found = int(operation.result.get("foundLater", 0)) + len(new)
    remember(operation, roundsWithNew=rounds, foundLater=found)
    return len(new)


def mark_late(operation: Operation, fleets: Sequence[Fleet]) -> None:
    """Nodes for fleets that came after the order, marked as such."""
    operations.add_nodes(operation, tree_stops.fleet_nodes(fleets))
    ids = [fleet.public_id for fleet in fleets]
    nodes = operation.nodes.filter(kind=NodeKind.FLEET, ref__in=ids)
    nodes.update(revived=1, result=tree_stops.LATE, requested_at=timezone.now(), state="running")
    topic = f"operation:{operation.public_id}"
    pks = list(nodes.values_list("pk", flat=True))
    publish(topic, {"kind": "nodes", "ids": pks}, {"kind": "head"})
    for fleet in fleets:
        note(operation.fleet, Line("child", f"{fleet} was {tree_stops.LATE}, it is stopped too"))


def beaten_words(operation: Operation, keys: Sequence[OperationNode]) -> str:
    """Why the stop cannot win, and what would; "" while it may."""
    is_guarded = bool(keys) and any(key.state == "done" for key in keys)
    if is_guarded or int(operation.result.get("roundsWithNew", 0)) < ROUNDS:
        return ""
    fleets = counted(int(operation.result["foundLater"]), "child fleet")
    newest = tree_stops.living_below(operation.fleet)[-1:]
    agent = next((fleet.parent_agent for fleet in newest if fleet.parent_agent), "an agent")
    help_words = (
        "Cut it off."
        if operation.fleet.budget_nusd is not None
        else "It has no budget, so no key to cut off: delete it, which ends its machines."
    )
    return (
        f"Not stopped: {agent} has left a process that made {fleets} since the order. An interrupt"
        f" does not reach it. {help_words}"
    )
