"""`--definition NAME`: what a saved recipe launches, with the options given put over it."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from fleets.domain.csv_rows import MAX_CSV_BYTES, Table, read_table
from fleets.domain.definition import Definition as Recipe
from fleets.domain.definition import read_definition
from fleets.domain.definition_tasks import PLACE, tasks_value
from fleets.domain.errors import InvalidInput, NotFoundHere
from fleets.domain.money_input import parse_usd
from fleets.domain.spec import LaunchSpec
from fleets.management.fleet_commands.tasks_option import read_tasks_option
from fleets.models import Definition, DefinitionRevision
from fleets.selectors.definition_check import body_of, launch_of, rows_of
from fleets.services.actor import Actor

# What a launch may say otherwise: the option, and its place in the document.
_OVER: Final = {
    "name": "name",
    "model": "model",
    "harness": "harness",
    "placement": "placement",
    "max_spend_usd": "budgetUsd",
    "at_once": "atOnce",
    "after": "afterwards",
    "size": "size",
    "lifetime": "lifetime",
}
_NOT_WITH: Final = (*("prompt", "agents", "fleet", "parent", "machines", "coordinator", "machine"),)


def spec_of_definition(
    options: dict[str, Any], *, actor: Actor, team: str
) -> tuple[LaunchSpec, DefinitionRevision]:
    """The launch, and the revision it is of. Raises InvalidInput at the option or the path."""
    for name in _NOT_WITH:
        if options[name]:
            place = "PROMPT" if name == "prompt" else f"--{name}"
            raise InvalidInput.at(place, "This does not go with --definition.")
    revision = _revision(options["definition"])
    given = {key: options[name] for name, key in _OVER.items() if options[name]}
    if "budgetUsd" in given:
        parse_usd(given["budgetUsd"], place="--max-spend-usd")
    body = body_of(revision)
    recipe = read_definition({**body, **given})
    if options["tasks"]:
        recipe = read_definition({**body, **given, **_tasks(recipe, options)})
    table = _rows(options["rows"]) if options["rows"] else rows_of(recipe)[1]
    if table is None and recipe.asks_for_rows:
        raise InvalidInput.at("--rows", "This definition asks for rows: name a CSV file.")
    spec = launch_of(recipe, table=table, user=actor.user).spec
    return replace(spec, team_slug=team), revision


def _revision(name: str) -> DefinitionRevision:
    """By its id, else by its name when only one is called so."""
    found = Definition.objects.filter(archived_at__isnull=True).select_related("head")
    definition = found.filter(slug=name).first()
    if definition is None:
        named = list(found.filter(name=name)[:2])
        if len(named) > 1:
            raise InvalidInput.at(
                "--definition", f"More than one is called {name[:80]}: say an id."
            )
        definition = named[0] if named else None
    if definition is None or definition.head is None:
        raise NotFoundHere("definition", name[:80])
    return definition.head


def _tasks(recipe: Recipe, options: dict[str, Any]) -> dict[str, Any]:
    """The list of a file, in place of the definition's own."""
    if recipe.tasks is None:
        raise InvalidInput.at("--tasks", "This definition is no pool: it has no list of tasks.")
    found = read_tasks_option(options["tasks"], is_same_session=False)
    return {PLACE: tasks_value(found[PLACE])}


def _rows(given: str) -> Table:
    try:
        with Path(given).open("rb") as file:
            # One byte more than fits, so that the domain says what is too long.
            data = file.read(MAX_CSV_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        raise InvalidInput.at("--rows", f"{given[:80]}: {reason}.") from None
    return read_table(data)
