"""`fleet cut`: lower the key's cap to what is spent. Reversible, so it asks nothing."""

from typing import Any

from fleets.domain.status import OperationState
from fleets.management.fleet_commands import exit_codes
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.documents import cut_document
from fleets.management.fleet_commands.finding import find_fleet
from fleets.management.fleet_commands.ordering import carry_through, reason_of
from fleets.management.fleet_commands.people import actor_of
from fleets.services.cut_off import cut_off_fleet


def cut(console: Console, options: dict[str, Any]) -> int:
    """Order the cut off and wait until the platform has said the lower cap back."""
    actor = actor_of(options["username"], console=console)
    operation = cut_off_fleet(find_fleet(options["fleet"]), actor=actor, reason=reason_of(options))
    operation = carry_through(operation, console=console, options=options, document=cut_document)
    return 0 if operation.state == OperationState.DONE else exit_codes.INTERNAL
