"""One definition: its head, what a revision says, its revisions."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Count
from django.db.models.functions import Length

from fleets.domain.definition import check_definition
from fleets.domain.errors import Problem
from fleets.models import Definition, DefinitionRevision, Fleet, User
from fleets.selectors.definition_drafts import also_editing
from fleets.selectors.definition_outline import Section, outline
from fleets.selectors.editing import Editing

MOST_REVISIONS: Final = 50


@dataclass(frozen=True, slots=True)
class DefinitionHead:
    """What stands above every tab. `may_edit` and `may_delete` are of the person who looks."""

    slug: str
    name: str
    description: str
    owner: str
    tags: Sequence[str]
    shape: str
    agents: int | None
    number: int
    launches: int
    updated_at: datetime
    updated_by: str
    cloned_from: str
    is_archived: bool
    editing: Sequence[Editing]
    may_edit: bool
    may_delete: bool


@dataclass(frozen=True, slots=True)
class RevisionShown:
    """What one revision says; `problems` are those of today's rules."""

    number: int
    is_head: bool
    note: str
    author: str
    created_at: datetime
    digest: str
    sections: Sequence[Section]
    message: str
    row_text: str
    text: str
    lines: Sequence[str]
    problems: Sequence[Problem]


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """A revision in the list, with the fleets that it launched."""

    number: int
    digest: str
    note: str
    author: str
    created_at: datetime
    base: int | None
    restored_from: int | None
    fleets: int
    size_bytes: int
    is_head: bool

    @property
    def previous(self) -> int:
        """The revision that a difference is shown to: where it was started from."""
        return self.base or max(1, self.number - 1)


@dataclass(frozen=True, slots=True)
class RevisionPage:
    """Newest first; `older` is the number to go on from, None at the end."""

    rows: Sequence[RevisionRow]
    older: int | None


def definition_head(definition: Definition, user: User, *, now: datetime) -> DefinitionHead:
    """The head of a definition that came from `access.get_definition`. At most three queries."""
    head = definition.head
    assert head is not None
    cloned = definition.cloned_from
    return DefinitionHead(
        slug=definition.slug,
        name=definition.name,
        description=definition.description,
        owner=definition.owner.get_username() if definition.owner else "",
        tags=definition.tags,
        shape=definition.shape,
        agents=definition.agents_count,
        number=head.number,
        launches=Fleet.objects.filter(definition_revision__definition=definition).count(),
        updated_at=definition.updated_at,
        updated_by=head.author.get_username() if head.author else "Fleetdash",
        cloned_from=cloned.slug if cloned else "",
        is_archived=definition.archived_at is not None,
        editing=also_editing(definition, user, now=now),
        may_edit=user.is_operator,
        may_delete=user.is_admin or (user.is_operator and definition.owner_id == user.pk),
    )


def revision_shown(definition: Definition, number: int | None) -> RevisionShown | None:
    """What a revision says, the head without a number; None where there is no such. One query."""
    found = revision_of(definition, number)
    if found is None:
        return None
    body = json.loads(found.body)
    read = check_definition(body)
    matrix = body.get("agents", {}).get("matrix", {})
    return RevisionShown(
        number=found.number,
        is_head=found.pk == definition.head_id,
        note=found.note,
        author=found.author.get_username() if found.author else "Fleetdash",
        created_at=found.created_at,
        digest=found.digest,
        sections=outline(read.definition, rows=found.rows) if read.definition else (),
        message=str(body.get("message", "")),
        row_text=str(matrix.get("rowText", "")),
        text=found.body,
        lines=found.body.split("\n"),
        problems=read.problems,
    )


def revision_page(definition: Definition, *, before: int | None = None) -> RevisionPage:
    """At most `MOST_REVISIONS`, those below number `before`. One query."""
    found = DefinitionRevision.objects.filter(definition=definition)
    if before is not None:
        found = found.filter(number__lt=before)
    rows = list(
        found.order_by("-number")
        .annotate(launched=Count("fleets"), size_bytes=Length("body"))
        .values(
            *("pk", "number", "digest", "note", "author__username", "created_at", "launched"),
            *("base__number", "restored_from__number", "size_bytes"),
        )[: MOST_REVISIONS + 1]
    )
    shown = rows[:MOST_REVISIONS]
    return RevisionPage(
        rows=[_row(row, definition) for row in shown],
        older=shown[-1]["number"] if len(rows) > MOST_REVISIONS else None,
    )


def revision_of(definition: Definition, number: int | None) -> DefinitionRevision | None:
    """A revision by its number, the head without one; None where there is no such. One query."""
    found = definition.revisions.select_related("author", "rows").defer("rows__data")
    wanted = {"number": number} if number else {"pk": definition.head_id}
    return found.filter(**wanted).first()


def _row(row: dict[str, Any], definition: Definition) -> RevisionRow:
    return RevisionRow(
        number=row["number"],
        digest=row["digest"],
        note=row["note"],
        author=row["author__username"] or "Fleetdash",
        created_at=row["created_at"],
        base=row["base__number"],
        restored_from=row["restored_from__number"],
        fleets=row["launched"],
        size_bytes=row["size_bytes"],
        is_head=row["pk"] == definition.head_id,
    )
