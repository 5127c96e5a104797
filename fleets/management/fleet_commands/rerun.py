"""`fleet run --fleet ID`: run a fleet again, over all its agents or some of them."""

import secrets
from typing import Any, Final

from fleets.domain.errors import InvalidInput, Problem
from fleets.forms.run_again import ids_in
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.finding import find_fleet, page_of
from fleets.management.fleet_commands.following import follow
from fleets.services.actor import Actor
from fleets.services.run_again import RunAgain, run_again

_PLACES: Final = {"prompt": "PROMPT", "only": "--only", "ID": "--fleet"}
_OF_A_LAUNCH: Final = (
    "agents", "placement", "model", "harness", "max_spend_usd", "at_once", "after", "name", "team",
    "tasks", "same_session", "answer", "machines", "coordinator", "machine", "size", "lifetime",
)  # fmt: skip
_OF_A_RERUN: Final = ("only", "failed", "fresh")


def rerun(console: Console, options: dict[str, Any], *, actor: Actor) -> int:
    """Order the run and follow it; standard input is not read, as a message is not needed."""
    given = [name for name in _OF_A_LAUNCH if options[name]]
    if given:
        raise InvalidInput(
            Problem(_option(name), "A fleet that runs again keeps what it was launched with.")
            for name in given
        )
    if options["only"] and options["failed"]:
        raise InvalidInput.at("--failed", "Choose either --only or --failed.")
    what = RunAgain(
        message=options["prompt"] or "",
        only=ids_in(options["only"] or ""),
        not_completed=options["failed"],
        is_fresh=options["fresh"],
    )
    try:
        fleet = find_fleet(options["fleet"])
        key = f"command-{secrets.token_hex(12)}"
        run = run_again(fleet, what, actor=actor, form_key=key)
    except InvalidInput as error:
        raise InvalidInput(
            Problem(_PLACES.get(problem.place, problem.place), problem.message)
            for problem in error.problems
        ) from None
    fleet.refresh_from_db()
    console.say(f"{fleet.name} {fleet.public_id}, run {run.number}: {page_of(fleet)}")
    return follow(fleet, console=console, options=options, newest_run_only=True)


def refuse_without_fleet(options: dict[str, Any]) -> None:
    """Raise InvalidInput for options that only make sense with `--fleet`."""
    given = [name for name in _OF_A_RERUN if options[name]]
    if given:
        raise InvalidInput(Problem(_option(name), "This goes with --fleet ID.") for name in given)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
