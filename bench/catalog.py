"""The catalog of profiles out of Postgres: the list and one profile, of few and of many profiles.

The requests alternate, so that the ratio is that of one run on one machine.
"""

from datetime import timedelta

import httpx
from django.db import connection, transaction
from django.utils import timezone

from bench import house
from bench.filling import People, fill_fleet
from bench.machine import memory_mb
from bench.pages import HEAD, ROUNDS, Page, ask, row_of
from bench.tables import say, show
from fleets.domain.canonical_json import profile_digest
from fleets.domain.harnesses import HARNESSES
from fleets.domain.profile_body import body_text, facts_of
from fleets.models import Agent, AgentProfile, Catalog, Profile, ProfileRevision

REVISIONS = 30
FLEETS = 40
AGENTS_OF_FLEET = 50


def main(profiles: list[int]) -> None:
    """Fill, then ask every page in turn."""
    (count,) = profiles
    house.empty()
    people = People.gather()
    say(f"filling {count:,} profiles × {REVISIONS} revisions and {FLEETS} fleets")
    slugs = fill_catalog(people, count=count)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    pages = [
        Page("profiles list", "/profiles/"),
        Page("profiles list, by name", "/profiles/?sort=name"),
        Page("profiles, searched", "/profiles/?q=refund&harness=opencode"),
        Page("profile", f"/profiles/{slugs[0]}"),
        Page("profile, revisions", f"/profiles/{slugs[0]}?tab=revisions"),
        Page("profile, results", f"/profiles/{slugs[0]}?tab=results"),
        Page("profile, difference", f"/profiles/{slugs[0]}/diff?a=1&b={REVISIONS}"),
    ]
    with house.web() as server, httpx.Client(base_url=server.url, cookies=people.cookie) as client:
        ask(client, server, pages)
        memory = memory_mb(server.pid)
    rows = [row_of(page, pages[0], people) for page in pages]
    show(
        f"Catalog of {count:,} profiles: {ROUNDS} requests each, one at a time, alternating",
        HEAD,
        rows,
        f"Web process: {memory:.0f} MB.",
    )


@transaction.atomic
def fill_catalog(people: People, *, count: int) -> list[str]:
    """So many profiles with their history, a tenth of them used; their ids."""
    now = timezone.now()
    catalog = Catalog.objects.create(name="Organisation", slug="organisation")
    profiles = Profile.objects.bulk_create(
        Profile(
            catalog=catalog,
            slug=f"profile-{number}",
            owner=people.user,
            created_at=now,
            updated_at=now - timedelta(minutes=number),
        )
        for number in range(count)
    )
    for number, profile in enumerate(profiles):
        _write_history(profile, number, people)
    heads = list(ProfileRevision.objects.filter(number=REVISIONS)[:FLEETS])
    for number, head in enumerate(heads):
        fleet = fill_fleet(people, name=f"used-{number}", agents=AGENTS_OF_FLEET)
        copy = AgentProfile.objects.create(
            fleet=fleet, digest=head.digest, body=head.body, revision=head
        )
        Agent.objects.filter(fleet=fleet).update(profile=copy)
    return [profile.slug for profile in profiles]


def _write_history(profile: Profile, number: int, people: People) -> None:
    bodies = [_body(number, revision) for revision in range(1, REVISIONS + 1)]
    revisions = ProfileRevision.objects.bulk_create(
        ProfileRevision(
            profile=profile,
            number=at,
            body=body_text(body),
            digest=profile_digest(body),
            note="shorter",
            author=people.user,
            created_at=profile.created_at,
            published_at=profile.created_at,
        )
        for at, body in enumerate(bodies, start=1)
    )
    facts = facts_of(bodies[-1])
    profile.newest, profile.head = REVISIONS, revisions[-1]
    profile.name, profile.harness, profile.model = facts.name, facts.harness, facts.model
    profile.tags, profile.search_text = list(facts.tags), facts.search_text
    profile.save()


def _body(number: int, revision: int) -> dict[str, object]:
    line = f"Read part {number} of the files, find {revision} refunds, answer with JSON.\n"
    return {
        "name": f"profile-{number}",
        "tags": [f"team-{number % 12}"],
        "harness": list(HARNESSES)[number % 4],
        "model": {"default": "gpt-4.1-mini"},
        "prompt": {"systemPrompt": line * 40},
        "mcp": {"docs": {"url": f"https://docs-{number}.example.org/mcp"}},
    }
