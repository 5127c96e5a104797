"""Stores the rows of a CSV file, once for all definitions that have the same."""

import hashlib
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from fleets.domain.csv_rows import Table, read_table
from fleets.models import DefinitionDraft, StoredRows
from fleets.services.actor import Actor

KEPT_UNUSED: Final = timedelta(days=1)
MOST_FORGOTTEN: Final = 100
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
    now = timezone.now()
    rows, is_new = StoredRows.objects.get_or_create(
        digest=hashlib.sha256(how + data).hexdigest()[:_DIGEST_CHARS],
        defaults={
            "data": data,
            "file_name": "".join(char for char in file_name if char.isprintable())[:_LONGEST_NAME],
            "delimiter": table.delimiter,
            "encoding": table.encoding,
            "columns": list(table.columns),
            "count": len(table.rows),
            "uploaded_by": actor.user,
            "created_at": now,
        },
    )
    if not is_new:
        # Brought again: it stays as long as one that was brought for the first time.
        StoredRows.objects.filter(pk=rows.pk).update(created_at=now)
    forget_unused_rows(now=now)
    return rows, table


def forget_unused_rows(*, now: datetime) -> int:
    """Remove files that no revision has and nobody is typing about; how many those were.

    A file that was brought to a launch, or to a definition that was never saved, stays for a day.
    """
    old = StoredRows.objects.filter(revisions__isnull=True, created_at__lt=now - KEPT_UNUSED)
    typed = DefinitionDraft.objects.filter(text__contains=OuterRef("digest"))
    with transaction.atomic():
        # One that is being taken into use at this moment is left alone.
        found = old.exclude(Exists(typed)).select_for_update(of=("self",), skip_locked=True)
        pks = [row.pk for row in found.only("pk")[:MOST_FORGOTTEN]]
        StoredRows.objects.filter(pk__in=pks).delete()
    return len(pks)
