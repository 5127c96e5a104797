"""`fleet delete`: machines and keys go, the record stays. Asks for the name unless `--yes`."""

import sys
from typing import Any

from fleets.domain.errors import InvalidInput
from fleets.domain.status import OperationState
from fleets.management.fleet_commands import exit_codes
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.documents import delete_document
from fleets.management.fleet_commands.finding import find_fleet
from fleets.management.fleet_commands.ordering import carry_through, reason_of
from fleets.management.fleet_commands.people import actor_of
from fleets.models import Fleet
from fleets.services.delete import delete_fleet


def delete(console: Console, options: dict[str, Any]) -> int:
    """Order the delete and wait until nothing is left."""
    actor = actor_of(options["username"], console=console)
    fleet = find_fleet(options["fleet"])
    typed = fleet.name if options["yes"] else _ask(fleet, console)
    operation = delete_fleet(fleet, actor=actor, reason=reason_of(options), typed_name=typed)
    operation = carry_through(operation, console=console, options=options, document=delete_document)
    return 0 if operation.state == OperationState.DONE else exit_codes.INTERNAL


def _ask(fleet: Fleet, console: Console) -> str:
    if not sys.stdin.isatty():
        raise InvalidInput.at("--yes", "Nobody is there to be asked: add --yes to delete.")
    parts = [f"{fleet.machines_running} running of {fleet.machines_total} machines"]
    if fleet.budget_nusd is not None:
        parts.append("its key")
    console.say(f"{fleet.name} ({fleet.public_id}): {' and '.join(parts)} will be deleted.")
    return input("Type the fleet's name to delete it: ")
