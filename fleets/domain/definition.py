"""A fleet's recipe as one JSON document, read strictly: what each place means, all that is wrong.

A document holds nothing secret and nothing that a launch decides (team, connection). What it leaves
out takes the defaults of a launch.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from fleets.domain.agent_fields import read_fields
from fleets.domain.agent_plan import AgentAsked
from fleets.domain.answer_check import AnswerCheck
from fleets.domain.answer_document import answer_check_problems
from fleets.domain.definition_shape import AGENTS, DOCUMENT
from fleets.domain.definition_tasks import Tasks, pool_of
from fleets.domain.errors import InvalidInput, Problem, Repair
from fleets.domain.ids import MAX_AGENTS
from fleets.domain.machine_needs import MachineNeeds, needs_of
from fleets.domain.matrix import (
    MANY_ROWS,
    ONE_ROW,
    ROW_FIELDS,
    TASK,
    Matrix,
    Variant,
    declared_problems,
)
from fleets.domain.only_machines import COORDINATOR, MAX_MACHINES, OnlyMachines
from fleets.domain.only_machines import PLACE as MACHINES
from fleets.domain.placement_input import placement_of_json, placement_word
from fleets.domain.pool import POOL_FIELDS
from fleets.domain.profile_refs import ProfileRef
from fleets.domain.profile_schema.issues import Path
from fleets.domain.profile_schema.shapes import Note, show_path
from fleets.domain.raw_keys import unfit_places
from fleets.domain.spec import LaunchSpec, parse_launch, read_prompt
from fleets.domain.spec_fields import shorten
from fleets.domain.template import LAUNCH_FIELDS, parse_template

PLACE: Final = "definition"
ASK: Final = "ask"
PROBLEMS_SHOWN: Final = 50
# Fields of a launch by their names in a document.
LAUNCH_NAMES: Final[Mapping[str, str]] = {
    "name": "name",
    "harness": "harness",
    "model": "model",
    "size": "size",
    "placement": "placement",
    "budget": "budgetUsd",
    "at_once": "atOnce",
    "lifetime": "lifetime",
    "task_timeout": "taskTimeout",
    "after": "afterwards",
    "after_delay": "afterwardsDelay",
    "tags": "tags",
}
_OF_AGENTS: Final = ("message", "answer")
_FIELD: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Counted:
    """Agents that are alike, `agent-1` to `agent-<count>`, with one profile or none."""

    count: int
    asked: AgentAsked


@dataclass(frozen=True, slots=True)
class Listed:
    """Agents that are each their own, as in a file of agents."""

    agents: tuple[AgentAsked, ...]


# The ways to say which agents there are.
Agents = Counted | Listed | Matrix | OnlyMachines


@dataclass(frozen=True, slots=True)
class Definition:
    """A recipe. `base` is its launch without agents; name and budget may be changed for one.

    `message` "" means: each agent its own task. With `tasks` the agents are a pool.
    """

    description: str
    agents: Agents
    message: str
    base: LaunchSpec
    machine: MachineNeeds
    answer: AnswerCheck
    tasks: Tasks | None = None

    @property
    def asks_for_tasks(self) -> bool:
        """Whether a launch has to bring the list of tasks."""
        return self.tasks is not None and not self.tasks.listed

    @property
    def asks_for_rows(self) -> bool:
        """Whether a launch has to bring the rows."""
        return isinstance(self.agents, Matrix) and not self.agents.rows_digest

    @property
    def refs(self) -> tuple[ProfileRef, ...]:
        """The saved profiles it names, each once."""
        return tuple(dict.fromkeys(one.ref for one in _asked_of(self.agents) if one.ref))


@dataclass(slots=True)
class Read:
    """A document as far as it can be read. `definition` None: there are problems."""

    definition: Definition | None = None
    found: dict[Path, tuple[str, Repair | None]] = field(default_factory=dict)

    def add(self, path: Path, words: str, repair: Repair | None = None) -> None:
        """Note a problem; of one place only the first is told."""
        self.found.setdefault(path, (words.rstrip("."), repair))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems named by their paths, in the order they were found."""
        shown = [
            Problem(show_path(_safe(path)) or PLACE, f"{words}.", repair)
            for path, (words, repair) in list(self.found.items())[:PROBLEMS_SHOWN]
        ]
        more = len(self.found) - PROBLEMS_SHOWN
        return (*shown, *((Problem(PLACE, f"{more:,} more problems."),) if more > 0 else ()))


def read_definition(body: Any) -> Definition:
    """The recipe that a document is. Raises InvalidInput with every problem at its path."""
    read = check_definition(body)
    if read.definition is None:
        raise InvalidInput(read.problems)
    return read.definition


def check_definition(body: Any) -> Read:
    """Read a document and tell all that is wrong with it; no value is repeated."""
    read = Read()
    for path, words in unfit_places(body):
        read.add(path, words)
    note: Note = []
    DOCUMENT(body, (), note)
    for issue in note:
        read.add(issue.path, issue.message)
    if not isinstance(body, Mapping):
        return read
    base = _base(body, read, bare=_bare(body.get("agents")))
    wrong, answer = answer_check_problems(body.get("answer", {}))
    for path, words in wrong:
        read.add(("answer", *path), words)
    agents = _agents(body.get("agents"), read)
    tasks = pool_of(body, agents=_described(agents), note=read.add)
    if agents is not None:
        _check_message(body, agents, read, is_pool=tasks is not None)
    if not read.found and base is not None and agents is not None:
        read.definition = Definition(
            description=str(body.get("description", "")),
            agents=agents,
            message=str(body.get("message", "")).replace("\r\n", "\n"),
            base=replace(base, answer=answer),
            machine=needs_of(body.get("machine", {})),
            answer=answer,
            tasks=tasks,
        )
    return read


def _described(agents: "Agents | None") -> Sequence[AgentAsked] | None:
    if isinstance(agents, Matrix | OnlyMachines):
        return None
    return agents.agents if isinstance(agents, Listed) else ()


def _safe(path: Path) -> Path:
    return tuple(step if isinstance(step, int) else shorten(step) for step in path)


def _asked_of(agents: Agents) -> Iterator[AgentAsked]:
    if isinstance(agents, Counted):
        yield agents.asked
    elif isinstance(agents, Listed):
        yield from agents.agents
    elif isinstance(agents, Matrix):
        yield from (variant.asked for variant in agents.variants)


def _bare(agents: Any) -> OnlyMachines | None:
    """The machines without agents that it asks for."""
    value = agents.get(MACHINES) if isinstance(agents, Mapping) else None
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_MACHINES:
        return None
    return OnlyMachines(value, has_coordinator=agents.get(COORDINATOR) is True)


def _base(body: Mapping[str, Any], read: Read, *, bare: OnlyMachines | None) -> LaunchSpec | None:
    """What a launch takes over as it stands; the rules are the launch's own."""
    raw = {"team": "team", "count": "1", "prompt": "-"}
    if bare is not None:
        lead = "yes" if bare.has_coordinator else ""
        raw = {"team": "team", MACHINES: str(bare.workers), COORDINATOR: lead}
    for name, key in LAUNCH_NAMES.items():
        raw[name] = _as_typed(key, body.get(key))
    try:
        return parse_launch(raw)
    except InvalidInput as error:
        for problem in error.problems:
            repair = problem.repair
            named = repair and Repair(repair.label, LAUNCH_NAMES[repair.field], repair.value)
            read.add((LAUNCH_NAMES[problem.place],), problem.message, named)
        return None


def _as_typed(key: str, value: Any) -> str:
    """A value of a document as it would stand in the form."""
    if value is None or isinstance(value, bool):
        return ""
    if key == "placement" and isinstance(value, Mapping):
        return placement_word(placement_of_json(value)) or "?"
    if key == "tags":
        return ", ".join(map(str, value)) if isinstance(value, list) else ""
    return str(value) if isinstance(value, str | int | float) else ""


def _agents(value: Any, read: Read) -> Agents | None:
    if not isinstance(value, Mapping):
        return None
    kinds = [name for name in AGENTS if name in value]
    if len(kinds) != 1:
        one = "say one of count, list, matrix and machines"
        read.add(("agents",), f"{' and '.join(kinds)}: leave one of them" if kinds else one)
        return None
    if COORDINATOR in value and kinds[0] != MACHINES:
        read.add(("agents", COORDINATOR), "goes with machines, which have no agents")
    if kinds[0] == MACHINES:
        return _bare(value)
    if kinds[0] == "count":
        return _counted(value, read)
    if kinds[0] == "list":
        return _listed(value["list"], read)
    return _matrix(value["matrix"], read) if isinstance(value["matrix"], Mapping) else None


def _counted(value: Mapping[str, Any], read: Read) -> Counted | None:
    entry = {"profile": value["profile"]} if "profile" in value else {}
    asked = _entry(entry, 0, ("agents",), read)
    count = value["count"]
    is_whole = isinstance(count, int) and not isinstance(count, bool)
    return Counted(count, asked) if is_whole and 1 <= count <= MAX_AGENTS else None


def _listed(value: Any, read: Read) -> Listed | None:
    if not isinstance(value, list) or len(value) > MAX_AGENTS:
        return None
    agents = tuple(_entry(one, at, ("agents", "list", at), read) for at, one in enumerate(value))
    first: dict[str, int] = {}
    for at, agent in enumerate(agents):
        before = first.setdefault(agent.agent_id, at)
        if before != at and agent.agent_id:
            words = f"list[{before}] has the same id: ids are unique in a fleet"
            read.add(("agents", "list", at, "agentId"), words)
    return Listed(agents)


def _entry(entry: Any, at: int, path: Path, read: Read) -> AgentAsked:
    """One agent, read as in a file of agents, its problems below `path`."""
    found = read_fields(entry, at=at)
    for place, words in found.problems:
        read.add((*path, *place[1:]), words)
    return found.agent


def _matrix(value: Mapping[str, Any], read: Read) -> Matrix:
    columns = _mapping(value.get("columns"))
    rows = value.get("rows", ASK)
    per_agent = value.get("rowsPerAgent", 1)
    matrix = Matrix(
        variants=tuple(_variants(value.get("profiles", []), read)),
        rows_digest="" if rows == ASK else str(rows),
        id_column=str(columns.get("agentId", "")),
        task_column=str(columns.get("task", "")),
        profile_column=str(columns.get("profile", "")),
        fields={str(key): str(one) for key, one in _mapping(columns.get("fields")).items()},
        rows_per_agent=per_agent if isinstance(per_agent, int) else 1,
        group_by=str(value.get("groupBy", "")),
        row_text=str(value.get("rowText", "")),
    )
    for place, words in declared_problems(matrix):
        read.add(("agents", "matrix", *place.split(".")), words)
    return matrix


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _variants(value: Any, read: Read) -> Iterator[Variant]:
    seen: dict[str, int] = {}
    for at, entry in enumerate(value if isinstance(value, list) else []):
        path: Path = ("agents", "matrix", "profiles", at)
        if not isinstance(entry, Mapping):
            continue
        own = {key: one for key, one in entry.items() if key not in ("name", "agentId", "task")}
        asked = _entry(own, at, path, read)
        name = str(entry.get("name") or (asked.ref.slug if asked.ref else "") or f"p{at + 1}")
        before = seen.setdefault(name.lower(), at)
        if before != at:
            read.add((*path, "name"), f"profiles[{before}] has the same name: say another")
        yield Variant(name, asked)


def _check_message(body: Mapping[str, Any], agents: Agents, read: Read, *, is_pool: bool) -> None:
    if isinstance(agents, OnlyMachines):
        for name in _OF_AGENTS:
            if body.get(name):
                read.add((name,), "is for agents, and these are machines only: leave it out")
        return
    message = body.get("message", "")
    if not isinstance(message, str):
        return
    if is_pool and not message.strip():
        return
    if not message.strip():
        if words := _without_message(agents):
            read.add(("message",), words)
    else:
        fields = POOL_FIELDS if is_pool else _message_fields(agents, message)
        _check_text(message, ("message",), fields, read)
    if isinstance(agents, Matrix) and agents.row_text:
        path = ("agents", "matrix", "rowText")
        fields = (*ROW_FIELDS, *_likely(agents, agents.row_text))
        _check_text(agents.row_text, path, fields, read)


def _without_message(agents: Counted | Listed | Matrix) -> str:
    """What is missing when there is no message for all; "" if nothing is."""
    if isinstance(agents, Counted):
        return "is missing: what should each agent do?"
    if isinstance(agents, Listed):
        idle = [one.agent_id for one in agents.agents if one.task is None]
        return f"is missing, and {shorten(idle[0])} has no task of its own" if idle else ""
    return "" if agents.task_column or agents.has_many else "is missing, and no column is the task"


def _message_fields(agents: Counted | Listed | Matrix, message: str) -> Sequence[str]:
    if not isinstance(agents, Matrix):
        return LAUNCH_FIELDS
    built_in = MANY_ROWS if agents.has_many else ONE_ROW
    return (*built_in, *_likely(agents, message))


def _likely(matrix: Matrix, text: str) -> tuple[str, ...]:
    """Names that may be columns: the file is not looked at here, only plain names are let pass."""
    declared = (*matrix.fields, *((TASK,) if matrix.task_column else ()))
    return tuple(dict.fromkeys((*declared, *_FIELD.findall(text))))


def _check_text(text: str, path: Path, fields: Sequence[str], read: Read) -> None:
    try:
        if path == ("message",):
            read_prompt(text, fields=fields)
        else:
            parse_template(text, place=PLACE, fields=fields)
    except InvalidInput as error:
        for problem in error.problems:
            repair = problem.repair
            named = repair and Repair(repair.label, show_path(path), repair.value)
            read.add(path, problem.message, named)
