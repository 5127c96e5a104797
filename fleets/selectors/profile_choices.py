"""The profiles that can be named where agents are described."""

from fleets.models import Profile

MOST: int = 500


def profile_choices() -> list[tuple[str, str]]:
    """Id and what it is ("Code reviewer, head r12"), published and not archived. One query."""
    found = Profile.objects.filter(archived_at__isnull=True, head__isnull=False)
    rows = found.order_by("slug").values_list("slug", "name", "head__number")[:MOST]
    return [(slug, f"{name}, head r{number}") for slug, name, number in rows]
