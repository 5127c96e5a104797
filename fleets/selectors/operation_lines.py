"""The operations of a fleet as a list, and the order that stands when somebody orders again."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q

from fleets.domain.status import OperationKind, OperationState
from fleets.models import Fleet, Operation
from fleets.selectors.operations import VERBS

# An order pressed again within this time is taken for the same one.
STANDS_FOR: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class OperationLine:
    """One operation in the list of its fleet."""

    public_id: str
    state: str
    word: str
    by: str
    requested_at: datetime


def operation_lines(fleet: Fleet, *, limit: int = 6) -> list[OperationLine]:
    """A fleet's operations, newest first, with who ordered them. One query."""
    found = Operation.objects.filter(fleet=fleet).select_related("requested_by")[:limit]
    return [
        OperationLine(
            public_id=operation.public_id,
            state=operation.state,
            word=_line_word(operation),
            by=operation.requested_by.username if operation.requested_by else "",
            requested_at=operation.requested_at,
        )
        for operation in found
    ]


def newest_operation(fleet: Fleet, kind: OperationKind, *, now: datetime) -> Operation | None:
    """The order of this kind that stands: the newest, if it is under way or a few minutes old."""
    return (
        Operation.objects.filter(fleet=fleet, kind=kind)
        .filter(Q(ended_at__isnull=True) | Q(requested_at__gte=now - STANDS_FOR))
        .first()
    )


def _line_word(operation: Operation) -> str:
    """One operation in a few words: "Cut off: under way", "Cancel: not all confirmed"."""
    name = VERBS[OperationKind(operation.kind)].name
    match OperationState(operation.state):
        case OperationState.DONE:
            return f"{name}: done"
        case OperationState.FAILED | OperationState.UNKNOWN:
            return f"{name}: not all confirmed"
        case _:
            return f"{name}: under way"
