"""Who uses a profile now: what stands in the way of deleting it."""

from dataclasses import dataclass

from fleets.models import Fleet, Profile


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
    """Fleets that still work with it. One query. What has ended keeps its own copy."""
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
    return tuple(
        ProfileUser("fleet", row["name"], row["public_id"], f"r{row['profiles__revision__number']}")
        for row in rows
    )
