"""`manage.py hand_over FROM TO`: what the page does. See `docs/commands.md`."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from fleets.domain.errors import DomainError, InvalidInput
from fleets.management.fleet_commands import exit_codes
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.people import actor_of
from fleets.models import User
from fleets.selectors.hand_over import owned_by
from fleets.services.hand_over import hand_over_everything


class Command(BaseCommand):
    help = "Show what somebody owns, and with --yes give all of it to somebody else."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("from_", metavar="FROM", help="whose profiles, definitions, catalogs")
        parser.add_argument("to", metavar="TO", help="an operator or an admin")
        parser.add_argument("--reason", default="", metavar="TEXT", help="kept in the audit")
        parser.add_argument("--yes", action="store_true", help="do it: all of it or nothing")
        parser.add_argument("--as", dest="username", metavar="USERNAME", help="who acts")

    def handle(self, *_args: Any, **options: Any) -> None:
        console = Console(self.stdout, self.stderr)
        try:
            self._run(console, options)
        except DomainError as error:
            console.say(f"hand_over: {error.message}")
            sys.exit(exit_codes.BAD_INPUT)

    def _run(self, console: Console, options: dict[str, Any]) -> None:
        actor = actor_of(options["username"], console=console)
        owner, to = _person(options["from_"]), _person(options["to"])
        owned = owned_by(owner)
        for kind, names in (
            ("profile", owned.profiles),
            ("definition", owned.definitions),
            ("catalog", owned.catalogs),
        ):
            for name in names:
                console.result(f"{kind} {name}")
        if not options["yes"]:
            console.say(f"{owned.count} would go to {to.get_username()}. Do it with --yes.")
            return
        count = hand_over_everything(owner, to=to, actor=actor, reason=options["reason"])
        console.say(f"{count} went to {to.get_username()}.")


def _person(name: str) -> User:
    found = User.objects.filter(username=name).first()
    if found is None:
        raise InvalidInput.at("FROM", f"There is nobody named {name[:40]!r}.")
    return found
