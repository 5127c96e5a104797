"""One change made to many profiles at once, and undone at once: all in one transaction."""

import json
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from fleets.domain.errors import AlreadySo, Conflict, InvalidInput, NotFoundHere
from fleets.domain.profile_change import ProfileChange
from fleets.domain.profile_problems import CheckedBody, check_body
from fleets.models import (
    AuditEvent,
    BulkOutcome,
    Profile,
    ProfileBulkChange,
    ProfileBulkItem,
    ProfileRevision,
)
from fleets.selectors.profile_bulk import BulkPreview, BulkRow, judged
from fleets.services import audit
from fleets.services.actor import Actor
from fleets.services.profile_texts import keep_texts
from fleets.services.profiles import LONGEST_NOTE, copy_facts

_ID_BYTES: Final = 8
_NAMED: Final = 5
_BATCH: Final = 200
_COPIED: Final = (
    *("head", "newest", "updated_at", "name", "description", "harness", "model", "tags"),
    *("skills", "mcp_servers", "search_text", "texts_number"),
)


def new_bulk_id() -> str:
    """The id that a preview is given, so that a second press of its button changes nothing."""
    return f"bulk-{secrets.token_hex(_ID_BYTES)}"


@dataclass(frozen=True, slots=True)
class BulkOrder:
    """What a person confirmed: the change, and the head of each profile that was shown to them.

    `taken`: the ids that were not left out. `selection`: which profiles were meant, in words.
    """

    public_id: str
    change: ProfileChange
    seen: Mapping[str, int]
    taken: Collection[str]
    selection: str
    note: str = ""
    is_published: bool = True


@transaction.atomic
def change_profiles(order: BulkOrder, *, actor: Actor) -> ProfileBulkChange:
    """Give every taken profile a revision, or none. Each starts from the head that was shown.

    Raises Conflict, naming them, when a head moved or a profile can no longer be changed;
    AlreadySo (`state` is the id) when it was done; InvalidInput (nothing taken, the note) and
    NotAllowed.
    """
    actor.must_be_operator("edit profiles")
    if len(order.note) > LONGEST_NOTE:
        raise InvalidInput.at("note", f"A note has at most {LONGEST_NOTE} characters.")
    profiles = _locked(order.seen)
    if ProfileBulkChange.objects.filter(public_id=order.public_id).exists():
        raise AlreadySo("It was done already.", state=order.public_id)
    now = timezone.now()
    preview = judged(profiles, order.change, actor.user, now=now)
    taken = _taken(preview, order)
    made = _write(
        [_Entry(row.profile, _checked(row), row.profile.head) for row in taken],
        note=order.note or order.change.words[:LONGEST_NOTE],
        publish=order.is_published,
        actor=actor,
        now=now,
    )
    bulk = ProfileBulkChange.objects.create(
        public_id=order.public_id,
        user=actor.user,
        made_at=now,
        note=order.note,
        change=order.change.as_json,
        words=order.change.words[:300],
        selection=order.selection[:300],
        is_published=order.is_published,
        count=len(taken),
    )
    numbers = {revision.profile_id: revision.number for revision in made}
    ProfileBulkItem.objects.bulk_create(
        [_item(bulk, row, order, numbers.get(row.profile.pk)) for row in preview.rows], _BATCH
    )
    _record("profile.bulk_change", bulk, made, actor=actor, reason=order.note)
    return bulk


@transaction.atomic
def undo_bulk_change(bulk: ProfileBulkChange, *, actor: Actor) -> ProfileBulkChange:
    """Bring back what each profile said before, as a new revision, where it is still what we made.

    What was changed since, or may not be written, is left alone and says so. Raises AlreadySo,
    Conflict when nothing is left to undo, and NotAllowed.
    """
    actor.must_be_operator("edit profiles")
    found = ProfileBulkChange.objects.select_for_update(of=("self",)).filter(pk=bulk.pk).first()
    if found is None:
        raise NotFoundHere("bulk change", bulk.public_id)
    if found.undone_at is not None:
        raise AlreadySo("It was undone already.")
    bulk = found
    items = list(bulk.items.filter(outcome=BulkOutcome.CHANGED))
    profiles = {one.slug: one for one in _locked([item.slug for item in items])}
    entries = _former(items, profiles, actor=actor)
    if not entries:
        raise Conflict("Nothing is left to undo: every profile was changed since.", state="changed")
    now = timezone.now()
    live = [entry for entry in entries.values() if entry.profile.head == entry.made]
    kept = [entry for entry in entries.values() if entry.profile.head != entry.made]
    note = f"Undo: {bulk.note or bulk.words}"[:LONGEST_NOTE]
    made = [
        *_write(live, note=note, publish=True, actor=actor, now=now),
        *_write(kept, note=note, publish=False, actor=actor, now=now),
    ]
    numbers = {revision.profile.slug: revision.number for revision in made}
    for item in items:
        item.undone_number = numbers.get(item.slug)
    ProfileBulkItem.objects.bulk_update(items, ["undone_number", "undo_reason"], _BATCH)
    bulk.undone_at, bulk.undone_by = now, actor.user
    bulk.save(update_fields=["undone_at", "undone_by"])
    _record("profile.bulk_undo", bulk, made, actor=actor, reason=note)
    return bulk


@dataclass(frozen=True, slots=True)
class _Entry:
    """A profile and the body it gets; `restored` is the revision whose content that is."""

    profile: Profile
    checked: CheckedBody
    base: ProfileRevision | None
    restored: ProfileRevision | None = None
    made: ProfileRevision | None = None


def _locked(slugs: Collection[str]) -> list[Profile]:
    """The rows as they stand now, by id, held until the transaction ends. One query."""
    return list(
        Profile.objects.select_for_update(of=("self",))
        .select_related("catalog", "head")
        .defer("search_text")
        .filter(slug__in=list(slugs))
        .order_by("pk")
    )


def _taken(preview: BulkPreview, order: BulkOrder) -> list[BulkRow]:
    rows = {row.profile.slug: row for row in preview.rows}
    wanted = [slug for slug in order.seen if slug in order.taken]
    if not wanted:
        raise InvalidInput.at("take", "Choose at least one profile.")
    moved = []
    for slug in wanted:
        row = rows.get(slug)
        if row is None:
            moved.append(f"{slug} is gone")
        elif row.number != order.seen[slug]:
            moved.append(f"{slug} is at r{row.number}, not r{order.seen[slug]}, since")
        elif not row.is_changed:
            moved.append(f"{slug} {row.why or row.problems[0].message}")
    if moved:
        more = f"; {len(moved) - _NAMED} more" if len(moved) > _NAMED else ""
        raise Conflict(
            f"Nothing was changed: {'; '.join(moved[:_NAMED])}{more}. This is how it stands now.",
            state="moved",
        )
    return [rows[slug] for slug in wanted]


def _checked(row: BulkRow) -> CheckedBody:
    assert row.checked is not None
    return row.checked


def _item(
    bulk: ProfileBulkChange, row: BulkRow, order: BulkOrder, number: int | None
) -> ProfileBulkItem:
    is_left = row.is_changed and number is None
    words = "; ".join(f"{one.message}" for one in row.problems)
    return ProfileBulkItem(
        bulk=bulk,
        profile=row.profile,
        slug=row.profile.slug,
        outcome=BulkOutcome.LEFT_OUT if is_left else row.outcome,
        reason=(row.why or words)[:500],
        from_number=row.number,
        to_number=number,
    )


def _former(
    items: Sequence[ProfileBulkItem], profiles: Mapping[str, Profile], *, actor: Actor
) -> dict[str, _Entry]:
    """What each profile said before, where that can come back; other items get their reason."""
    numbers = {(item.slug, item.from_number) for item in items}
    numbers |= {(item.slug, item.to_number) for item in items}
    found = ProfileRevision.objects.filter(
        profile__in=profiles.values(), number__in={number for _, number in numbers}
    ).select_related("profile")
    revisions = {(one.profile.slug, one.number): one for one in found}
    user = actor.user
    teams = None if user is None or user.is_admin else {team.pk for team in user.teams.all()}
    entries = {}
    for item in items:
        profile = profiles.get(item.slug)
        former = revisions.get((item.slug, item.from_number or 0))
        made = revisions.get((item.slug, item.to_number or 0))
        if profile is None or former is None or made is None:
            item.undo_reason = "is gone"
            continue
        item.undo_reason = _kept_back(profile, made, teams=teams)
        checked = check_body(json.loads(former.body))
        if not item.undo_reason and checked.problems:
            item.undo_reason = f"r{former.number} would be refused today"
        if not item.undo_reason:
            entries[item.slug] = _Entry(profile, checked, made, restored=former, made=made)
    return entries


def _kept_back(profile: Profile, made: ProfileRevision, *, teams: set[int] | None) -> str:
    """Why this profile is left alone, "" when it is not."""
    team = profile.catalog.team_id
    if teams is not None and team is not None and team not in teams:
        return f"the catalog {profile.catalog.name} is of a team that is not yours"
    if profile.archived_at is not None:
        return "archived since"
    is_draft_still = made.published_at is None and profile.newest == made.number
    if profile.head == made or is_draft_still:
        return ""
    now = profile.head.number if profile.head and made.published_at else profile.newest
    return f"changed since: r{now}, left alone"


def _write(
    entries: Sequence[_Entry], *, note: str, publish: bool, actor: Actor, now: datetime
) -> list[ProfileRevision]:
    """A revision for each, six statements however many."""
    for entry in entries:
        entry.profile.newest += 1
        entry.profile.updated_at = now
    made = ProfileRevision.objects.bulk_create(
        [
            ProfileRevision(
                profile=entry.profile,
                number=entry.profile.newest,
                body=entry.checked.text,
                digest=entry.checked.digest,
                base=entry.base,
                restored_from=entry.restored,
                note=note,
                author=actor.user,
                created_at=now,
                published_at=now if publish else None,
            )
            for entry in entries
        ],
        _BATCH,
    )
    for entry, revision in zip(entries, made, strict=True):
        if publish:
            entry.profile.head = revision
            copy_facts(entry.profile, entry.checked)
    if publish:
        keep_texts({entry.profile: entry.checked.body for entry in entries})
        # The rows are there and held: the conflict is what writes, many times faster than cases.
        Profile.objects.bulk_create(
            [entry.profile for entry in entries],
            _BATCH,
            update_conflicts=True,
            update_fields=_COPIED,
            unique_fields=["pk"],
        )
    else:
        drafted = Profile.objects.filter(pk__in=[entry.profile.pk for entry in entries])
        drafted.update(newest=F("newest") + 1, updated_at=now)
    AuditEvent.objects.bulk_create(
        [_audited(entry, revision, actor) for entry, revision in zip(entries, made, strict=True)],
        _BATCH,
    )
    return made


def _audited(entry: _Entry, revision: ProfileRevision, actor: Actor) -> AuditEvent:
    restored = entry.restored
    return audit.row(
        "profile.restore" if restored else "profile.save",
        actor=actor,
        object_type="profile",
        object_id=entry.profile.slug,
        before={"revision": entry.base.number} if entry.base else {},
        after={
            "catalog": entry.profile.catalog.slug,
            "revision": revision.number,
            "digest": revision.digest,
            "published": revision.published_at is not None,
            **({"restoredFrom": restored.number} if restored else {}),
        },
        reason=revision.note,
    )


def _record(
    act: str,
    bulk: ProfileBulkChange,
    made: Sequence[ProfileRevision],
    *,
    actor: Actor,
    reason: str,
) -> None:
    """One row for the whole act, each profile with the revision before and after."""
    audit.record(
        act,
        actor=actor,
        object_type="profile_bulk_change",
        object_id=bulk.public_id,
        before={one.profile.slug: one.base.number for one in made if one.base},
        after={
            "change": bulk.words,
            "profiles": {one.profile.slug: one.number for one in made},
            "published": bulk.is_published,
        },
        reason=reason,
    )
