"""`fleet interrupt`: stop one agent's turn; the others go on."""

from typing import Any

from fleets.domain.errors import InvalidInput
from fleets.domain.status import OperationState
from fleets.management.fleet_commands import exit_codes
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.documents import interrupt_document
from fleets.management.fleet_commands.finding import find_fleet
from fleets.management.fleet_commands.ordering import carry_through, reason_of
from fleets.management.fleet_commands.people import actor_of
from fleets.selectors.session import find_agent
from fleets.services.interrupt import interrupt_agent


def interrupt(console: Console, options: dict[str, Any]) -> int:
    """Order the interrupt and wait until the platform has said how the turn ended."""
    actor = actor_of(options["username"], console=console)
    fleet = find_fleet(options["fleet"])
    agent = find_agent(fleet, options["agent"])
    if agent is None:
        words = f"{fleet.name} has no agent {options['agent']}."
        raise InvalidInput.at("agent", words)
    operation = interrupt_agent(agent, actor=actor, reason=reason_of(options))
    document = interrupt_document
    operation = carry_through(operation, console=console, options=options, document=document)
    return 0 if operation.state == OperationState.DONE else exit_codes.INTERNAL
