"""Follows a fleet to the end of its work and reports it: what `run` and `watch` share."""

from typing import Any

from django.utils import timezone

from fleets.management.fleet_commands import exit_codes
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.documents import report_document
from fleets.management.fleet_commands.events import Events
from fleets.management.fleet_commands.finding import page_of
from fleets.management.fleet_commands.progress import Progress
from fleets.management.fleet_commands.show import print_report
from fleets.management.fleet_commands.waiting import wait_for_work
from fleets.models import Fleet
from fleets.selectors.fleet_report import fleet_report, launch_refusal


def follow(
    fleet: Fleet, *, console: Console, options: dict[str, Any], newest_run_only: bool = False
) -> int:
    """Wait for the end of the work, print what was asked for; the exit code.

    `newest_run_only`: tell of its agents alone, not of those that it leaves as they are.
    """
    progress = Progress(console)
    wants_events = options.get("events")
    events = Events(console, newest_run_only=newest_run_only) if wants_events else None

    def look(seen: Fleet) -> None:
        progress.show(seen)
        if events is not None:
            events.look(seen)

    try:
        fleet = wait_for_work(fleet, console=console, on_look=look)
    except KeyboardInterrupt:
        _say_it_goes_on(fleet, console)
        raise
    report = fleet_report(fleet, now=timezone.now(), newest_run_only=newest_run_only)
    console.clear()
    if events is not None:
        events.end(report)
    elif options.get("json"):
        console.document(report_document(report))
    else:
        print_report(report, console=console)
    refusal = launch_refusal(fleet)
    if refusal:
        console.say(refusal)
        return exit_codes.INTERNAL
    if fleet.stop_sentence:
        console.say(fleet.stop_sentence)
    code = exit_codes.code_of_newest_run if newest_run_only else exit_codes.code_of
    return code(fleet)


def _say_it_goes_on(fleet: Fleet, console: Console) -> None:
    ident = fleet.public_id
    console.say(f"The fleet goes on: {page_of(fleet)}")
    console.say(f"Stop its work with  manage.py fleet cancel {ident}")
    if fleet.budget_nusd is not None:
        console.say(f"Stop its spending with  manage.py fleet cut {ident}")
    console.say(f"See it again with  manage.py fleet watch {ident}")
