"""One definition: its head, what a revision says, the exact prompts of its agents."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Count
from django.db.models.functions import Length

from fleets.domain.definition import Counted, Listed, check_definition
from fleets.domain.definition import Definition as Recipe
from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.expansion import Expansion
from fleets.domain.spec import prompt_for
from fleets.models import Definition, DefinitionRevision, Fleet, User
from fleets.selectors.definition_check import launch_of, rows_of
from fleets.selectors.definition_outline import Section, outline
from fleets.selectors.definition_rows import RowsShown, shown_rows

MOST_REVISIONS: Final = 50
MOST_PROMPTS: Final = 25


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
class PromptRow:
    """One agent with the prompt it gets; `rows` are the numbers of its rows, from 1."""

    index: int
    agent_id: str
    profile: str
    harness: str
    model: str
    rows: str
    prompt: str


@dataclass(frozen=True, slots=True)
class PromptPage:
    """Agents from `first` (1) on; `problem` "" or why there are none."""

    rows: Sequence[PromptRow] = ()
    first: int = 1
    total: int = 0
    stored: RowsShown | None = None
    asks_for_rows: bool = False
    has_agents: bool = True
    problem: str = ""

    @property
    def last(self) -> int:
        """The number of the last agent shown."""
        return self.first + len(self.rows) - 1

    @property
    def older(self) -> int:
        """Where the page before begins, 0 without one."""
        return max(1, self.first - MOST_PROMPTS) if self.first > 1 else 0

    @property
    def newer(self) -> int:
        """Where the next page begins, 0 without one."""
        return self.last + 1 if self.rows and self.last < self.total else 0


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


def definition_head(definition: Definition, user: User) -> DefinitionHead:
    """The head of a definition that came from `access.get_definition`. At most two queries."""
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
        may_edit=user.is_operator,
        may_delete=user.is_admin or (user.is_operator and definition.owner_id == user.pk),
    )


def revision_shown(definition: Definition, number: int | None) -> RevisionShown | None:
    """What a revision says, the head without a number; None where there is no such. One query."""
    found = _revision(definition, number)
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


def prompt_page(
    definition: Definition, user: User, *, number: int | None = None, first: int = 1
) -> PromptPage | None:
    """The agents of a revision as a launch would make them now, with every prompt as it is sent.

    None where there is no such revision.
    """
    found = _revision(definition, number)
    if found is None:
        return None
    read = check_definition(json.loads(found.body))
    if read.definition is None:
        return PromptPage(problem=str(read.problems[0]))
    if read.definition.asks_for_rows:
        return PromptPage(asks_for_rows=True)
    try:
        stored, table = rows_of(read.definition)
        expansion = launch_of(read.definition, table=table, user=user)
    except InvalidInput as error:
        return PromptPage(problem=str(error.problems[0]))
    total = expansion.spec.count
    if not total:
        return PromptPage(has_agents=False)
    first = min(max(1, first), total)
    return PromptPage(
        rows=_prompts(read.definition, expansion, first),
        first=first,
        total=total,
        stored=shown_rows(stored, table) if stored and table else None,
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


def _revision(definition: Definition, number: int | None) -> DefinitionRevision | None:
    found = definition.revisions.select_related("author", "rows").defer("rows__data")
    wanted = {"number": number} if number else {"pk": definition.head_id}
    return found.filter(**wanted).first()


def _prompts(recipe: Recipe, expansion: Expansion, first: int) -> list[PromptRow]:
    spec = expansion.spec
    template = spec.template
    plans = spec.plans[first - 1 : first - 1 + MOST_PROMPTS]
    return [
        PromptRow(
            index=index,
            agent_id=plan.agent_id,
            profile=expansion.profiles[index - 1] or _profile_of(recipe, index),
            harness=plan.harness,
            model=plan.model,
            rows=_span(expansion.rows[index - 1]),
            prompt=prompt_for(plan, index=index, template=template),
        )
        for index, plan in enumerate(plans, start=first)
    ]


def _profile_of(recipe: Recipe, index: int) -> str:
    agents = recipe.agents
    if isinstance(agents, Counted):
        asked = agents.asked
    elif isinstance(agents, Listed):
        asked = agents.agents[index - 1]
    else:
        return ""
    if asked.ref is not None:
        return str(asked.ref)
    return str((asked.profile or {}).get("name") or "")


def _span(rows: tuple[int, ...]) -> str:
    """Numbers of rows in few words: "3", "1–5", "2, 7, 9 and 4 more"."""
    if len(rows) > 2 and rows[-1] - rows[0] == len(rows) - 1:
        return f"{rows[0]}–{rows[-1]}"
    shown = ", ".join(map(str, rows[:3]))
    return f"{shown} and {len(rows) - 3} more" if len(rows) > 3 else shown


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
