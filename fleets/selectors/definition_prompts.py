"""The exact prompts of a definition: of every agent, or of every task of a pool."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fleets.domain.definition import Counted, Listed, check_definition
from fleets.domain.definition import Definition as Recipe
from fleets.domain.errors import InvalidInput
from fleets.domain.expansion import Expansion
from fleets.domain.pool import task_prompt
from fleets.domain.spec import LaunchSpec, prompt_for
from fleets.models import Definition, User
from fleets.selectors.definition_check import launch_of, rows_of
from fleets.selectors.definition_page import revision_of
from fleets.selectors.definition_rows import RowsShown, shown_rows

MOST_PROMPTS: Final = 25


@dataclass(frozen=True, slots=True)
class PromptRow:
    """One agent with the prompt it gets; `rows` are the numbers of its rows, from 1. Of a pool one
    task with what is sent for it, whoever takes it.
    """

    index: int
    agent_id: str
    profile: str
    harness: str
    model: str
    rows: str
    prompt: str


@dataclass(frozen=True, slots=True)
class PromptPage:
    """Agents (or tasks, by `noun`) from `first` (1) on; `problem` "" or why there are none."""

    rows: Sequence[PromptRow] = ()
    first: int = 1
    total: int = 0
    stored: RowsShown | None = None
    asks_for_rows: bool = False
    asks_for_tasks: bool = False
    noun: str = "agent"
    has_agents: bool = True
    problem: str = ""

    @property
    def last(self) -> int:
        """The number of the last agent shown."""
        return self.first + len(self.rows) - 1

    @property
    def older(self) -> int:
        """Where the page before begins, 0 without one."""
        return max(1, self.first - MOST_PROMPTS) if self.first > 1 else 0

    @property
    def newer(self) -> int:
        """Where the next page begins, 0 without one."""
        return self.last + 1 if self.rows and self.last < self.total else 0


def prompt_page(
    definition: Definition, user: User, *, number: int | None = None, first: int = 1
) -> PromptPage | None:
    """The agents of a revision as a launch would make them now, with every prompt as it is sent.

    None where there is no such revision.
    """
    found = revision_of(definition, number)
    if found is None:
        return None
    read = check_definition(json.loads(found.body))
    if read.definition is None:
        return PromptPage(problem=str(read.problems[0]))
    if read.definition.asks_for_rows or read.definition.asks_for_tasks:
        return PromptPage(
            asks_for_rows=read.definition.asks_for_rows,
            asks_for_tasks=read.definition.asks_for_tasks,
        )
    try:
        stored, table = rows_of(read.definition)
        expansion = launch_of(read.definition, table=table, user=user)
    except InvalidInput as error:
        return PromptPage(problem=str(error.problems[0]))
    spec = expansion.spec
    total = spec.task_count
    if not total:
        return PromptPage(has_agents=False)
    first = min(max(1, first), total)
    return PromptPage(
        rows=_task_prompts(spec, first)
        if spec.tasks
        else _prompts(read.definition, expansion, first),
        noun="task" if spec.tasks else "agent",
        first=first,
        total=total,
        stored=shown_rows(stored, table) if stored and table else None,
    )


def _prompts(recipe: Recipe, expansion: Expansion, first: int) -> list[PromptRow]:
    spec = expansion.spec
    template = spec.template
    plans = spec.plans[first - 1 : first - 1 + MOST_PROMPTS]
    return [
        PromptRow(
            index=index,
            agent_id=plan.agent_id,
            profile=expansion.profiles[index - 1] or _profile_of(recipe, index),
            harness=plan.harness,
            model=plan.model,
            rows=_span(expansion.rows[index - 1]),
            prompt=prompt_for(plan, index=index, template=template),
        )
        for index, plan in enumerate(plans, start=first)
    ]


def _task_prompts(spec: LaunchSpec, first: int) -> list[PromptRow]:
    template = spec.template
    tasks = spec.tasks[first - 1 : first - 1 + MOST_PROMPTS]
    return [
        PromptRow(
            index=index,
            agent_id=task.task_id,
            profile="",
            harness="",
            model="",
            rows="",
            prompt=task_prompt(task, index=index, template=template),
        )
        for index, task in enumerate(tasks, start=first)
    ]


def _profile_of(recipe: Recipe, index: int) -> str:
    agents = recipe.agents
    if isinstance(agents, Counted):
        asked = agents.asked
    elif isinstance(agents, Listed):
        asked = agents.agents[index - 1]
    else:
        return ""
    if asked.ref is not None:
        return str(asked.ref)
    return str((asked.profile or {}).get("name") or "")


def _span(rows: tuple[int, ...]) -> str:
    """Numbers of rows in few words: "3", "1–5", "2, 7, 9 and 4 more"."""
    if len(rows) > 2 and rows[-1] - rows[0] == len(rows) - 1:
        return f"{rows[0]}–{rows[-1]}"
    shown = ", ".join(map(str, rows[:3]))
    return f"{shown} and {len(rows) - 3} more" if len(rows) > 3 else shown
