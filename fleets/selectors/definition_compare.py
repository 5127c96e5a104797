"""Two revisions of a definition beside each other: fields, and long texts line by line."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from fleets.domain.profile_diff import FieldChange, count_fields, field_changes
from fleets.domain.text_diff import TextDiff, text_diff
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
class ChangedText:
    """A field that is read as text, line by line."""

    path: str
    diff: TextDiff


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
    texts = (
        [ChangedText("source", text_diff(old.body, new.body))]
        if by_source
        else [_text(change) for change in changes if change.is_long]
    )
    return Comparison(
        before=_side(old),
        after=_side(new),
        changes=changes,
        fields=count_fields(body),
        texts=texts,
    )


def _text(change: FieldChange) -> ChangedText:
    sides = [one if isinstance(one, str) else "" for one in (change.before, change.after)]
    return ChangedText(change.shown_path, text_diff(*sides))


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
