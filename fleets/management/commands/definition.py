"""`manage.py definition list|show|save`. See `docs/commands.md`."""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from fleets.domain.agents_file import read_source
from fleets.domain.errors import DomainError, InvalidInput
from fleets.management.fleet_commands import exit_codes
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.people import actor_of
from fleets.models import Definition
from fleets.selectors.definition_check import body_of
from fleets.selectors.definition_source import document_of_agents
from fleets.services.actor import Actor
from fleets.services.definitions import create_definition, save_definition


class Command(BaseCommand):
    help = "Keep recipes of fleets: list them, print one, save one from a file."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
        acts.add_parser("list", help="all that are not archived")
        show = acts.add_parser("show", help="print the newest revision as JSON")
        show.add_argument("definition", metavar="ID")
        save = acts.add_parser("save", help="save a definition, or the agents of agents.json")
        save.add_argument("file", metavar="FILE", help="JSON or YAML")
        save.add_argument("--id", default="", help="make the next revision of this one")
        save.add_argument("--name", default="", help="for a file of agents: the name")
        save.add_argument("--note", default="", help="what changed")
        for one in (show, save):
            one.add_argument("--as", dest="username", metavar="USERNAME", help="who acts")

    def handle(self, *_args: Any, **options: Any) -> None:
        console = Console(self.stdout, self.stderr)
        try:
            _ACTS[options["act"]](console, options)
        except InvalidInput as error:
            for problem in error.problems:
                console.say(f"definition {options['act']}: {problem}")
            sys.exit(exit_codes.BAD_INPUT)
        except DomainError as error:
            console.say(f"definition {options['act']}: {error.message}")
            sys.exit(exit_codes.BAD_INPUT)


def _list(console: Console, _options: dict[str, Any]) -> None:
    for one in Definition.objects.filter(archived_at__isnull=True).select_related("head"):
        console.result(f"{one.slug}  {one.head}  {one.shape}")


def _show(console: Console, options: dict[str, Any]) -> None:
    found = Definition.objects.filter(slug=options["definition"]).select_related("head").first()
    if found is None or found.head is None:
        raise InvalidInput.at("ID", f"There is no definition {options['definition'][:80]}.")
    console.document(body_of(found.head))


def _save(console: Console, options: dict[str, Any]) -> None:
    actor = actor_of(options["username"], console=console)
    body = _document(options)
    if not options["id"]:
        made = create_definition(body=body, note=options["note"], actor=actor)
        console.result(f"{made.slug} r1: {made.shape}")
        return
    _next(console, body, options, actor)


def _next(console: Console, body: dict[str, Any], options: dict[str, Any], actor: Actor) -> None:
    found = Definition.objects.filter(slug=options["id"]).select_related("head").first()
    if found is None or found.head is None:
        raise InvalidInput.at("--id", f"There is no definition {options['id'][:80]}.")
    revision = save_definition(
        found, body=body, base=found.head.number, note=options["note"], actor=actor
    )
    console.result(f"{found.slug} {revision}")


def _document(options: dict[str, Any]) -> dict[str, Any]:
    """The file's document: a definition, or a list of agents made into one."""
    path = Path(options["file"])
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput.at("FILE", f"{path.name}: it cannot be read ({error}).") from None
    value = read_source(text).value
    if isinstance(value, list):
        return document_of_agents(text, name=options["name"] or path.stem)
    if not isinstance(value, dict):
        raise InvalidInput.at("FILE", f"Write {json.dumps({'name': '…', 'agents': {}})}.")
    return value


_ACTS = {"list": _list, "show": _show, "save": _save}
