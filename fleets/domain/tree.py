"""What a look at a tree asks first: where the worst of it is."""

from typing import Final

from fleets.domain.status import FleetState

# States below a fleet that its mark tells of, the worst first; the others are no cause to look.
WORST_FIRST: Final = (
    FleetState.FAILED.value,
    FleetState.BUDGET_EXHAUSTED.value,
    FleetState.WAITING.value,
    FleetState.HELD.value,
    FleetState.CANCELLING.value,
    FleetState.DELETING.value,
)
