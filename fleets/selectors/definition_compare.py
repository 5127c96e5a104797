"""Two revisions of a definition beside each other: fields, and long texts line by line."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from fleets.domain.changed_texts import ChangedText, changed_source, changed_texts
from fleets.domain.profile_diff import FieldChange, count_fields, field_changes
from fleets.models import Definition, DefinitionRevision


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """One of the two."""

    number: int
    author: str
    created_at: datetime
    note: str
    digest: str
    rows: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs. `texts` holds long fields, or the whole source as one."""

    before: ComparedSide
    after: ComparedSide
    changes: Sequence[FieldChange]
    fields: int
    texts: Sequence[ChangedText]


def compare(
    definition: Definition, *, before: int, after: int, by_source: bool
) -> Comparison | None:
    """The difference of two revisions, None when one of them is not there. One query."""
    rows = definition.revisions.select_related("author", "rows").defer("rows__data")
    found = {row.number: row for row in rows.filter(number__in=(before, after))}
    if before not in found or after not in found:
        return None
    old, new = found[before], found[after]
    body = json.loads(new.body)
    changes = field_changes(json.loads(old.body), body)
    return Comparison(
        before=_side(old),
        after=_side(new),
        changes=changes,
        fields=count_fields(body),
        texts=changed_source(old.body, new.body) if by_source else changed_texts(changes),
    )


def _side(revision: DefinitionRevision) -> ComparedSide:
    rows = revision.rows
    return ComparedSide(
        number=revision.number,
        author=revision.author.get_username() if revision.author else "Fleetdash",
        created_at=revision.created_at,
        note=revision.note,
        digest=revision.digest,
        rows=f"{rows.count:,} rows of {rows.file_name or 'a file'}" if rows else "",
    )
