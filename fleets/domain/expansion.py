"""From a recipe and its rows to the launch: every agent with what it runs with and is asked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from fleets.domain.agent_plan import AgentAsked, AgentPlan, Resolve
from fleets.domain.agent_settling import find_saved, plan_agents, provider_problems
from fleets.domain.credentials import find_credentials
from fleets.domain.csv_rows import Table
from fleets.domain.definition import Counted, Definition, Listed
from fleets.domain.definition_tasks import Tasks
from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.ids import agent_ids
from fleets.domain.matrix import ROW_FIELDS, Cell, Matrix, cells
from fleets.domain.matrix_prompts import check_message, field_names, prompt_of, row_text
from fleets.domain.only_machines import OnlyMachines
from fleets.domain.spec import LaunchSpec
from fleets.domain.spec_cross import message_problems
from fleets.domain.spec_fields import MAX_PROMPT_BYTES
from fleets.domain.template import parse_template

# All prompts of one launch together.
MAX_PROMPTS_BYTES: Final = 64 * 1_024 * 1_024
_PROBLEMS_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Expansion:
    """A launch, and where each of its agents comes from.

    `rows` holds the rows (from 1) of every agent, empty where there are none; `profiles` the name
    of its profile in the matrix.
    """

    spec: LaunchSpec
    rows: tuple[tuple[int, ...], ...]
    profiles: tuple[str, ...]


def expand(
    definition: Definition, *, table: Table | None = None, resolve: Resolve | None = None
) -> Expansion:
    """The launch of a recipe. `table` are the rows of a matrix; `resolve` finds saved profiles.

    Raises InvalidInput at paths of the document, or at `rows` with the line of a row.
    """
    if definition.tasks is not None:
        return _pool(definition, definition.tasks, resolve)
    agents = definition.agents
    if isinstance(agents, OnlyMachines):
        return Expansion(_launch(definition), (), ())
    if isinstance(agents, Counted):
        return _alike(definition, agents, resolve)
    if isinstance(agents, Listed):
        plans = _settled(definition, agents.agents, "agents.list[{}]", resolve)
        return _expansion(definition, plans)
    if table is None:
        raise InvalidInput.at("rows", "The rows are missing: choose a CSV file with a header.")
    return _matrix(definition, agents, table, resolve)


def _pool(definition: Definition, tasks: Tasks, resolve: Resolve | None) -> Expansion:
    """The agents as they would be without the list, and the list."""
    if not tasks.listed:
        raise InvalidInput.at("tasks", "The tasks are missing: this definition asks for a list.")
    made = expand(replace(definition, tasks=None), resolve=resolve)
    spec = replace(made.spec, tasks=tasks.listed, is_same_session=tasks.is_same_session)
    if spec.prompt:
        problems = [replace(one, place="message") for one in message_problems(spec)]
        if problems:
            raise InvalidInput(problems)
    return replace(made, spec=spec)


def _launch(definition: Definition) -> LaunchSpec:
    """The launch without its agents."""
    return replace(definition.base, machine=definition.machine, answer=definition.answer)


def _alike(definition: Definition, agents: Counted, resolve: Resolve | None) -> Expansion:
    (plan,) = _settled(definition, (agents.asked,), "agents", resolve)
    names = agent_ids(agents.count)
    if plan.profile is None:
        # Without a profile they are what a launch by number makes.
        spec = replace(
            _launch(definition),
            count=agents.count,
            prompt=definition.message,
        )
        return Expansion(spec, ((),) * agents.count, ("",) * agents.count)
    return _expansion(definition, tuple(replace(plan, agent_id=name) for name in names))


def _expansion(definition: Definition, plans: tuple[AgentPlan, ...]) -> Expansion:
    spec = replace(
        _launch(definition),
        count=len(plans),
        prompt=definition.message,
        agents=plans,
    )
    return Expansion(spec, ((),) * len(plans), ("",) * len(plans))


def _settled(
    definition: Definition, asked: Sequence[AgentAsked], place: str, resolve: Resolve | None
) -> tuple[AgentPlan, ...]:
    """All agents with nothing left open, or every problem of them at its place."""
    found, missing = find_saved(asked, resolve)
    if missing:
        raise InvalidInput(
            Problem(f"{place.format(at)}.profile", one.message, moved=one.moved)
            for at, one in missing[:_PROBLEMS_SHOWN]
        )
    base = definition.base
    plans = plan_agents(asked, harness=base.harness, model=base.model, found=found)
    wrong = list(provider_problems(plans))
    if wrong:
        raise InvalidInput(
            Problem(f"{place.format(at)}.model", words) for at, words in wrong[:_PROBLEMS_SHOWN]
        )
    return plans


def _matrix(
    definition: Definition, matrix: Matrix, table: Table, resolve: Resolve | None
) -> Expansion:
    asked = [variant.asked for variant in matrix.variants] or [AgentAsked("")]
    plans = _settled(definition, asked, "agents.matrix.profiles[{}]", resolve)
    names = field_names(matrix, table.columns)
    _check_fields(definition, matrix, table)
    of_variant = {variant.name: plan for variant, plan in zip(matrix.variants, plans, strict=False)}
    grid = cells(matrix, table)
    made: list[AgentPlan] = []
    total = 0
    for index, cell in enumerate(grid, start=1):
        prompt = prompt_of(
            matrix, table, cell, index=index, message=definition.message, names=names
        )
        total += _checked(prompt, cell, table)
        if total > MAX_PROMPTS_BYTES:
            raise InvalidInput.at("rows", "All prompts together have more than 64 MiB.")
        plan = of_variant[cell.variant.name] if cell.variant else plans[0]
        made.append(replace(plan, agent_id=cell.agent_id, task=prompt))
    spec = replace(_launch(definition), count=len(made), agents=tuple(made), prompt="")
    return Expansion(
        spec,
        tuple(tuple(row + 1 for row in cell.rows) for cell in grid),
        tuple(cell.variant.name if cell.variant else "" for cell in grid),
    )


def _check_fields(definition: Definition, matrix: Matrix, table: Table) -> None:
    """Refuse fields that are no columns, now that the columns are known."""
    names = field_names(matrix, table.columns)
    if definition.message:
        check_message(definition.message, matrix, table.columns)
    if matrix.has_many:
        line = row_text(matrix, names, table.columns)
        parse_template(line, place="agents.matrix.rowText", fields=(*ROW_FIELDS, *names))


def _checked(prompt: str, cell: Cell, table: Table) -> int:
    """The bytes of a prompt that may be sent; its rows are named where it may not."""
    size = len(prompt.encode("utf-8"))
    words = ""
    if not prompt.strip():
        words = "nothing is asked: the prompt is empty."
    elif size > MAX_PROMPT_BYTES:
        words = f"the prompt has {size:,} bytes; at most 64 KiB fit."
    elif find_credentials(prompt):
        words = "the prompt would have a credential in it. Name a secret instead."
    if words:
        raise InvalidInput.at("rows", f"Line {table.lines[cell.rows[0]]}: {words}")
    return size
