"""What the agents of a matrix are asked: columns by their names, one row or several for each."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from fleets.domain.csv_rows import Table
from fleets.domain.errors import InvalidInput
from fleets.domain.matrix import MANY_ROWS, ONE_ROW, ROW_FIELDS, TASK, Cell, Matrix, column_of
from fleets.domain.template import Template, parse_template

_NO_NAME: Final = re.compile(r"[^a-z0-9]+")


def field_names(matrix: Matrix, columns: Sequence[str]) -> dict[str, int]:
    """The names that messages may use for columns, each with the column's place.

    Raises InvalidInput at `agents.matrix.columns` for a column that is not in the file.
    """
    named = {name: column_of(header, columns) for name, header in matrix.fields.items()}
    if matrix.task_column:
        named.setdefault(TASK, column_of(matrix.task_column, columns))
    taken = {*named, *ONE_ROW, *MANY_ROWS}
    for at, header in enumerate(columns):
        if at in named.values():
            continue
        name = _plain(header) or f"column_{at + 1}"
        unique, again = name, 1
        while unique in taken:
            again += 1
            unique = f"{name}_{again}"
        taken.add(unique)
        named[unique] = at
    return named


def message_fields(matrix: Matrix, columns: Sequence[str]) -> tuple[str, ...]:
    """What a message may name: of several rows only what they have in common."""
    names = field_names(matrix, columns)
    if not matrix.has_many:
        return (*ONE_ROW, *names)
    common = column_of(matrix.group_by, columns) if matrix.group_by else None
    return (*MANY_ROWS, *(name for name, at in names.items() if at == common))


def check_message(message: str, matrix: Matrix, columns: Sequence[str]) -> None:
    """Refuse fields that are no columns, and those that differ between the rows of one agent."""
    names, allowed = field_names(matrix, columns), message_fields(matrix, columns)
    template = parse_template(
        message, place="message", fields=tuple({**dict.fromkeys(allowed), **names})
    )
    for name in sorted(template.fields - set(allowed)):
        words = f"{{{name}}} differs from row to row, and an agent has several here."
        raise InvalidInput.at("message", f"{words} Name it in rowText, and say {{rows}} here.")


def prompt_of(
    matrix: Matrix, table: Table, cell: Cell, *, index: int, message: str, names: Mapping[str, int]
) -> str:
    """What this agent is asked; `index` counts agents from 1, `names` are `field_names`."""
    values = {
        "agent_id": cell.agent_id,
        "index": str(index),
        "profile": cell.variant.name if cell.variant else "",
    }
    first = table.rows[cell.rows[0]]
    if not matrix.has_many:
        values["row"] = str(cell.rows[0] + 1)
        values |= _cells_of(first, names)
        return _template(message or _default(matrix), tuple(values)).fill(values)
    line = _template(row_text(matrix, names, table.columns), (*ROW_FIELDS, *names))
    texts = [
        line.fill({"row": str(row + 1), **_cells_of(table.rows[row], names)}) for row in cell.rows
    ]
    values |= {"rows": "\n".join(texts), "row_count": str(len(cell.rows))}
    if matrix.group_by:
        common = column_of(matrix.group_by, table.columns)
        values |= {name: first[at] for name, at in names.items() if at == common}
    return _template(message or _default(matrix), tuple(values)).fill(values)


def _cells_of(row: Sequence[str], names: Mapping[str, int]) -> dict[str, str]:
    return {name: row[at] for name, at in names.items()}


def row_text(matrix: Matrix, names: Mapping[str, int], columns: Sequence[str]) -> str:
    """The text of one row where an agent has several: as it is said, else all its columns."""
    if matrix.row_text:
        return matrix.row_text
    if matrix.task_column:
        return f"{{{TASK}}}"
    own = {
        column_of(header, columns)
        for header in (matrix.id_column, matrix.profile_column, matrix.group_by)
        if header
    }
    parts = [
        f"{columns[at].replace('{', '{{').replace('}', '}}')}: {{{name}}}"
        for name, at in sorted(names.items(), key=lambda pair: pair[1])
        if at not in own
    ]
    return "- " + ", ".join(parts)


def _default(matrix: Matrix) -> str:
    return "{rows}" if matrix.has_many else f"{{{TASK}}}"


def _plain(header: str) -> str:
    """A header as the name of a field: small letters, digits and underscores."""
    plain = unicodedata.normalize("NFKD", header).encode("ascii", "ignore").decode().lower()
    name = _NO_NAME.sub("_", plain).strip("_")[:40]
    return f"c_{name}" if name[:1].isdigit() else name


@lru_cache(maxsize=64)
def _template(source: str, fields: tuple[str, ...]) -> Template:
    return parse_template(source, place="message", fields=fields)
