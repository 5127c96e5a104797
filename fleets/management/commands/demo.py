"""`manage.py demo`: a believable data set in the tables, for looking around. Nothing drives it."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import ProgrammingError

from fleets.domain.errors import DomainError
from fleets.domain.status import Role
from fleets.models import User
from fleets.services import demo
from fleets.services.actor import Actor
from fleets.services.demo.live import launch_live


class Command(BaseCommand):
    help = "Fill in demo fleets and people; again to renew them. Real fleets are never touched."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--reset", action="store_true", help="remove what it made, and stop")
        parser.add_argument(
            "--live", action="store_true", help="also launch three small fleets in earnest"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["reset"]:
            self.stdout.write(f"{demo.remove()} demo fleets removed")
            return
        try:
            filled = demo.fill()
            self.stdout.write(f"{filled.fleets} demo fleets, {filled.agents:,} agents")
            self._say_passwords(filled.passwords)
            if options["live"]:
                self._launch()
        except ProgrammingError:
            self.stderr.write("The tables are not ready: wait until `make up` says so, then again.")
            sys.exit(2)
        except DomainError as error:
            self.stderr.write(error.message)
            sys.exit(2)

    def _say_passwords(self, passwords: dict[str, str]) -> None:
        if not passwords:
            self.stdout.write("The people were there already; their passwords stay.")
            return
        self.stdout.write("People (each password is shown this once):")
        for username, password in passwords.items():
            self.stdout.write(f"  {username:<16}{password}")

    def _launch(self) -> None:
        admin = User.objects.filter(role=Role.ADMIN, is_active=True).order_by("pk").first()
        for fleet in launch_live(Actor(user=admin, door="command")):
            self.stdout.write(f"launched {fleet.name} {fleet.public_id}")
