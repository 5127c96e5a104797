"""Stored rows, read again as they were read at their upload."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fleets.domain.csv_rows import DELIMITERS, Table, read_table
from fleets.models import StoredRows


def stored_rows(digest: str) -> StoredRows | None:
    """The rows of that mark, None where nobody stored such. One query."""
    return StoredRows.objects.filter(digest=digest).first() if digest else None


def table_of(rows: StoredRows) -> Table:
    """The cells of stored rows."""
    # A single column has no delimiter, and is found to have none again.
    return read_table(bytes(rows.data), delimiter=rows.delimiter, encoding=rows.encoding)


FIRST_ROWS: Final = 5
MOST_COLUMNS: Final = 12


@dataclass(frozen=True, slots=True)
class RowsShown:
    """Rows as a form shows them: how the file was read, and the first of them."""

    digest: str
    file_name: str
    count: int
    columns: Sequence[str]
    first: Sequence[tuple[int, Sequence[str]]]
    more_columns: int
    delimiter: str
    encoding: str

    @property
    def delimiter_name(self) -> str:
        """The delimiter in words."""
        return DELIMITERS.get(self.delimiter, "one column")


def shown_rows(rows: StoredRows, table: Table) -> RowsShown:
    """The first rows of a table, as many columns as have room."""
    return RowsShown(
        digest=rows.digest,
        file_name=rows.file_name or "rows",
        count=len(table.rows),
        columns=table.columns[:MOST_COLUMNS],
        first=[
            (number, cells[:MOST_COLUMNS])
            for number, cells in enumerate(table.rows[:FIRST_ROWS], start=1)
        ],
        more_columns=max(0, len(table.columns) - MOST_COLUMNS),
        delimiter=rows.delimiter,
        encoding=rows.encoding,
    )
