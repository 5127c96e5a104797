"""What a launch asks for, and reading it from a form or a command with every problem at once."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeVar

from fleets.domain.afterwards import DEFAULT_DELAY_S
from fleets.domain.agent_plan import AgentPlan, Resolve, numbered
from fleets.domain.agents_file import PLACE as AGENTS
from fleets.domain.answer_check import AnswerCheck
from fleets.domain.answer_fields import read_answer_fields
from fleets.domain.duration_input import parse_duration_s
from fleets.domain.errors import InvalidInput, Problem, Repair
from fleets.domain.harnesses import DEFAULT_HARNESS, HARNESSES
from fleets.domain.ids import AGENT_ID, MAX_AGENTS, agent_ids, check_fleet_id
from fleets.domain.launch_agents import read_launch_agents
from fleets.domain.machine_input import PLACE as MACHINE
from fleets.domain.machine_input import read_machine
from fleets.domain.machine_needs import MachineNeeds
from fleets.domain.money_input import parse_usd
from fleets.domain.only_machines import PLACE as MACHINES
from fleets.domain.only_machines import OnlyMachines, read_only_machines
from fleets.domain.placement import Auto, PlacementRule
from fleets.domain.placement_input import read_placement
from fleets.domain.pool import PLACE as TASKS
from fleets.domain.pool import POOL_FIELDS, PoolTask, read_tasks
from fleets.domain.prices import MACHINE_SIZES, OFFERED_MODELS, MachineSize
from fleets.domain.prompt_text import read_prompt_text
from fleets.domain.spec_cross import cross_problems
from fleets.domain.spec_fields import (
    is_model_id,
    read_choice,
    read_line,
    read_tags,
    read_whole,
    shorten,
)
from fleets.domain.status import Afterwards
from fleets.domain.template import LAUNCH_FIELDS, Template, parse_template

DEFAULT_MODEL: Final = "gpt-4.1-mini"
DEFAULT_SIZE: Final = "small"
DEFAULT_LIFETIME_S: Final = 3_600
DEFAULT_TASK_TIMEOUT_S: Final = 600
MAX_NAME_CHARS: Final = 80
MIN_LIFETIME_S: Final = 60
MAX_LIFETIME_S: Final = 7 * 86_400
MIN_TASK_TIMEOUT_S: Final = 10
MAX_AFTER_DELAY_S: Final = 7 * 86_400
AUTO: Final = "auto"
_FRESH: Final = "fresh"
_SAME: Final = "same"

_PACKED: Final[PlacementRule] = Auto()
_ASKS_NOTHING: Final = AnswerCheck()
_NO_NEEDS: Final = MachineNeeds()
_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """A launch of `count` agents, alike or (with `agents`) each its own; with `only_machines` there
    are none. Money in nusd, times in seconds.

    With `tasks` the agents are a pool that drains this list, each task in a session of its own
    unless `is_same_session`. `prompt` "": each agent of `agents` runs its own task, each of `tasks`
    is sent as it is. `budget_nusd` None: no budget. `at_once` None: `auto`, as many as the budget
    can hold. `answer` is what a good answer is. `parent_id` is the fleet that it is a child of, ""
    for none, and `parent_agent` the agent there for whom it is launched.
    """

    name: str
    team_slug: str
    count: int
    prompt: str
    harness: str = DEFAULT_HARNESS
    model: str = DEFAULT_MODEL
    size: str = DEFAULT_SIZE
    budget_nusd: int | None = None
    at_once: int | None = None
    after: Afterwards = Afterwards.DELETE
    after_delay_s: int = DEFAULT_DELAY_S
    lifetime_s: int = DEFAULT_LIFETIME_S
    task_timeout_s: int = DEFAULT_TASK_TIMEOUT_S
    tags: tuple[str, ...] = ()
    agents: tuple[AgentPlan, ...] = ()
    placement: PlacementRule = _PACKED
    machine: MachineNeeds = _NO_NEEDS
    only_machines: OnlyMachines | None = None
    tasks: tuple[PoolTask, ...] = ()
    is_same_session: bool = False
    answer: AnswerCheck = _ASKS_NOTHING
    parent_id: str = ""
    parent_agent: str = ""

    @property
    def task_count(self) -> int:
        """How many tasks there are: those of the list, else one for each agent."""
        return len(self.tasks) or self.count

    @property
    def most_at_once(self) -> int:
        """How many turns can be in flight at once, whatever the budget: an agent does one."""
        return min(self.count, self.task_count)

    @property
    def plans(self) -> tuple[AgentPlan, ...]:
        """What is asked for every agent, in order."""
        if self.agents or self.only_machines:
            return self.agents
        names = agent_ids(self.count)
        return tuple(numbered(name, harness=self.harness, model=self.model) for name in names)

    @property
    def machine_size(self) -> MachineSize:
        """The size of every machine."""
        return MACHINE_SIZES[self.size]

    @property
    def template(self) -> Template:
        """The prompt as a checked template; parse it once when many prompts are needed."""
        return parse_template(self.prompt, place="prompt", fields=_fields(bool(self.tasks)))


def _fields(is_pool: bool) -> Collection[str]:  # noqa: FBT001  # which of two sets of names
    return POOL_FIELDS if is_pool else LAUNCH_FIELDS


def prompt_for(plan: AgentPlan, *, index: int, template: Template) -> str:
    """What an agent is asked: the message for all, else its own task. `index` counts from 1."""
    if template.source:
        return template.fill(fields_of(plan.agent_id, index=index))
    return plan.task or ""


def fields_of(agent_id: str, *, index: int) -> dict[str, str]:
    """What a prompt's fields are for one agent; `index` counts from 1."""
    return {"agent_id": agent_id, "index": str(index)}


def parse_launch(raw: Mapping[str, str], *, resolve: Resolve | None = None) -> LaunchSpec:
    """A launch from form fields; what is missing takes its default. `resolve` finds the saved
    profiles that a file of agents names; without it they are refused.

    Fields: name, team, count, profile (see `ref_of_words`), prompt, harness, model, size, budget
    ("" for none), at_once ("auto" or a number), after, after_delay, lifetime, task_timeout
    (durations as people write them), tags (separated by commas), placement (auto, dedicated or a
    number), parent (a fleet's id), parent_agent, machine (what machines get, as JSON), machines and
    coordinator (then there are no agents), agents (a file of them: then their number counts and a
    prompt is not needed), tasks (a list of them: then the agents are a pool, and a prompt is
    the message around each), session ("same": one for all tasks of an agent), and what a good
    answer is, as `domain.answer_fields` has it. Raises InvalidInput with the problems of all
    fields, in that order.
    """
    problems: list[Problem] = []
    has_file, has_tasks = (bool(raw.get(name, "").strip()) for name in (AGENTS, TASKS))
    is_bare = bool(raw.get(MACHINES, "").strip())
    required = _required(has_file=has_file, has_tasks=has_tasks, is_bare=is_bare)

    def read(field: str, parse: Callable[[str], _Value], default: _Value) -> _Value:
        text = raw.get(field, "") if field in _WHOLE_TEXTS else raw.get(field, "").strip()
        try:
            return parse(text) if text or field in required else default
        except InvalidInput as error:
            problems.extend(error.problems)
            return default

    bare = _only_machines(raw, problems)
    spec = LaunchSpec(
        only_machines=bare,
        name=read("name", _name, ""),
        team_slug=read("team", _team, ""),
        count=0 if bare else 1 if has_file else read("count", _count, 1),
        prompt=read("prompt", lambda text: read_prompt(text, fields=_fields(has_tasks)), ""),
        harness=read("harness", _harness, DEFAULT_HARNESS),
        model=read("model", _model, DEFAULT_MODEL),
        size=read("size", _size, DEFAULT_SIZE),
        budget_nusd=read("budget", _budget, None),
        at_once=read("at_once", _at_once, None),
        after=read("after", _after, Afterwards.DELETE),
        after_delay_s=read("after_delay", _after_delay, DEFAULT_DELAY_S),
        lifetime_s=read("lifetime", _lifetime, DEFAULT_LIFETIME_S),
        task_timeout_s=read("task_timeout", _task_timeout, DEFAULT_TASK_TIMEOUT_S),
        tags=read("tags", _tags, ()),
        placement=read("placement", read_placement, _PACKED),
        machine=read(MACHINE, read_machine, _NO_NEEDS),
        tasks=read(TASKS, read_tasks, ()),
        is_same_session=has_tasks and read("session", _session, _FRESH) == _SAME,
        answer=_answer(raw, problems),
        parent_id=read("parent", _parent, ""),
        parent_agent=read("parent_agent", _parent_agent, ""),
    )
    if bare is not None:
        return _without_agents(spec, raw, problems)
    settled = partial(read_launch_agents, raw, read, is_pool=has_tasks, resolve=resolve)
    agents = settled(count=spec.count, harness=spec.harness, model=spec.model)
    spec = replace(spec, agents=agents, count=len(agents) or spec.count)
    return _checked(spec, raw, problems)


def _checked(spec: LaunchSpec, raw: Mapping[str, str], problems: list[Problem]) -> LaunchSpec:
    """The launch, unless something is wrong with it. A lifetime below the default for a task bounds
    that too.
    """
    if not raw.get("task_timeout", "").strip():
        spec = replace(spec, task_timeout_s=min(DEFAULT_TASK_TIMEOUT_S, spec.lifetime_s))
    wrong = {problem.place for problem in problems}
    problems += [problem for problem in cross_problems(spec) if problem.place not in wrong]
    if problems:
        raise InvalidInput(problems)
    return spec


def _only_machines(raw: Mapping[str, str], problems: list[Problem]) -> OnlyMachines | None:
    try:
        return read_only_machines(raw)
    except InvalidInput as error:
        problems.extend(error.problems)
        return None


def _without_agents(
    spec: LaunchSpec, raw: Mapping[str, str], problems: list[Problem]
) -> LaunchSpec:
    """A launch of machines only. Nobody knows when they are done with: unless something is said,
    they go with the end of their lifetime.
    """
    if problems:
        raise InvalidInput(problems)
    if raw.get("after_delay", "").strip():
        return spec
    return replace(spec, after_delay_s=spec.lifetime_s)


def _answer(raw: Mapping[str, str], problems: list[Problem]) -> AnswerCheck:
    try:
        return read_answer_fields(raw)
    except InvalidInput as error:
        problems.extend(error.problems)
        return _ASKS_NOTHING


def _required(*, has_file: bool, has_tasks: bool, is_bare: bool) -> frozenset[str]:
    required = _REQUIRED - _OF_NUMBERED if has_file or is_bare else _REQUIRED
    return required - {"prompt"} if has_tasks else required


_REQUIRED: Final = frozenset({"name", "team", "count", "prompt"})
# Stripped, their lines would be counted wrong.
_WHOLE_TEXTS: Final = frozenset({AGENTS, TASKS})
# What a file of agents says in its own way.
_OF_NUMBERED: Final = frozenset({"count", "prompt"})


def _name(text: str) -> str:
    return read_line(text, place="name", what="The name", most_chars=MAX_NAME_CHARS)


def _team(text: str) -> str:
    if not text:
        raise InvalidInput.at("team", "The team is missing: a fleet belongs to one team.")
    if not _SLUG.fullmatch(text):
        raise InvalidInput.at("team", f"“{shorten(text)}” is no team's short name.")
    return text


def _parent(text: str) -> str:
    return check_fleet_id(text, place="parent")


def _parent_agent(text: str) -> str:
    if AGENT_ID.fullmatch(text):
        return text
    raise InvalidInput.at("parent_agent", f"“{shorten(text)}” is no agent's id.")


def _count(text: str) -> int:
    return read_whole(text, place="count", what="The number of agents", least=1, most=MAX_AGENTS)


def _session(text: str) -> str:
    return read_choice(text, place="session", what="choice", choices=(_FRESH, _SAME))


def read_prompt(text: str, *, fields: Collection[str] = LAUNCH_FIELDS) -> str:
    """A message for every agent of a fleet, with these fields.

    Raises InvalidInput at `prompt`, quoting no secret.
    """
    missing = "The prompt is missing: what should each agent do?"
    told = read_prompt_text(text, place="prompt", missing=missing)
    return parse_template(told, place="prompt", fields=fields).source


def _harness(text: str) -> str:
    return read_choice(text, place="harness", what="harness", choices=HARNESSES)


def _model(text: str) -> str:
    if is_model_id(text):
        return text
    raise InvalidInput.at(
        "model",
        f"“{shorten(text)}” is no model id. Right would be {' or '.join(OFFERED_MODELS[3:5])}.",
    )


def _size(text: str) -> str:
    return read_choice(text, place="size", what="machine size", choices=MACHINE_SIZES)


def _budget(text: str) -> int | None:
    budget_nusd = parse_usd(text, place="budget")
    if budget_nusd == 0:
        raise InvalidInput.at(
            "budget",
            "A budget of $0 refuses every call. Leave it empty for none, or write dollars.",
            repair=Repair("No budget", "budget", ""),
        )
    return budget_nusd


def _at_once(text: str) -> int | None:
    if text.lower() == AUTO:
        return None
    try:
        return read_whole(text, place="at_once", what="At once", least=1, most=MAX_AGENTS)
    except InvalidInput as error:
        message = f"{error.problems[0].message} Or {AUTO}: as many as the budget can hold."
        raise InvalidInput.at(
            "at_once", message, repair=Repair(f"Use {AUTO}", "at_once", AUTO)
        ) from None


def _after(text: str) -> Afterwards:
    return Afterwards(
        read_choice(text, place="after", what="choice", choices=[word.value for word in Afterwards])
    )


def _after_delay(text: str) -> int:
    return parse_duration_s(text, place="after_delay", least_s=0, most_s=MAX_AFTER_DELAY_S)


def _lifetime(text: str) -> int:
    return parse_duration_s(text, place="lifetime", least_s=MIN_LIFETIME_S, most_s=MAX_LIFETIME_S)


def _task_timeout(text: str) -> int:
    return parse_duration_s(
        text, place="task_timeout", least_s=MIN_TASK_TIMEOUT_S, most_s=MAX_LIFETIME_S
    )


def _tags(text: str) -> tuple[str, ...]:
    return read_tags(text, place="tags")
