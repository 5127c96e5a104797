"""The fleets of an account as a tree: which rows are written first, and what to look up again."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToldFleet:
    """A fleet as the account's list tells it; `parent_id` "" for a root."""

    fleet_id: str
    parent_id: str = ""


@dataclass(frozen=True, slots=True)
class Arranged:
    """`in_order`: parents before their children. `without_parent`: nobody told of their parent.

    What is in neither is below such a fleet, or its own ancestor, and waits for another reading.
    """

    in_order: tuple[str, ...]
    without_parent: tuple[str, ...]


def arrange(told: Sequence[ToldFleet], *, known: Collection[str]) -> Arranged:
    """The fleets that are not `known` yet, so that each parent's row is there before its child's.

    The order of the list is kept otherwise.
    """
    new = {fleet.fleet_id: fleet for fleet in told if fleet.fleet_id not in known}
    placed = dict.fromkeys(known, True)
    orphans = tuple(
        fleet.fleet_id
        for fleet in new.values()
        if fleet.parent_id and fleet.parent_id not in placed and fleet.parent_id not in new
    )
    in_order: list[str] = []
    waiting = list(new.values())
    while waiting:
        ready = [fleet for fleet in waiting if not fleet.parent_id or fleet.parent_id in placed]
        if not ready:
            break
        for fleet in ready:
            placed[fleet.fleet_id] = True
            in_order.append(fleet.fleet_id)
        waiting = [fleet for fleet in waiting if fleet.fleet_id not in placed]
    return Arranged(tuple(in_order), orphans)
