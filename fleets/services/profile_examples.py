"""Writes the example tasks of a profile: added, changed, moved, removed.

They belong to the profile, not to a revision: all of its revisions are tried on the same tasks.
"""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import F

from fleets.domain.errors import AlreadySo, Conflict, NotFoundHere
from fleets.domain.profile_examples import MOST_EXAMPLES, Direction, Example, example_of, moved
from fleets.models import Profile, ProfileExample
from fleets.services import audit
from fleets.services.actor import Actor
from fleets.services.profiles import locked, must_edit


@transaction.atomic
def add_example(profile: Profile, *, example: Example, actor: Actor) -> ProfileExample:
    """Put one at the end. Raises AlreadySo when there is the same, Conflict when there are as many
    as may be, and NotAllowed.
    """
    profile, rows = _open(profile, actor)
    _must_be_new(rows, example)
    if len(rows) >= MOST_EXAMPLES:
        raise Conflict(
            f"{profile.slug} has {MOST_EXAMPLES} examples already: remove one first.", state="full"
        )
    row = ProfileExample.objects.create(
        profile=profile,
        position=len(rows) + 1,
        prompt=example.prompt,
        acceptance=example.acceptance,
    )
    _record("add", row, before={}, after={"position": row.position, **example.for_audit}, by=actor)
    return row


@transaction.atomic
def change_example(
    profile: Profile, *, pk: int, example: Example, seen: str, actor: Actor
) -> ProfileExample:
    """Say it otherwise. `seen` is the mark of what the person began with.

    Raises Conflict when somebody changed it since, AlreadySo when it says this, NotFoundHere and
    NotAllowed.
    """
    profile, rows = _open(profile, actor)
    row = _one(profile, rows, pk)
    now = _content(row)
    if now.mark == example.mark:
        raise AlreadySo(f"Example {row.position} says this already.")
    if now.mark != seen:
        raise Conflict(
            f"Somebody changed example {row.position} meanwhile. Nothing is lost: it is below as"
            " you wrote it, and saving again replaces theirs.",
            state=now.mark,
        )
    _must_be_new([other for other in rows if other.pk != pk], example)
    row.prompt, row.acceptance = example.prompt, example.acceptance
    row.save(update_fields=["prompt", "acceptance"])
    place = {"position": row.position}
    _record("change", row, before=place | now.for_audit, after=place | example.for_audit, by=actor)
    return row


@transaction.atomic
def move_example(profile: Profile, *, pk: int, direction: Direction, actor: Actor) -> int:
    """Move it one place; where it stands now. At the end of the list nothing happens.

    Raises NotFoundHere and NotAllowed.
    """
    profile, rows = _open(profile, actor)
    row = _one(profile, rows, pk)
    before = [one.pk for one in rows]
    order = moved(before, pk, direction)
    if order != before:
        _number(profile, order)
        at = {"position": row.position}
        _record("move", row, before=at, after={"position": order.index(pk) + 1}, by=actor)
    return order.index(pk) + 1


@transaction.atomic
def remove_example(profile: Profile, *, pk: int, actor: Actor) -> None:
    """Take it away; trials that ran it keep it as it stood. Raises NotFoundHere and NotAllowed."""
    profile, rows = _open(profile, actor)
    row = _one(profile, rows, pk)
    said = {"position": row.position, **_content(row).for_audit}
    left = [one.pk for one in rows if one.pk != pk]
    _record("remove", row, before=said, after={"examples": len(left)}, by=actor)
    row.delete()
    _number(profile, left)


def _open(profile: Profile, actor: Actor) -> tuple[Profile, list[ProfileExample]]:
    """The profile, held, and its examples in order, once the actor may write there."""
    profile = locked(profile)
    must_edit(actor, profile.catalog)
    return profile, list(profile.examples.order_by("position"))


def _one(profile: Profile, rows: Sequence[ProfileExample], pk: int) -> ProfileExample:
    for row in rows:
        if row.pk == pk:
            return row
    raise NotFoundHere("example", f"of {profile.slug} under this address")


def _content(row: ProfileExample) -> Example:
    return example_of(prompt=row.prompt, acceptance=row.acceptance)


def _must_be_new(rows: Sequence[ProfileExample], example: Example) -> None:
    twin = next((row for row in rows if _content(row).mark == example.mark), None)
    if twin is not None:
        raise AlreadySo(f"Example {twin.position} says exactly this already.")


def _number(profile: Profile, order: Sequence[int]) -> None:
    """Number them from 1 in this order; a place is never held by two, not even meanwhile."""
    profile.examples.update(position=F("position") + 2 * MOST_EXAMPLES)
    for position, pk in enumerate(order, start=1):
        profile.examples.filter(pk=pk).update(position=position)


def _record(
    act: str, row: ProfileExample, *, before: dict[str, Any], after: dict[str, Any], by: Actor
) -> None:
    audit.record(
        f"profile.example_{act}",
        actor=by,
        object_type="profile",
        object_id=row.profile.slug,
        before=before,
        after=after,
    )
