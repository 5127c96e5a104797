"""Profiles × rows: which rows make which agent, and what the agent is called.

Every row is in exactly one agent of each profile, in the order of the file.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from fleets.domain.agent_plan import AgentAsked
from fleets.domain.csv_rows import Table
from fleets.domain.errors import InvalidInput
from fleets.domain.ids import MAX_AGENTS
from fleets.domain.matrix_ids import Names, legal_id
from fleets.domain.named_fields import nearest
from fleets.domain.spec_fields import shorten

ONE_ROW: Final = ("agent_id", "index", "profile", "row")
MANY_ROWS: Final = ("agent_id", "index", "profile", "rows", "row_count")
ROW_FIELDS: Final = ("row",)
TASK: Final = "task"
MAX_VARIANTS: Final = 100


@dataclass(frozen=True, slots=True)
class Variant:
    """One profile of a matrix; `asked` says what its agents run with, under its own name."""

    name: str
    asked: AgentAsked


@dataclass(frozen=True, slots=True)
class Matrix:
    """How rows become agents. Columns are named by their headers, "" for none.

    `rows_digest` names the stored rows; "" asks for rows at the launch. `fields` gives columns the
    names that messages use; the others are called after their headers. An agent gets
    `rows_per_agent` rows, or all that agree in `group_by`; `row_text` is then one row's text.
    """

    variants: tuple[Variant, ...] = ()
    rows_digest: str = ""
    id_column: str = ""
    task_column: str = ""
    profile_column: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    rows_per_agent: int = 1
    group_by: str = ""
    row_text: str = ""

    @property
    def has_many(self) -> bool:
        """Whether one agent can have several rows."""
        return bool(self.group_by) or self.rows_per_agent > 1


@dataclass(frozen=True, slots=True)
class Cell:
    """An agent of a matrix: its id, its variant (None: the fleet's defaults), its rows from 0."""

    agent_id: str
    variant: Variant | None
    rows: tuple[int, ...]


def cells(matrix: Matrix, table: Table) -> tuple[Cell, ...]:
    """All agents, in the order of their first rows, the variants of the same rows together.

    Raises InvalidInput where a row names no known profile, or when there are too many.
    """
    groups = _groups(matrix, table)
    crossed: Sequence[Variant | None] = matrix.variants or (None,)
    if matrix.profile_column and matrix.variants:
        crossed = (None,)
    count = len(groups) * len(crossed)
    if count > MAX_AGENTS:
        raise InvalidInput.at(
            "agents.matrix",
            f"{len(groups):,} × {len(crossed)} are {count:,} agents; at most {MAX_AGENTS:,} fit."
            " Give each agent several rows, or use fewer.",
        )
    names = Names()
    by_name = {variant.name: variant for variant in matrix.variants}
    return tuple(
        Cell(
            names.take(_wanted(matrix, table, rows, variant=variant)),
            variant if variant is not None else by_name.get(profile),
            rows,
        )
        for profile, rows in groups
        for variant in crossed
    )


def column_of(header: str, columns: Sequence[str]) -> int:
    """A column by its header; white space around and capitals do not count."""
    wanted = " ".join(header.split())
    if wanted in columns:
        return columns.index(wanted)
    for at, one in enumerate(columns):
        if one.lower() == wanted.lower():
            return at
    near = nearest(wanted, columns)
    known = ", ".join(shorten(one) for one in columns[:12])
    hint = f"Did you mean “{shorten(near)}”?" if near else f"The file has: {known}."
    raise InvalidInput.at(
        "agents.matrix.columns", f"There is no column “{shorten(header)}”. {hint}"
    )


def _groups(matrix: Matrix, table: Table) -> list[tuple[str, tuple[int, ...]]]:
    """The profile's name and the rows of each agent; a row is in exactly one group."""
    of_profile = _profiles(matrix, table)
    common = column_of(matrix.group_by, table.columns) if matrix.group_by else None
    together: dict[tuple[str, str], list[int]] = {}
    for row, cells_ in enumerate(table.rows):
        group = "" if common is None else cells_[common].strip()
        together.setdefault((of_profile[row], group), []).append(row)
    if common is not None:
        return [(profile, tuple(rows)) for (profile, _), rows in together.items()]
    size = matrix.rows_per_agent
    parts = [
        (profile, tuple(rows[start : start + size]))
        for (profile, _), rows in together.items()
        for start in range(0, len(rows), size)
    ]
    return sorted(parts, key=lambda part: part[1][0])


def _profiles(matrix: Matrix, table: Table) -> list[str]:
    """The variant that every row names, "" where rows name none."""
    if not matrix.profile_column:
        return [""] * len(table.rows)
    at = column_of(matrix.profile_column, table.columns)
    known = {variant.name.lower(): variant.name for variant in matrix.variants}
    found = []
    for row, cells_ in enumerate(table.rows):
        name = cells_[at].strip()
        if name.lower() not in known:
            near = nearest(name, list(known.values()))
            hint = f"Did you mean {near}?" if near else f"There are {', '.join(known.values())}."
            where = f"Line {table.lines[row]}, {table.columns[at]}"
            words = f"no profile “{shorten(name)}” here." if name else "the profile is missing."
            raise InvalidInput.at("rows", f"{where}: {words} {hint}")
        found.append(known[name.lower()])
    return found


def _wanted(
    matrix: Matrix, table: Table, rows: tuple[int, ...], *, variant: Variant | None
) -> tuple[str, str]:
    """The id that an agent should have, in two parts: of its rows, and of its variant."""
    header = matrix.id_column or matrix.group_by
    own = legal_id(table.rows[rows[0]][column_of(header, table.columns)]) if header else ""
    suffix = (
        f"-{legal_id(variant.name)}" if variant is not None and len(matrix.variants) > 1 else ""
    )
    return own or f"row-{rows[0] + 1}", suffix


def declared_problems(matrix: Matrix) -> Iterator[tuple[str, str]]:
    """What the matrix itself has wrong, whatever the rows: place below it, and words."""
    if matrix.group_by and matrix.rows_per_agent > 1:
        yield "rowsPerAgent", "and groupBy exclude each other: leave one out"
    if matrix.profile_column and not matrix.variants:
        yield "columns.profile", "chooses among profiles, and there are none: list them"
    if matrix.row_text and not matrix.has_many:
        yield "rowText", "is used where an agent has several rows: say rowsPerAgent or groupBy"
    for name in matrix.fields:
        if name in (*ONE_ROW, *MANY_ROWS):
            yield f"columns.fields.{name}", f"{{{name}}} stands for something else in messages"
