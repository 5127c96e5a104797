"""The fleets that one stop acts on: the one it was ordered for, and what is below it.

Rows of a tree are locked from the deepest upwards. Whoever works on a fleet below the ordered one
therefore holds that fleet's row alone, and not the operation's.
"""

from dataclasses import dataclass

from fleets.models import Fleet, Operation, Run
from fleets.services import operations, tree_stops
from fleets.services.fleet_state import lock, newest_run
from fleets.services.stop_refs import ref


@dataclass(slots=True)
class Target:
    """One fleet of a stop. `run` is its newest, None where it has none."""

    operation: Operation
    fleet: Fleet
    run: Run | None

    @property
    def is_ordered(self) -> bool:
        """Whether the stop was ordered for this fleet itself, and not for one above it."""
        return self.fleet.pk == self.operation.fleet_id

    def ref(self, name: str) -> str:
        """How the operation's nodes name an agent or machine of the fleet."""
        return ref(self.operation, self.fleet, name)

    def lock(self) -> Fleet:
        """The fleet's row, locked in the caller's transaction.

        Raises `LeaseLost` when another worker has taken the operation over.
        """
        if self.is_ordered:
            self.fleet = operations.lock_fleet(self.operation)
            self.operation.fleet = self.fleet
        else:
            self.fleet = lock(self.fleet.pk)
            operations.must_be_ours(self.operation)
        return self.fleet


def targets(operation: Operation) -> list[Target]:
    """The ordered fleet and, unless it is for that alone, everything living below it."""
    fleets = [operation.fleet]
    if not operation.params.get("onlyThis"):
        fleets += tree_stops.living_below(operation.fleet)
    return [Target(operation, fleet, newest_run(fleet)) for fleet in fleets]
