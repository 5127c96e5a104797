"""Keeps the table of texts that heads bring along, so that equal ones are found by content."""

import json
from collections.abc import Collection, Mapping
from typing import Any, Final

from django.db import transaction
from django.db.models import F

from fleets.domain.profile_body import storable
from fleets.domain.profile_parts import parts_of
from fleets.models import Profile, ProfileText

_BATCH: Final = 500
_READ_AT_ONCE: Final = 100
_LONGEST_NAME: Final = 200


def keep_texts(bodies: Mapping[Profile, Mapping[str, Any]]) -> None:
    """Take down the texts of these heads, in the caller's transaction, which holds the profiles.

    Sets `texts_number` on the rows given; who calls saves them. Two statements.
    """
    ProfileText.objects.filter(profile__in=bodies).delete()
    ProfileText.objects.bulk_create(
        [
            ProfileText(
                profile=profile,
                kind=part.kind,
                name=storable(part.name)[:_LONGEST_NAME],
                digest=part.digest,
                size_bytes=len(part.text.encode("utf-8", "surrogatepass")),
            )
            for profile, body in bodies.items()
            for part in parts_of(body)
        ],
        _BATCH,
    )
    for profile in bodies:
        profile.texts_number = profile.head.number if profile.head else 0


def read_missing_texts() -> int:
    """Take down the texts of heads that are older than the table; how many heads it were.

    Repeatable, also by two at once. One query when nothing is missing.
    """
    count = 0
    while read := _read_some():
        count += read
    return count


@transaction.atomic
def _read_some() -> int:
    missing = Profile.objects.filter(head__isnull=False).exclude(texts_number=F("head__number"))
    found: Collection[Profile] = list(
        missing.select_for_update(of=("self",), skip_locked=True)
        .select_related("head")
        .defer("search_text")
        .order_by("pk")[:_READ_AT_ONCE]
    )
    if found:
        keep_texts({one: json.loads(one.head.body) for one in found if one.head})
        Profile.objects.bulk_update(found, ["texts_number"])
    return len(found)
