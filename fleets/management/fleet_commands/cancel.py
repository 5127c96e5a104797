"""`fleet cancel`: stop the work of a fleet; its machines stay."""

from typing import Any

from fleets.domain.status import OperationState
from fleets.management.fleet_commands import exit_codes
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.documents import cancel_document
from fleets.management.fleet_commands.finding import find_fleet
from fleets.management.fleet_commands.ordering import carry_through, reason_of
from fleets.management.fleet_commands.people import actor_of
from fleets.services.cancel import cancel_fleet


def cancel(console: Console, options: dict[str, Any]) -> int:
    """Order the cancel and wait until two readings show nothing new."""
    actor = actor_of(options["username"], console=console)
    operation = cancel_fleet(
        find_fleet(options["fleet"]),
        actor=actor,
        reason=reason_of(options),
        only_this=options["only_this"],
    )
    operation = carry_through(operation, console=console, options=options, document=cancel_document)
    for failure in operation.result.get("failures", []):
        console.say(f"{failure['agentId']}: {failure['error']}")
    if operation.state == OperationState.DONE:
        return 0
    return exit_codes.SOME_DID_NOT if operation.result.get("failures") else exit_codes.INTERNAL
