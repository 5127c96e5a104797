"""A recipe in headed groups of facts, as its page shows them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from fleets.domain.afterwards import afterwards_label
from fleets.domain.agent_plan import AgentAsked
from fleets.domain.answer_check import CheckKind
from fleets.domain.definition import Counted, Definition, Listed
from fleets.domain.definition_facts import shape_of
from fleets.domain.machine_needs import DEFAULT_ENVIRONMENT, MachineNeeds
from fleets.domain.matrix import Matrix
from fleets.domain.money import show_limit
from fleets.domain.numbers import show_duration_s
from fleets.domain.only_machines import OnlyMachines
from fleets.domain.placement_input import placement_word
from fleets.models import StoredRows

_MOST_LISTED: Final = 20

Fact = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what is under it, as (what, value)."""

    title: str
    facts: Sequence[Fact]


def outline(recipe: Definition, *, rows: StoredRows | None) -> list[Section]:
    """The groups, in the order of the document; a group without facts is left out."""
    count = rows.count if rows else None
    found = [
        Section(_heading(recipe), [("makes", shape_of(recipe, rows=count)), *_agents(recipe)]),
        Section("Tasks", list(_tasks(recipe))),
        Section("Rows", list(_rows(recipe, rows))),
        Section("Limits", list(_limits(recipe))),
        Section("Machines", list(_machines(recipe.machine, recipe.base.size))),
        Section("A good answer", list(_answer(recipe))),
    ]
    return [section for section in found if section.facts]


def _heading(recipe: Definition) -> str:
    return "Without agents" if isinstance(recipe.agents, OnlyMachines) else "Agents"


def _agents(recipe: Definition) -> Iterator[Fact]:
    agents = recipe.agents
    if isinstance(agents, OnlyMachines):
        yield "workers", f"{agents.workers:,}"
        yield "coordinator", "one" if agents.has_coordinator else "none"
        return
    yield "unless they say otherwise", f"{recipe.base.harness}, {recipe.base.model}"
    yield "placement", placement_word(recipe.base.placement) or "auto"
    if isinstance(agents, Counted):
        if agents.asked.ref or agents.asked.profile:
            yield "profile", _asked(agents.asked)
    elif isinstance(agents, Listed):
        for one in agents.agents[:_MOST_LISTED]:
            yield one.agent_id, _asked(one)
        if len(agents.agents) > _MOST_LISTED:
            yield "and", f"{len(agents.agents) - _MOST_LISTED:,} more"
    elif isinstance(agents, Matrix):
        for variant in agents.variants:
            yield variant.name, _asked(variant.asked)


def _asked(asked: AgentAsked) -> str:
    if asked.ref is not None:
        profile = f"profile {asked.ref}"
    elif asked.profile is not None:
        profile = f"profile {asked.profile.get('name') or 'written out'}"
    else:
        profile = "no profile"
    placement = placement_word(asked.placement)
    parts = [profile, asked.harness or "", asked.model.model or "", placement]
    return ", ".join(part for part in parts if part)


def _tasks(recipe: Definition) -> Iterator[Fact]:
    if recipe.tasks is None:
        return
    listed = recipe.tasks.listed
    yield "tasks", f"{len(listed):,}, taken as agents are free" if listed else "with each launch"
    yield "session", "one for all tasks of an agent" if recipe.tasks.is_same_session else "new each"


def _rows(recipe: Definition, rows: StoredRows | None) -> Iterator[Fact]:
    matrix = recipe.agents
    if not isinstance(matrix, Matrix):
        return
    if rows is None:
        yield "rows", "come with each launch"
    else:
        yield "rows", f"{rows.count:,} of {rows.file_name or 'a file'}"
        yield "columns", ", ".join(rows.columns)
    for what, column in (
        ("agent id from", matrix.id_column),
        ("task from", matrix.task_column),
        ("profile from", matrix.profile_column),
        ("grouped by", matrix.group_by),
    ):
        if column:
            yield what, column
    if matrix.rows_per_agent > 1:
        yield "rows per agent", f"{matrix.rows_per_agent:,}"
    for name, column in matrix.fields.items():
        yield f"{{{name}}}", column


def _limits(recipe: Definition) -> Iterator[Fact]:
    base = recipe.base
    yield "budget", "none" if base.budget_nusd is None else show_limit(base.budget_nusd)
    yield "lifetime", show_duration_s(base.lifetime_s)
    if base.only_machines is None:
        yield "at once", "auto" if base.at_once is None else f"{base.at_once:,}"
        yield "per task", show_duration_s(base.task_timeout_s)
    label = afterwards_label(base.after, after_delay_s=base.after_delay_s)
    yield ("once all are made" if base.only_machines else "afterwards"), label


def _machines(needs: MachineNeeds, size: str) -> Iterator[Fact]:
    yield "size", size
    if needs.template:
        yield "template", needs.template
    else:
        yield "image", needs.image or DEFAULT_ENVIRONMENT
    if needs.git:
        yield "git", f"{needs.git.url} {needs.git.ref}".strip()
    for one in needs.files[:_MOST_LISTED]:
        yield "file", f"{one.path}, {len(one.content.encode()):,} bytes"
    if needs.setup:
        yield "set-up", needs.setup.command
        yield "set-up may take", show_duration_s(needs.setup.timeout_s)
    if needs.secrets:
        yield "secrets", ", ".join(needs.secrets)
    if needs.egress:
        implicit = " and the platform's own" if needs.egress.with_implicit else " only"
        yield "egress", ", ".join(needs.egress.domains) + implicit


def _answer(recipe: Definition) -> Iterator[Fact]:
    check = recipe.answer
    if check.kind is CheckKind.NONE and check.shape.value == "text":
        return
    yield "shape", check.shape.value.replace("_", " ")
    yield "check", check.kind.value.replace("_", " ")
    for what, value in (
        ("pattern", check.pattern),
        ("field", check.field),
        ("command", check.command),
    ):
        if value:
            yield what, value
