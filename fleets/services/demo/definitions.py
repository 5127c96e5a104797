"""The definitions of the data set, with their history and the fleets they launched."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import pgtrigger
from django.utils import timezone

from fleets.domain.canonical_json import profile_digest
from fleets.domain.csv_rows import read_table
from fleets.domain.profile_body import body_text
from fleets.models import Definition, DefinitionRevision, Fleet, Profile, StoredRows, User
from fleets.selectors.definition_check import check_recipe
from fleets.services.definitions import copy_facts, free_slug
from fleets.services.demo.people import MARK, Gathered

TAG: Final = "demo"
_SHARDS: Final = 40
_CSV: Final = "Shard;Path;Question\n" + "".join(
    f"s{number:02};src/module_{number}.py;What would break first in shard {number}?\n"
    for number in range(1, _SHARDS + 1)
)
_DIGEST: Final = hashlib.sha256(f";\0utf-8\0{_CSV}".encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Entry:
    """A definition: its revisions with their notes, oldest first, and the demo fleets of it."""

    owner: str
    bodies: tuple[tuple[str, Mapping[str, Any]], ...]
    fleets: tuple[tuple[str, int], ...] = ()


def _matrix(message: str, *, budget: str) -> dict[str, Any]:
    return {
        "name": "shard-questions",
        "description": "Three reviewers answer one question about every shard.",
        "tags": [TAG, "review"],
        "agents": {
            "matrix": {
                "profiles": [
                    {"profile": {"profileId": "code-reviewer", "label": "stable"}},
                    {"profile": {"profileId": "release-notes"}, "model": "gpt-4.1-nano"},
                    {"profile": {"profileId": "labeller", "fixed": 1}, "placement": "dedicated"},
                ],
                "rows": _DIGEST,
                "columns": {"agentId": "Shard"},
            }
        },
        "message": message,
        "budgetUsd": budget,
        "lifetime": "1 h",
        "machine": {
            "image": "universal",
            "git": {"url": "https://git.example.org/acme/monorepo.git", "ref": "main"},
            "setup": {"command": "make deps"},
            "secrets": ["ISSUES"],
            "egress": {"domains": ["issues.example.org"]},
        },
        "answer": {"shape": "json", "check": {"kind": "not_empty"}},
    }


def _counted(name: str, words: str, count: int, message: str) -> dict[str, Any]:
    return {
        "name": name,
        "description": words,
        "tags": [TAG, "nightly"],
        "agents": {"count": count},
        "message": message,
        "budgetUsd": "3.00",
        "atOnce": "auto",
    }


ENTRIES: Final = (
    Entry(
        "operator",
        (
            ("", _matrix("Look at {path}.\n{question}", budget="6.00")),
            (
                "says whom it is for",
                _matrix("Look at {path}.\n{question}\nBe brief.", budget="9.00"),
            ),
        ),
    ),
    Entry(
        "operator",
        (
            ("", _counted("nightly-review", "Reviews every shard.", 40, "Review shard {index}.")),
            (
                "one more shard of each",
                _counted("nightly-review", "Reviews every shard.", 50, "Review shard {index}."),
            ),
        ),
        fleets=(("nightly-review", 2), ("browser-matrix", 1)),
    ),
    Entry(
        "operator-night",
        (
            (
                "",
                {
                    "name": "tickets-of-the-day",
                    "description": "Labels the tickets of a file that is brought each morning.",
                    "tags": [TAG],
                    "agents": {"matrix": {"rows": "ask", "columns": {"task": "Ticket"}}},
                    "message": "Label this ticket:\n{task}",
                    "budgetUsd": "1.50",
                },
            ),
        ),
        fleets=(("label-support-tickets", 1),),
    ),
)


def write_definitions(people: Gathered, fleets: Mapping[str, Fleet]) -> int:
    """Write them and give them to the fleets they launched; how many they are."""
    now = timezone.now()
    rows = _rows(people.users["operator"], now)
    # Somebody's own profile may have had the id first.
    ours = Profile.objects.filter(catalog__slug__startswith="demo-")
    slugs = dict(ours.values_list("name", "slug"))
    for days, entry in enumerate(ENTRIES, start=1):
        owner = people.users[entry.owner]
        began = now - timedelta(days=2 * days)
        definition = _write(entry, owner, rows, began, slugs=slugs)
        for name, number in entry.fleets:
            revision = definition.revisions.get(number=number)
            Fleet.objects.filter(pk=fleets[name].pk).update(definition_revision=revision)
    return len(ENTRIES)


def remove_definitions() -> None:
    """Remove those of the data set, in the caller's transaction."""
    ours = Definition.objects.filter(tags__contains=[TAG], owner__email__endswith=MARK)
    ours.update(head=None)
    with pgtrigger.ignore("fleets.DefinitionRevision:definition_revision_stays"):
        ours.delete()
    StoredRows.objects.filter(digest=_DIGEST, revisions__isnull=True).delete()


def _rows(owner: User, now: datetime) -> StoredRows:
    data = _CSV.encode()
    table = read_table(data)
    found, _ = StoredRows.objects.get_or_create(
        digest=_DIGEST,
        defaults={
            "data": data,
            "file_name": "shards.csv",
            "delimiter": table.delimiter,
            "encoding": table.encoding,
            "columns": list(table.columns),
            "count": len(table.rows),
            "uploaded_by": owner,
            "created_at": now,
        },
    )
    return found


def _with_slugs(body: Mapping[str, Any], slugs: Mapping[str, str]) -> dict[str, Any]:
    """The document, its profiles by the ids that they got."""
    text = json.dumps(body)
    for name, slug in slugs.items():
        text = text.replace(f'"profileId": "{name}"', f'"profileId": "{slug}"')
    made: dict[str, Any] = json.loads(text)
    return made


def _write(
    entry: Entry,
    owner: User,
    rows: StoredRows,
    began: datetime,
    *,
    slugs: Mapping[str, str],
) -> Definition:
    definition = Definition(owner=owner, created_at=began, updated_at=began)
    before = None
    for number, (note, written) in enumerate(entry.bodies, start=1):
        body = _with_slugs(written, slugs)
        at = began + timedelta(hours=5 * (number - 1))
        checked = check_recipe(body, user=None)
        copy_facts(definition, checked)
        definition.slug = definition.slug or free_slug("", name=str(body["name"]))
        definition.save()
        before = DefinitionRevision.objects.create(
            definition=definition,
            number=number,
            body=body_text(body),
            digest=profile_digest(body),
            rows=rows if checked.rows else None,
            base=before,
            note=note,
            author=owner,
            created_at=at,
        )
        definition.head, definition.updated_at = before, at
    definition.save()
    return definition
