"""The profiles of an export, in the order of their ids."""

from collections.abc import Collection
from typing import Final

from django.db.models import F, Q

from fleets.domain.errors import OverLimit
from fleets.domain.profile_export import Entry
from fleets.models import Profile, ProfileRevision, User
from fleets.selectors.profile_filter import ProfileFilter

MOST: Final = 2_000


def chosen_slugs(chosen: ProfileFilter, slugs: Collection[str], user: User) -> list[str]:
    """Ids of what is asked for: those named, else all that the filter shows. One query."""
    if slugs:
        found = Profile.objects.filter(slug__in=list(slugs)[:MOST])
    else:
        found = Profile.objects.filter(pk__in=chosen.profiles(user).values("pk"))
    return list(found.order_by("slug").values_list("slug", flat=True)[: MOST + 1])


def entries_of(slugs: Collection[str]) -> list[Entry]:
    """Their heads, or what was saved last where nothing is published. One query.

    Raises OverLimit above 2,000.
    """
    if len(slugs) > MOST:
        raise OverLimit(
            f"At most {MOST:,} profiles fit into one export: narrow the list.", limit=f"{MOST:,}"
        )
    is_head = Q(pk=F("profile__head"))
    is_newest = Q(profile__head=None, number=F("profile__newest"))
    found = ProfileRevision.objects.filter(is_head | is_newest, profile__slug__in=slugs)
    rows = found.order_by("profile__slug").values_list("profile__slug", "body")
    return [Entry(slug, body) for slug, body in rows]
