"""Agents as a file, in the platform's shape (contract 4.2), read with every problem at once.

`[{agentId, harness, model, profile, task, placement}]`: what is left out comes from the agent's
profile, then from the fleet's defaults. Problems name line and place, never a value. JSON, or YAML
that says the same.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from fleets.domain.agent_fields import FIELDS, read_fields
from fleets.domain.agent_plan import AgentAsked, AgentPlan, Resolve
from fleets.domain.agent_settling import find_saved, plan_agents, provider_problems
from fleets.domain.credentials import find_credentials
from fleets.domain.errors import InvalidInput, Moved, Problem
from fleets.domain.harnesses import harness_named
from fleets.domain.ids import MAX_AGENTS
from fleets.domain.json_lines import JsonText, Path, read_json
from fleets.domain.profile_schema.shapes import show_path
from fleets.domain.raw_keys import unfit_places
from fleets.domain.spec_fields import shorten
from fleets.domain.yaml_lines import YamlText, read_yaml

PLACE: Final = "agents"
PROBLEMS_SHOWN: Final = 50


@dataclass(slots=True)
class _Reading:
    source: JsonText | YamlText
    unfit: set[Path] = field(default_factory=set)
    found: list[tuple[Path, str]] = field(default_factory=list)
    moved: dict[Path, Moved | None] = field(default_factory=dict)

    def problems(self) -> list[Problem]:
        """What was found, by line, each place once."""
        by_place: dict[Path, str] = {}
        for path, words in self.found:
            by_place.setdefault(path, words)
        lines = sorted(by_place, key=self.source.line_of)
        shown = [
            Problem(
                PLACE,
                f"Line {self.source.line_of(path)}, {self._name(path)}: {by_place[path]}",
                moved=self.moved.get(path),
            )
            for path in lines[:PROBLEMS_SHOWN]
        ]
        if len(lines) > PROBLEMS_SHOWN:
            shown.append(Problem(PLACE, f"{len(lines) - PROBLEMS_SHOWN:,} more problems."))
        return shown

    def _name(self, path: Path) -> str:
        below = show_path(tuple(_shown(step) for step in path[1:]))
        shown = f"{PLACE}[{path[0]}]" if path else PLACE
        shown += f".{below}" if below else ""
        agent_id = self._agent_id(path)
        return f"{shown} ({agent_id})" if agent_id else shown

    def _agent_id(self, path: Path) -> str:
        agents = self.source.value
        if not path or not isinstance(agents, list) or not isinstance(path[0], int):
            return ""
        entry = agents[path[0]]
        named = entry.get("agentId") if isinstance(entry, dict) else None
        if named is None:
            return f"agent-{path[0] + 1}"
        is_safe = isinstance(named, str) and (path[0], "agentId") not in self.unfit
        return shorten(named) if is_safe else ""


def read_agents(
    text: str,
    *,
    harness: str,
    model: str,
    has_message: bool,
    resolve: Resolve | None = None,
    is_pool: bool = False,
) -> tuple[AgentPlan, ...]:
    """The agents of a file, settled with the fleet's defaults, in the order given.

    `has_message`: the fleet's own prompt goes to every agent, so none needs a task. `resolve` finds
    saved profiles; without it they are refused. `is_pool`: they take tasks from a list, so none has
    one. Raises InvalidInput at `agents` with all problems, in the order of their lines.
    """
    source = read_source(text)
    agents = source.value
    _must_be_list(agents)
    reading = _Reading(source)
    reading.found += unfit_places(agents)
    reading.unfit = {path for path, _ in reading.found}
    asked: list[AgentAsked] = []
    for at, entry in enumerate(agents):
        read = read_fields(entry, at=at)
        reading.found += [one for one in read.problems if one[0] not in reading.unfit]
        asked.append(read.agent)
    reading.found += _twice(asked)
    if is_pool:
        words = "the tasks are a list of their own, so an agent has none."
        reading.found += [((at, "task"), words) for at, one in enumerate(asked) if one.task]
    if not has_message:
        reading.found += _idle(asked, unfit=reading.unfit)
    found, missing = find_saved(asked, resolve)
    reading.found += [((at, "profile"), problem.message) for at, problem in missing]
    reading.moved = {(at, "profile"): problem.moved for at, problem in missing}
    if reading.found:
        raise InvalidInput(reading.problems())
    plans = plan_agents(asked, harness=harness, model=model, found=found)
    reading.found += [((at, "model"), words) for at, words in provider_problems(plans)]
    if reading.found:
        raise InvalidInput(reading.problems())
    return plans


def with_key_names(text: str, *, harness: str, model: str, resolve: Resolve | None = None) -> str:
    """The same file, as JSON, with `apiKeyEnv` named for every agent whose harness needs it.

    A file that cannot be read comes back as it is.
    """
    try:
        source = read_source(text)
        plans = read_agents(text, harness=harness, model=model, has_message=True, resolve=resolve)
    except InvalidInput:
        return text
    agents = source.value
    for entry, plan in zip(agents, plans, strict=True):
        known = harness_named(plan.harness)
        if plan.lacks_key_name and known is not None:
            own = entry.get("model")
            own = {"model": own} if isinstance(own, str) else dict(own or {"model": plan.model})
            entry["model"] = {**own, "apiKeyEnv": known.api_key_env}
    return json.dumps(agents, indent=2, ensure_ascii=False)


def _shown(step: str | int) -> str | int:
    """A step of a path as it may be told: a name can be a secret itself."""
    if isinstance(step, int):
        return step
    return "…" if find_credentials(step) else shorten(step)


def read_source(text: str) -> JsonText | YamlText:
    """A file of agents: JSON where it begins like JSON, else YAML. Raises InvalidInput."""
    if text.lstrip("\ufeff \t\r\n")[:1] in ("[", "{"):
        return read_json(text, place=PLACE)
    return read_yaml(text.removeprefix("\ufeff"), place=PLACE)


def _must_be_list(agents: Any) -> None:
    if not isinstance(agents, list):
        shape = f"[{{{', '.join(FIELDS)}}}, …]"
        raise InvalidInput.at(PLACE, f"Line 1: the file must be a list of agents: {shape}.")
    if not agents:
        raise InvalidInput.at(PLACE, "Line 1: there is no agent in the list.")
    if len(agents) > MAX_AGENTS:
        raise InvalidInput.at(
            PLACE, f"{len(agents):,} agents are too many: at most {MAX_AGENTS:,}."
        )


def _twice(asked: list[AgentAsked]) -> Iterator[tuple[Path, str]]:
    first: dict[str, int] = {}
    for at, agent in enumerate(asked):
        before = first.setdefault(agent.agent_id, at)
        if before != at and agent.agent_id:
            yield (at, "agentId"), f"agents[{before}] has the same id: ids are unique in a fleet."


def _idle(asked: list[AgentAsked], *, unfit: set[Path]) -> Iterator[tuple[Path, str]]:
    for at, agent in enumerate(asked):
        if agent.task is None and (at, "task") not in unfit:
            yield (at,), "neither a message for all nor a task of its own: nothing to do."
