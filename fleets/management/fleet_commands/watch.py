"""`fleet watch`: follow a fleet that works already."""

from typing import Any

from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.finding import find_fleet, page_of
from fleets.management.fleet_commands.following import follow
from fleets.management.fleet_commands.people import actor_of


def watch(console: Console, options: dict[str, Any]) -> int:
    """Follow the fleet to the end of its work; the exit code of its work."""
    actor_of(options["username"], console=console)
    fleet = find_fleet(options["fleet"])
    console.say(f"{fleet.name} {fleet.public_id}: {page_of(fleet)}")
    return follow(fleet, console=console, options=options)
