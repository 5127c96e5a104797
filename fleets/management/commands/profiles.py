"""`manage.py profiles import|export|try`: the pages of the same names. See `docs/commands.md`."""

import sys
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandParser

from fleets.domain.errors import DomainError, InvalidInput
from fleets.management.fleet_commands import exit_codes
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.people import actor_of
from fleets.management.profile_commands import export, importing, trying

_ACTS: Final = {
    "export": export.export,
    "import": importing.import_files,
    "try": trying.try_revision,
}


class Command(BaseCommand):
    help = "Import profiles from files, export them, or try a revision."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
        reading = acts.add_parser("import", help="show what files would do, and do it with --yes")
        reading.add_argument("paths", nargs="+", type=Path, metavar="FILE|FOLDER|ZIP")
        reading.add_argument("--yes", action="store_true", help="write what can be written")
        reading.add_argument(
            "--accept-losses", action="store_true", help="also what loses rules or settings"
        )
        reading.add_argument("--draft", action="store_true", help="as drafts, not as heads")
        reading.add_argument("--catalog", metavar="SLUG", help="where new profiles go")
        reading.add_argument("--note", default="", metavar="TEXT", help="of every revision")
        writing = acts.add_parser("export", help="write profiles to a file")
        writing.add_argument("slugs", nargs="*", metavar="ID", help="default: all")
        writing.add_argument("--form", default="json", metavar="json|yaml|json-zip|yaml-zip")
        writing.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")
        trying = acts.add_parser("try", help="run two revisions over the examples, side by side")
        trying.add_argument("slug", metavar="ID")
        trying.add_argument("--revision", metavar="N", help="default: the newest")
        trying.add_argument("--against", metavar="N", help="default: the head")
        trying.add_argument("--budget-usd", default="", metavar="X", help="default: what holds it")
        trying.add_argument("--team", default="", metavar="SLUG", help="who the fleet belongs to")
        trying.add_argument("--wait", action="store_true", help="until it is done; print figures")
        for act in (reading, writing, trying):
            act.add_argument("--as", dest="username", metavar="USERNAME", help="who acts")

    def handle(self, *_args: Any, **options: Any) -> None:
        console = Console(self.stdout, self.stderr)
        try:
            actor = actor_of(options["username"], console=console)
            code = _ACTS[options["act"]](console, options, actor=actor)
        except InvalidInput as error:
            for problem in error.problems:
                console.say(f"profiles {options['act']}: {problem.message}")
            code = exit_codes.BAD_INPUT
        except DomainError as error:
            console.say(f"profiles {options['act']}: {error.message}")
            code = exit_codes.BAD_INPUT
        if code:
            sys.exit(code)
