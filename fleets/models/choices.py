"""Turns the domain's enums into choices and the check constraints that hold them."""

from enum import StrEnum

from django.db import models
from django.db.models import Q


def choices_of(kind: type[StrEnum]) -> list[tuple[str, str]]:
    """Choices of a domain enum, labelled by its own words."""
    return [(member.value, member.value.replace("_", " ")) for member in kind]


def one_of(field: str, kind: type[StrEnum], *, name: str) -> models.CheckConstraint:
    """A constraint: `field` holds one of the enum's words (or NULL, where the column allows it)."""
    words = [member.value for member in kind]
    return models.CheckConstraint(
        condition=Q(**{f"{field}__in": words}) | Q(**{f"{field}__isnull": True}), name=name
    )


def not_negative(*fields: str, name: str) -> models.CheckConstraint:
    """A constraint: each of `fields` is NULL or at least zero."""
    condition = Q()
    for field in fields:
        condition &= Q(**{f"{field}__gte": 0}) | Q(**{f"{field}__isnull": True})
    return models.CheckConstraint(condition=condition, name=name)
