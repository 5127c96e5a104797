"""Stores the rows of a CSV file, once for all definitions that have the same."""

import hashlib

from django.utils import timezone

from fleets.domain.csv_rows import Table, read_table
from fleets.models import StoredRows
from fleets.services.actor import Actor

_DIGEST_CHARS = 32
_LONGEST_NAME = 200


def store_rows(
    data: bytes, *, file_name: str, delimiter: str = "", encoding: str = "", actor: Actor
) -> tuple[StoredRows, Table]:
    """Read the file and keep it as it is; what is not chosen ("") is found.

    Raises InvalidInput at `rows` and then stores nothing.
    """
    actor.must_be_operator("upload rows")
    table = read_table(data, delimiter=delimiter, encoding=encoding)
    how = f"{table.delimiter}\0{table.encoding}\0".encode()
    rows, _ = StoredRows.objects.get_or_create(
        digest=hashlib.sha256(how + data).hexdigest()[:_DIGEST_CHARS],
        defaults={
            "data": data,
            "file_name": "".join(char for char in file_name if char.isprintable())[:_LONGEST_NAME],
            "delimiter": table.delimiter,
            "encoding": table.encoding,
            "columns": list(table.columns),
            "count": len(table.rows),
            "uploaded_by": actor.user,
            "created_at": timezone.now(),
        },
    )
    return rows, table
