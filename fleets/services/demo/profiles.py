"""The catalog of the data set: profiles with their history, and the fleets that ran them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import pgtrigger
from django.utils import timezone

from fleets.domain.canonical_json import profile_digest
from fleets.domain.profile_body import body_text
from fleets.domain.profile_problems import check_body
from fleets.models import (
    AgentProfile,
    Catalog,
    Fleet,
    Profile,
    ProfileExample,
    ProfileLabel,
    ProfileRevision,
    Team,
    User,
)
from fleets.services.demo.people import Gathered
from fleets.services.profiles import copy_facts, free_slug

_SHELVES: Final = {"demo-shared": ("Shared", ""), "demo-quality": ("Quality", "demo-quality")}
_REVIEW: Final = (
    "You review one shard of a repository.\nRead every file in the shard before you answer.\n"
    "Run the tests when you suspect a defect.\n\nAnswer with JSON: file, line, severity, reason.\n"
    "Explain your reasoning at length.\nSeverity is one of: blocker, major, minor."
)
_SHORTER: Final = (
    "You review one shard of a repository.\nRead the files named in the task first; open others "
    "only\nwhen a finding depends on them.\nRun one test at a time, with -k, when you suspect a "
    "defect.\n\nAnswer with JSON: file, line, severity, reason.\n"
    "Severity is one of: blocker, major, minor, nit."
)
_PYTEST: Final = "Run one test: pytest -q -k NAME. Never the whole suite.\nA flaky test is a find."

_FINDS: Final = {"shape": "json", "check": {"kind": "not_empty"}}
_TRIED_ON: Final = (
    ("Review src/parser.py: it reads a date with a two-digit year.", _FINDS),
    ("Review src/retry.py: it sleeps inside a lock.", _FINDS),
    (
        "Review src/empty.py. The file is empty.",
        {"shape": "json", "check": {"kind": "field_equals", "field": "severity", "value": "nit"}},
    ),
    (
        "Review tests/test_login.py and run it.",
        {"check": {"kind": "command", "command": "pytest -q tests/test_login.py"}},
    ),
    ("Review docs/setup.md for a person who reads it first.", {"check": {"kind": "person"}}),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A profile: its revisions, oldest first, and the demo fleets that had which of them."""

    shelf: str
    owner: str
    bodies: tuple[tuple[str, Mapping[str, Any]], ...]
    published: int
    stable: int = 0
    fleets: tuple[tuple[str, int], ...] = ()
    examples: tuple[tuple[str, Mapping[str, Any]], ...] = ()


def _reviewer(instructions: str, model: str, limit: int) -> dict[str, Any]:
    return {
        "name": "code-reviewer",
        "description": "Reads one shard of a repository and says what is wrong, worst first.",
        "tags": ["review", "nightly"],
        "harness": "opencode",
        "model": {"default": model, "reasoningEffort": "low", "maxTotalOutputTokens": limit},
        "prompt": {"instructions": [instructions]},
        "permissions": {"bash": {"pytest *": "allow", "git *": "allow", "*": "ask"}},
        "mcp": {
            "issues": {
                "url": "https://issues.example.org/mcp",
                "headers": {
                    "Authorization": {"kind": "secret-ref", "key": "ISSUES", "format": "bearer"}
                },
            }
        },
        "resources": {"skills": [{"kind": "inline", "name": "pytest", "content": _PYTEST}]},
    }


def _plain(name: str, words: str, *, harness: str, model: str, tag: str) -> dict[str, Any]:
    return {
        "name": name,
        "description": words,
        "tags": [tag],
        "harness": harness,
        "model": {"default": model},
        "prompt": {"appendSystemPrompt": words},
    }


ENTRIES: Final = (
    Entry(
        "demo-quality",
        "operator",
        (
            ("", _reviewer(_REVIEW, "gpt-4.1-nano", 32_768)),
            ("a stronger model", _reviewer(_REVIEW, "gpt-4.1-mini", 32_768)),
            ("shorter prompt", _reviewer(_SHORTER, "gpt-4.1-mini", 32_768)),
            ("answers capped", _reviewer(_SHORTER, "gpt-4.1-mini", 8_192)),
        ),
        published=3,
        stable=2,
        fleets=(("nightly-review", 3), ("browser-matrix", 2), ("accessibility-audit", 3)),
        examples=_TRIED_ON,
    ),
    Entry(
        "demo-shared",
        "operator-night",
        (
            (
                "",
                _plain(
                    "release-notes",
                    "Write what users notice, newest first.",
                    harness="opencode",
                    model="gpt-4.1",
                    tag="writing",
                ),
            ),
        ),
        published=1,
        fleets=(("release-notes", 1),),
    ),
    Entry(
        "demo-shared",
        "operator",
        (
            (
                "",
                _plain(
                    "translator",
                    "Translate; keep every code block as it is.",
                    harness="codex",
                    model="gpt-4.1-mini",
                    tag="writing",
                ),
            ),
        ),
        published=1,
    ),
    Entry(
        "demo-shared",
        "admin2",
        (
            (
                "",
                _plain(
                    "labeller",
                    "Give every record one of the labels in labels.json.",
                    harness="pi",
                    model="gpt-4.1-nano",
                    tag="data",
                ),
            ),
        ),
        published=1,
        stable=1,
        fleets=(("label-support-tickets", 1),),
    ),
)


def write_profiles(people: Gathered, fleets: Mapping[str, Fleet]) -> int:
    """Write the catalog and give it to the fleets that had it; how many profiles those are."""
    now = timezone.now()
    shelves = {slug: _shelf(slug, people.teams) for slug in _SHELVES}
    for days, entry in enumerate(ENTRIES, start=1):
        owner = people.users[entry.owner]
        profile = _write(entry, shelves[entry.shelf], owner, now - timedelta(days=3 * days))
        for name, number in entry.fleets:
            _give(fleets[name], profile.revisions.get(number=number))
    return len(ENTRIES)


def remove_profiles() -> None:
    """Remove the catalog of the data set, in the caller's transaction."""
    ours = Profile.objects.filter(catalog__slug__in=_SHELVES)
    ours.update(head=None)
    with pgtrigger.ignore("fleets.ProfileRevision:revision_stays"):
        ours.delete()
    Catalog.objects.filter(slug__in=_SHELVES).delete()


def _shelf(slug: str, teams: Mapping[str, Team]) -> Catalog:
    name, team = _SHELVES[slug]
    return Catalog.objects.create(slug=slug, name=f"{name} (demo)", team=teams.get(team))


def _write(entry: Entry, shelf: Catalog, owner: User, began: datetime) -> Profile:
    name = str(entry.bodies[0][1]["name"])
    profile = Profile.objects.create(
        catalog=shelf,
        slug=free_slug("", name=name),
        owner=owner,
        created_at=began,
        updated_at=began,
    )
    before = None
    for number, (note, body) in enumerate(entry.bodies, start=1):
        at = began + timedelta(hours=7 * (number - 1))
        before = ProfileRevision.objects.create(
            profile=profile,
            number=number,
            body=body_text(body),
            digest=profile_digest(body),
            base=before,
            note=note,
            author=owner,
            created_at=at,
            published_at=at if number <= entry.published else None,
        )
        profile.newest, profile.updated_at = number, at
        if number == entry.published:
            profile.head = before
            copy_facts(profile, check_body(body))
    profile.save()
    ProfileExample.objects.bulk_create(
        ProfileExample(profile=profile, position=at, prompt=prompt, acceptance=dict(check))
        for at, (prompt, check) in enumerate(entry.examples, start=1)
    )
    if entry.stable:
        revision = profile.revisions.get(number=entry.stable)
        ProfileLabel.objects.create(
            profile=profile, name="stable", revision=revision, set_by=owner, set_at=began
        )
    return profile


def _give(fleet: Fleet, revision: ProfileRevision) -> None:
    copy = AgentProfile.objects.create(
        fleet=fleet,
        digest=revision.digest,
        name=revision.profile.name,
        body=revision.body,
        revision=revision,
    )
    fleet.agents.update(profile=copy)
