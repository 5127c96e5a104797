"""`fleet list`: the newest fleets."""

from typing import Any, Final

from fleets.domain.money import show_limit, show_used_column
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.documents import listed_document
from fleets.management.fleet_commands.finding import page_of
from fleets.management.fleet_commands.people import actor_of
from fleets.models import Fleet
from fleets.selectors.fleet_report import listed_fleets

_HEAD: Final = ("STATE", "NAME", "ID", "AGENTS", "DONE", "FAILED", "SPENT", "BUDGET", "OWNER")


def list_fleets(console: Console, options: dict[str, Any]) -> int:
    """Print the newest fleets."""
    actor_of(options["username"], console=console)
    fleets = listed_fleets(with_deleted=options["all"])
    if options["json"]:
        rows = [listed_document(fleet, url=page_of(fleet)) for fleet in fleets]
        console.document({"fleets": rows})
    elif fleets:
        spent = show_used_column([fleet.spent_nusd for fleet in fleets])
        console.table(_HEAD, [_row(*pair) for pair in zip(fleets, spent, strict=True)])
    else:
        console.say('No fleets yet. Launch one: manage.py fleet run "<prompt>" --agents 3')
    return 0


def _row(fleet: Fleet, spent: str) -> tuple[str, ...]:
    return (
        fleet.state.replace("_", " "),
        fleet.name,
        fleet.public_id,
        f"{fleet.agents_total:,}",
        f"{fleet.tasks_completed:,}",
        f"{fleet.tasks_failed:,}",
        spent,
        "none" if fleet.budget_nusd is None else show_limit(fleet.budget_nusd),
        fleet.owner.get_username() if fleet.owner else "—",
    )
