"""`fleet run`: launch a fleet, wait for its work, report it."""

import re
import secrets
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from django.utils import timezone

from fleets.domain.errors import Advice, InvalidInput, Problem, Repair
from fleets.domain.launch_checks import Account
from fleets.domain.preflight import preflight
from fleets.domain.spec import LaunchSpec, parse_launch
from fleets.management.fleet_commands.agents_option import read_agents_option
from fleets.management.fleet_commands.answer_option import read_answer_option
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.definition_option import spec_of_definition
from fleets.management.fleet_commands.finding import find_fleet, page_of, page_of_difference
from fleets.management.fleet_commands.following import follow
from fleets.management.fleet_commands.machine_option import read_machine_option
from fleets.management.fleet_commands.people import actor_of, team_of
from fleets.management.fleet_commands.rerun import refuse_without_fleet, rerun
from fleets.management.fleet_commands.tasks_option import read_tasks_option
from fleets.models import Fleet
from fleets.selectors.parents import above_of
from fleets.selectors.profile_refs import resolve_profile
from fleets.services.actor import Actor
from fleets.services.launch import launch_fleet

# Field of a launch: the place a person would look for it on the command line.
PLACES: Final = {
    "prompt": "PROMPT",
    "count": "--agents",
    "agents": "--agents",
    "answer": "--answer",
    "tasks": "--tasks",
    "session": "--same-session",
    "machines": "--machines",
    "coordinator": "--coordinator",
    "machine": "--machine",
    "size": "--size",
    "lifetime": "--lifetime",
    "after_delay": "--after",
    "placement": "--placement",
    "model": "--model",
    "harness": "--harness",
    "profile": "--profile",
    "budget": "--max-spend-usd",
    "at_once": "--at-once",
    "after": "--after",
    "name": "--name",
    "team": "--team",
    "parent": "--parent",
    "parent_agent": "--parent-agent",
}
_GIVEN: Final = {
    "machines": "machines",
    "size": "size",
    "lifetime": "lifetime",
    "placement": "placement",
    "model": "model",
    "harness": "harness",
    "profile": "profile",
    "budget": "max_spend_usd",
    "at_once": "at_once",
    "after": "after",
    "parent_agent": "parent_agent",
}
# The tag of a fleet that nothing but the check at its create guards.
UNBUDGETED: Final = "no-budget"
_NAME_WORDS: Final = 4
_NAME_CHARS: Final = 40


def run(console: Console, options: dict[str, Any]) -> int:
    """Launch what the options say, or run a fleet again, and follow it."""
    actor = actor_of(options["username"], console=console)
    if options["fleet"]:
        return rerun(console, options, actor=actor)
    refuse_without_fleet(options)
    revision = None
    if options["definition"]:
        team = options["team"] or team_of(actor)
        try:
            spec, revision = spec_of_definition(options, actor=actor, team=team)
        except InvalidInput as error:
            raise InvalidInput(_placed(problem) for problem in error.problems) from None
    elif options["rows"]:
        raise InvalidInput.at("--rows", "This goes with --definition.")
    else:
        spec = _spec(options, actor)
    _say_advice(spec, actor, console)
    fleet = launch_fleet(
        spec,
        actor=actor,
        idempotency_key=f"command-{secrets.token_hex(12)}",
        revision=revision,
    )
    console.say(f"{fleet.name} {fleet.public_id}: {page_of(fleet)}")
    return follow(fleet, console=console, options=options)


def _spec(options: dict[str, Any], actor: Actor) -> LaunchSpec:
    raw = {field: options[name] or "" for field, name in _GIVEN.items()}
    raw |= read_agents_option(options["agents"] or "")
    raw |= read_tasks_option(options["tasks"] or "", is_same_session=options["same_session"])
    raw |= read_answer_option(options["answer"] or "")
    raw |= read_machine_option(options["machine"] or "")
    raw["coordinator"] = "yes" if options["coordinator"] else ""
    if options["coordinator"] and not options["machines"]:
        raise InvalidInput.at("--coordinator", "This goes with --machines.")
    no_prompt = "agents" in raw or "tasks" in raw or bool(raw["machines"])
    raw["prompt"] = _prompt(options, has_file=no_prompt)
    in_file = next((Path(options[one]).stem for one in ("tasks", "agents") if one in raw), "")
    raw["name"] = options["name"] or name_from(raw["prompt"]) or name_from(in_file)
    raw["name"] = raw["name"] or ("machines" if raw["machines"] else "fleet")
    parent = find_fleet(options["parent"]) if options["parent"] else None
    raw["parent"] = parent.public_id if parent else ""
    raw["team"] = options["team"] or (parent.team.slug if parent else team_of(actor))
    try:
        spec = parse_launch(raw, resolve=partial(resolve_profile, actor.user))
    except InvalidInput as error:
        raise InvalidInput(_placed(problem) for problem in error.problems) from None
    return spec if spec.budget_nusd is not None else replace(spec, tags=(UNBUDGETED,))


def _prompt(options: dict[str, Any], *, has_file: bool) -> str:
    """The prompt given, or standard input; agents of a file can do without either."""
    prompt: str | None = options["prompt"]
    if prompt is None and not has_file and not sys.stdin.isatty():
        return sys.stdin.read()
    return prompt or ""


def _placed(problem: Problem) -> Problem:
    words = problem.message
    tried = [_typed(one) for one in problem.repairs if one.value and one.field in PLACES]
    if tried:
        words = f"{words} Try {' or '.join(tried)}."
    if problem.moved is not None:
        words = f"{words} What differs: {page_of_difference(problem.moved)}"
    return Problem(PLACES.get(problem.place, problem.place), words)


def _typed(repair: Repair) -> str:
    """As it is typed behind the command: several words are one value."""
    value = f'"{repair.value}"' if " " in repair.value else repair.value
    return f"{PLACES[repair.field]} {value}"


def _say_advice(spec: LaunchSpec, actor: Actor, console: Console) -> None:
    """What the launch page would say: problems refuse the launch, warnings are printed."""
    user = actor.user
    limit = None if user is None or user.is_admin else user.spend_limit_nusd
    parent = Fleet.objects.filter(public_id=spec.parent_id).first() if spec.parent_id else None
    found = preflight(
        spec,
        now=timezone.now(),
        account=Account(spend_limit_nusd=limit),
        above=above_of(parent) if parent else None,
    )
    if found.problems:
        raise InvalidInput(
            Problem(PLACES.get(advice.place, advice.place), _words(advice))
            for advice in found.problems
        )
    for advice in found.warnings:
        console.say(f"Note: {_words(advice)}")


def _words(advice: Advice) -> str:
    repairs = [_typed(repair) for repair in advice.repairs if repair.field in PLACES]
    return f"{advice.message} Try {' or '.join(repairs)}." if repairs else advice.message


def name_from(text: str) -> str:
    """A name made of the first words; "" where there is none."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"\[\[.*?\]\]|\{.*?\}", " ", text.lower()))
    return "-".join(words[:_NAME_WORDS])[:_NAME_CHARS].strip("-")
