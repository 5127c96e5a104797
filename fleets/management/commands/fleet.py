"""`manage.py fleet run|list|show|watch|interrupt|cancel|cut|delete`. See `docs/commands.md`."""

import sys
from collections.abc import Callable
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandParser
from django.db import OperationalError, ProgrammingError

from fleets.domain.errors import DomainError, InvalidInput
from fleets.management.fleet_commands import exit_codes
from fleets.management.fleet_commands.arguments import add_arguments
from fleets.management.fleet_commands.cancel import cancel
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.cut import cut
from fleets.management.fleet_commands.delete import delete
from fleets.management.fleet_commands.interrupt import interrupt
from fleets.management.fleet_commands.listing import list_fleets
from fleets.management.fleet_commands.run import run
from fleets.management.fleet_commands.show import show_fleet
from fleets.management.fleet_commands.waiting import NOT_RUNNING, NobodyWorksError
from fleets.management.fleet_commands.watch import watch

ACTS: Final[dict[str, Callable[[Console, dict[str, Any]], int]]] = {
    "run": run,
    "list": list_fleets,
    "show": show_fleet,
    "watch": watch,
    "interrupt": interrupt,
    "cancel": cancel,
    "cut": cut,
    "delete": delete,
}
# What a service calls its places, where a person gave them here.
_PLACES: Final = {"reason": "--reason", "typed_name": "name"}


class Command(BaseCommand):
    help = "Launch, watch and stop fleets."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        code = _carry_out(Console(self.stdout, self.stderr), options)
        if code:
            sys.exit(code)


def _carry_out(console: Console, options: dict[str, Any]) -> int:
    act = options["act"]
    try:
        return ACTS[act](console, options)
    except InvalidInput as error:
        for problem in error.problems:
            place = _PLACES.get(problem.place, problem.place)
            console.say(f"fleet {act}: {place}: {problem.message}")
        return exit_codes.BAD_INPUT
    except DomainError as error:
        console.say(f"fleet {act}: {error.message}")
        return exit_codes.BAD_INPUT
    except NobodyWorksError:
        console.say(f"Nobody works on it. {NOT_RUNNING}. The order stands.")
        return exit_codes.INTERNAL
    except OperationalError as error:
        console.say(f"The database does not answer ({str(error).splitlines()[0]}). {NOT_RUNNING}")
        return exit_codes.INTERNAL
    except ProgrammingError as error:
        reason = str(error).splitlines()[0]
        console.say(f"The tables are not those of this version ({reason}): start it anew, make up.")
        return exit_codes.INTERNAL
    except KeyboardInterrupt:
        console.say("Interrupted.")
        return exit_codes.INTERRUPTED
