"""How stops name what they act on in a tree, and which of them are under way."""

from django.db.models import Q, QuerySet

from fleets.domain.status import OperationKind
from fleets.models import Fleet, Operation


def ref(operation: Operation, fleet: Fleet, name: str) -> str:
    """How a node names an agent, machine or key: by itself in the ordered fleet, else with its
    fleet.
    """
    return name if fleet.pk == operation.fleet_id else f"{fleet.public_id}/{name}"


def stops_above(fleet: Fleet) -> QuerySet[Operation]:
    """Stops under way of the fleet, or of one above it that take their trees along."""
    own = Q(fleet=fleet)
    above = Q(fleet__in=fleet.path[:-1]) & ~Q(params__onlyThis=True)
    kinds = [OperationKind.CANCEL, OperationKind.DELETE]
    return Operation.objects.filter(own | above, kind__in=kinds, ended_at__isnull=True)
