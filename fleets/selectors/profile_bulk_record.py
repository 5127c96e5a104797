"""Bulk changes that were made: the latest of them, and one with what became of each profile."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet

from fleets.models import BulkOutcome, ProfileBulkChange, ProfileBulkItem, User

_RECENT: Final = 10


@dataclass(frozen=True, slots=True)
class BulkRecord:
    """One bulk change. `may_undo` is of the person who looks."""

    bulk: ProfileBulkChange
    items: Sequence[ProfileBulkItem]
    may_undo: bool

    @property
    def counts(self) -> list[tuple[str, int]]:
        """How many of each outcome, those that occur."""
        found = Counter(item.outcome for item in self.items)
        return [(label, found[value]) for value, label in BulkOutcome.choices if found[value]]

    @property
    def restored(self) -> int:
        """How many profiles say again what they said before."""
        return sum(item.undone_number is not None for item in self.items)

    @property
    def left_alone(self) -> int:
        """How many could not be brought back."""
        return sum(bool(item.undo_reason) for item in self.items)


def bulk_changes() -> "QuerySet[ProfileBulkChange]":
    """The latest, newest first. One query."""
    return ProfileBulkChange.objects.select_related("user", "undone_by")[:_RECENT]


def get_bulk_change(public_id: str) -> ProfileBulkChange | None:
    """The bulk change with this id."""
    found = ProfileBulkChange.objects.select_related("user", "undone_by")
    return found.filter(public_id=public_id).first()


def bulk_record(bulk: ProfileBulkChange, user: User) -> BulkRecord:
    """What became of each profile, changed ones first. One query."""
    items = sorted(bulk.items.select_related("profile"), key=_place)
    return BulkRecord(bulk, items, may_undo=user.is_operator and bulk.undone_at is None)


def _place(item: ProfileBulkItem) -> tuple[int, str]:
    return BulkOutcome.values.index(item.outcome), item.slug
