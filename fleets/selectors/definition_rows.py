"""Stored rows, read again as they were read at their upload."""

from fleets.domain.csv_rows import Table, read_table
from fleets.models import StoredRows


def stored_rows(digest: str) -> StoredRows | None:
    """The rows of that mark, None where nobody stored such. One query."""
    return StoredRows.objects.filter(digest=digest).first() if digest else None


def table_of(rows: StoredRows) -> Table:
    """The cells of stored rows."""
    # A single column has no delimiter, and is found to have none again.
    return read_table(bytes(rows.data), delimiter=rows.delimiter, encoding=rows.encoding)
