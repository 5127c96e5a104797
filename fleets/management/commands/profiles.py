"""`manage.py profiles import|export|try|change|undo`: what the pages do. See `docs/commands.md`."""

import sys
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandParser

from fleets.domain.errors import DomainError, InvalidInput
from fleets.domain.profile_change import ChangeKind
from fleets.management.fleet_commands import exit_codes
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.people import actor_of
from fleets.management.profile_commands import bulk, export, importing, trying

_ACTS: Final = {
    "change": bulk.change,
    "export": export.export,
    "import": importing.import_files,
    "try": trying.try_revision,
    "undo": bulk.undo,
}


class Command(BaseCommand):
    help = "Import profiles from files, export, try or change them."
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
        changing = acts.add_parser("change", help="show one change to many, and do it with --yes")
        changing.add_argument("kind", choices=[kind.replace("_", "-") for kind in ChangeKind])
        changing.add_argument("slugs", nargs="*", metavar="ID", help="which profiles")
        changing.add_argument("--filter", default="", metavar="WORDS", help="all the list finds")
        changing.add_argument("--all", action="store_true", help="all that are not archived")
        changing.add_argument("--from", default="", metavar="TEXT", help="what is replaced")
        changing.add_argument("--to", default="", metavar="TEXT", help="what takes its place")
        changing.add_argument("--to-file", type=Path, metavar="FILE", help="the same, from a file")
        changing.add_argument("--field", default="", metavar="PATH", help="such as model.small")
        changing.add_argument("--yes", action="store_true", help="do it: all of them or none")
        changing.add_argument("--draft", action="store_true", help="as drafts, not as heads")
        changing.add_argument("--note", default="", metavar="TEXT", help="of every revision")
        undoing = acts.add_parser("undo", help="bring back what a bulk change changed")
        undoing.add_argument("bulk_id", metavar="BULK-ID")
        for act in (reading, writing, trying, changing, undoing):
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
