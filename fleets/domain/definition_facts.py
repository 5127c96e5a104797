"""What lists show of a definition: its shape in a few words, its size, its profiles."""

from dataclasses import dataclass, replace
from typing import Final

from fleets.domain.definition import Counted, Definition, Listed
from fleets.domain.matrix import Matrix
from fleets.domain.only_machines import OnlyMachines

_CROSS: Final = " × "


@dataclass(frozen=True, slots=True)
class DefinitionFacts:
    """`agents_count` None: the rows of a launch decide."""

    name: str
    description: str
    tags: tuple[str, ...]
    shape: str
    agents_count: int | None
    budget_nusd: int | None
    profile_slugs: tuple[str, ...]


def facts_of(
    definition: Definition, *, rows: int | None, agents_count: int | None
) -> DefinitionFacts:
    """The facts of a recipe; `rows` are those stored with it, `agents_count` what they make."""
    return DefinitionFacts(
        name=definition.base.name,
        description=definition.description,
        tags=definition.base.tags,
        shape=shape_of(definition, rows=rows),
        agents_count=agents_count,
        budget_nusd=definition.base.budget_nusd,
        profile_slugs=tuple(dict.fromkeys(ref.slug for ref in definition.refs)),
    )


def shape_of(definition: Definition, *, rows: int | None) -> str:
    """Its agents in a few words: "3 profiles × 40 rows"."""
    if definition.tasks is not None:
        few = shape_of(replace(definition, tasks=None), rows=rows)
        listed = definition.tasks.listed
        many = _counted(len(listed), "task") if listed else "tasks at launch"
        return f"{many} over {few.removeprefix('list of ')}"
    agents = definition.agents
    if isinstance(agents, Counted):
        named = f" of {agents.asked.ref.slug}" if agents.asked.ref else ""
        return f"{_counted(agents.count, 'agent')}{named}"
    if isinstance(agents, OnlyMachines):
        lead = ", one a coordinator" if agents.has_coordinator else ""
        return f"{_counted(agents.count, 'machine')} only{lead}"
    if isinstance(agents, Listed):
        return f"list of {_counted(len(agents.agents), 'agent')}"
    return _of_matrix(agents, rows)


def _of_matrix(matrix: Matrix, rows: int | None) -> str:
    shown = "rows at launch" if rows is None else _counted(rows, "row")
    if matrix.group_by:
        shown += f" by {matrix.group_by[:30]}"
    elif matrix.rows_per_agent > 1:
        shown += f", {matrix.rows_per_agent:,} each"
    if not matrix.variants:
        return shown
    profiles = _counted(len(matrix.variants), "profile")
    return f"{shown}, {profiles}" if matrix.profile_column else f"{profiles}{_CROSS}{shown}"


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"
