"""What the platform's catalog was seen to have, written down; and taken over as an import."""

import json
from collections.abc import Collection
from datetime import datetime
from typing import Final

from fleets.domain.canonical_json import profile_digest
from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.profile_body import body_text
from fleets.domain.profile_import.candidate import Candidate, Found
from fleets.domain.profile_problems import LEAK, check_body
from fleets.domain.slugs import is_slug
from fleets.models import Catalog, Connection, ProfileImport, RemoteProfile
from fleets.platform_api.answers.profiles import SavedProfile
from fleets.services.actor import Actor
from fleets.services.profile_import import keep_import

_LONGEST_SLUG: Final = 200


def take_saved(connection: Connection, saved: SavedProfile, *, now: datetime) -> str:
    """Write down a revision of the platform; its digest, "" when it has none.

    What a profile of ours may not say (a raw key) is not kept: only that it is there, and why.
    """
    body = dict(saved.profile)
    checked = check_body(body)
    leaks = any(one.code == LEAK for one in checked.problems)
    try:
        digest = profile_digest(body)
        text = "" if leaks else body_text(body)
    except (ValueError, RecursionError):
        digest = text = ""
    first = checked.problems[0] if checked.problems else None
    RemoteProfile.objects.update_or_create(
        connection=connection,
        slug=saved.profile_id[:_LONGEST_SLUG],
        defaults={
            "remote_revision": saved.revision,
            "remote_digest": digest,
            "body": text,
            "problem": f"{first.shown_path}: {first.words}"[:300] if first else "",
            "seen_at": now,
        },
    )
    return digest


def take_absent(connection: Connection, slug: str, *, now: datetime) -> str:
    """Write down that the platform has none of this id; "", as there is no digest."""
    RemoteProfile.objects.update_or_create(
        connection=connection,
        slug=slug,
        defaults={
            "remote_revision": None,
            "remote_digest": "",
            "body": "",
            "problem": "",
            "seen_at": now,
        },
    )
    return ""


def pull(
    connection: Connection, slugs: Collection[str], *, catalog: Catalog, actor: Actor
) -> ProfileImport:
    """Take profiles over as they were last seen there: an import that waits to be confirmed.

    Raises InvalidInput when none of them is there, NotAllowed, OverLimit.
    """
    rows = connection.remote_profiles.filter(slug__in=slugs, remote_revision__isnull=False)
    candidates = tuple(_candidate(row) for row in rows)
    if not candidates:
        raise InvalidInput.at("slug", "Choose at least one profile that the platform has.")
    return keep_import(Found(candidates), catalog=catalog, actor=actor)


def _candidate(row: RemoteProfile) -> Candidate:
    place = f"{row.connection.name}, r{row.remote_revision}"
    if row.problem or not row.body:
        words = row.problem or "It cannot be read."
        return Candidate(place, 1, row.slug, "", {}, (Problem("", words),))
    body = json.loads(row.body)
    if not is_slug(row.slug):
        words = "Its id has other characters than small letters, digits and hyphens."
        return Candidate(place, 1, row.slug, "", {}, (Problem("", words),))
    return Candidate(place, 1, row.slug, str(body.get("name", "")), body)
