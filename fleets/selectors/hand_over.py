"""What somebody owns, and who may own it next."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from fleets.domain.status import Role
from fleets.models import Catalog, Definition, Profile, User


@dataclass(frozen=True, slots=True)
class Owned:
    """Everything that somebody owns, by name or id, archived ones too."""

    profiles: Sequence[str]
    definitions: Sequence[str]
    catalogs: Sequence[str]

    @property
    def count(self) -> int:
        """How many things."""
        return len(self.profiles) + len(self.definitions) + len(self.catalogs)


def owned_by(owner: User) -> Owned:
    """Three queries."""
    return Owned(
        profiles=_names(Profile.objects.filter(owner=owner).order_by("slug"), "slug"),
        definitions=_names(Definition.objects.filter(owner=owner).order_by("slug"), "slug"),
        catalogs=_names(Catalog.objects.filter(owner=owner).order_by("name"), "name"),
    )


def receivers(*, but: User | None) -> list[str]:
    """User names of those who may own things: active operators and admins. One query."""
    found = User.objects.filter(is_active=True, role__in=[Role.OPERATOR, Role.ADMIN])
    found = found.exclude(pk=but.pk) if but else found
    return list(found.order_by("username").values_list("username", flat=True))


def owners() -> list[str]:
    """User names of everybody, also of those who have left. One query."""
    return list(User.objects.order_by("username").values_list("username", flat=True))


def _names(rows: QuerySet[Any], field: str) -> list[str]:
    return list(rows.values_list(field, flat=True))
