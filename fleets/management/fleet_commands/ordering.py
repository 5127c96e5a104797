"""Waits for an ordered operation and tells how it went: what cancel, cut and delete share."""

from collections.abc import Callable
from typing import Any, Final

from fleets.domain.status import OperationState
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.finding import page_of_operation
from fleets.management.fleet_commands.waiting import wait_for_operation
from fleets.models import Operation

NO_REASON: Final = "asked for on the command line"

Document = Callable[[Operation], dict[str, Any]]


def reason_of(options: dict[str, Any]) -> str:
    """The reason given, or words that say where it came from."""
    return options["reason"] or NO_REASON


def carry_through(
    operation: Operation, *, console: Console, options: dict[str, Any], document: Document
) -> Operation:
    """Wait for the operation's end and print its sentence, or with `--json` its document."""
    page = page_of_operation(operation)
    console.say(f"{operation.kind.replace('_', ' ')} of {operation.fleet.name}: {page}")
    said = ""

    def look(seen: Operation) -> None:
        nonlocal said
        if seen.sentence and seen.sentence != said and seen.ended_at is None:
            console.status(seen.sentence)
            said = seen.sentence

    try:
        operation = wait_for_operation(operation, console=console, on_look=look)
    except KeyboardInterrupt:
        console.say(f"It goes on without this command: {page}")
        raise
    console.clear()
    if options["json"]:
        console.document(document(operation))
        if operation.state != OperationState.DONE:
            console.say(operation.sentence or operation.state)
    else:
        console.result(operation.sentence or operation.state)
    return operation
