"""Who uses a profile now: what stands in the way of deleting it."""

from dataclasses import dataclass

from fleets.models import Definition, Fleet, Profile


@dataclass(frozen=True, slots=True)
class ProfileUser:
    """A fleet at work (or whatever else follows the profile) and the revision it has."""

    kind: str
    name: str
    ident: str
    revision: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def users_of(profile: Profile) -> tuple[ProfileUser, ...]:
    """Fleets that still work with it, and definitions that name it, archived ones too. Two
    queries. What has ended keeps its own copy.
    """
    rows = (
        Fleet.objects.filter(
            profiles__revision__profile=profile,
            work_ended_at__isnull=True,
            deleted_at__isnull=True,
        )
        .values("name", "public_id", "profiles__revision__number")
        .distinct()
        .order_by("name", "profiles__revision__number")
    )
    fleets = [
        ProfileUser("fleet", row["name"], row["public_id"], f"r{row['profiles__revision__number']}")
        for row in rows
    ]
    named = Definition.objects.filter(profile_slugs__contains=[profile.slug])
    definitions = [
        ProfileUser("definition", one.name, one.slug, "")
        for one in named.only("name", "slug").order_by("name", "pk")
    ]
    return (*fleets, *definitions)
