"""What stands in a fleet's way just now, in the words of its banner."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from fleets.domain.status import FleetState, OperationKind
from fleets.models import Fleet, Operation, Run

_REFUSED: Final = "The platform refused the launch: "
_CARRIED_BY: Final = {
    FleetState.CREATING: OperationKind.LAUNCH,
    FleetState.CANCELLING: OperationKind.CANCEL,
    FleetState.DELETING: OperationKind.DELETE,
}
_QUEUED: Final = "Stops are queued here and sent first."


@dataclass(frozen=True, slots=True)
class Trouble:
    """A banner. `retry_at`: when it is tried again, None if it is not or nobody can say."""

    state: str
    title: str
    words: str
    advice: str = ""
    retry_at: datetime | None = None


def trouble(fleet: Fleet) -> Trouble | None:
    """What went wrong last. No query for a fleet that runs and has nothing to tell, else one."""
    if was_refused(fleet):
        words = fleet.last_error.removeprefix(_REFUSED)
        return Trouble("failed", "The platform refused the launch.", words)
    if kind := _CARRIED_BY.get(FleetState(fleet.state)):
        failing = Operation.objects.filter(
            fleet=fleet, kind=kind, ended_at__isnull=True, failures__gt=0
        ).first()
        if failing is not None:
            return _of_operation(failing)
    if not fleet.last_error or fleet.state == FleetState.DELETED:
        return None
    run = Run.objects.filter(fleet=fleet, ended_at__isnull=True).order_by("-number").first()
    return Trouble(
        "unreachable",
        "The platform did not answer as hoped.",
        fleet.last_error,
        advice=_QUEUED if run else "",
        retry_at=run.next_tick_at if run else None,
    )


def was_refused(fleet: Fleet) -> bool:
    """Whether the platform would not have the fleet, so that nothing of it was ever made."""
    return (
        fleet.state == FleetState.FAILED
        and fleet.created_on_platform_at is None
        and fleet.last_error.startswith(_REFUSED)
    )


def _of_operation(operation: Operation) -> Trouble:
    return Trouble(
        "unreachable",
        "The platform did not answer as hoped.",
        operation.sentence,
        advice=_QUEUED if operation.kind == OperationKind.LAUNCH else "",
        retry_at=operation.next_attempt_at,
    )
