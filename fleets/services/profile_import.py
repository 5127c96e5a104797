"""Importing profiles: what was read is kept for its preview, then written in one transaction."""

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone

from fleets.domain.errors import (
    AlreadySo,
    Conflict,
    InvalidInput,
    NotAllowed,
    NotFoundHere,
    OverLimit,
    Problem,
)
from fleets.domain.profile_import.candidate import Found
from fleets.domain.profile_import.kept import found_text
from fleets.models import Catalog, Profile, ProfileImport
from fleets.selectors.profile_import import ImportRow, Verdict, import_preview
from fleets.services import audit
from fleets.services.actor import Actor
from fleets.services.profiles import create_profile, must_edit, save_revision

KEPT_FOR: Final = timedelta(hours=1)
MOST_KEPT: Final = 3
MAX_KEPT_CHARS: Final = 16 * 1_024 * 1_024
_ID_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person confirmed, rows by their number in the preview.

    `accepted`: rows whose losses were accepted. `seen`: the newest revision each was compared with.
    """

    taken: frozenset[int]
    accepted: frozenset[int] = frozenset()
    seen: Mapping[int, int] | None = None


@transaction.atomic
def keep_import(found: Found, *, catalog: Catalog, actor: Actor) -> ProfileImport:
    """Keep it for its preview, an hour at most; only the last three of a person are kept.

    Raises NotAllowed, and OverLimit when there is too much to be kept.
    """
    must_edit(actor, catalog)
    if actor.user is None:
        raise NotAllowed("An import belongs to a person.")
    text = found_text(found)
    if len(text) > MAX_KEPT_CHARS:
        raise OverLimit(
            f"Together they have more than {MAX_KEPT_CHARS >> 20} MiB: import them in parts.",
            limit=f"{MAX_KEPT_CHARS >> 20} MiB",
        )
    now = timezone.now()
    forget_expired(now=now)
    waiting = ProfileImport.objects.filter(user=actor.user, confirmed_at=None)
    older = list(waiting.values_list("pk", flat=True)[MOST_KEPT - 1 :])
    ProfileImport.objects.filter(pk__in=older).delete()
    return ProfileImport.objects.create(
        public_id=f"import-{secrets.token_hex(_ID_BYTES)}",
        user=actor.user,
        catalog=catalog,
        found=text,
        created_at=now,
        expires_at=now + KEPT_FOR,
    )


def forget_expired(*, now: datetime) -> int:
    """Remove imports that are too old to be confirmed, or to be looked at again; how many."""
    return ProfileImport.objects.filter(expires_at__lt=now).delete()[0]


@transaction.atomic
def confirm_import(
    kept: ProfileImport, choice: Choice, *, note: str, publish: bool, actor: Actor
) -> ProfileImport:
    """Write the chosen profiles, all or none; a second confirmation changes nothing.

    Raises InvalidInput (nothing chosen, a loss not accepted, a note too long), Conflict when the
    catalog moved since the preview, AlreadySo, NotFoundHere when it is too old, and NotAllowed.
    """
    kept = _locked(kept, actor)
    assert actor.user is not None
    rows = [row for row in import_preview(kept, actor.user).rows if row.at in choice.taken]
    _check(rows, choice)
    outcome = [_write(row, kept.catalog, note=note, publish=publish, actor=actor) for row in rows]
    kept.outcome = outcome
    kept.confirmed_at = timezone.now()
    kept.found = found_text(Found(()))
    kept.save()
    audit.record(
        "profile.import",
        actor=actor,
        object_type="profile_import",
        object_id=kept.public_id,
        after={
            "profiles": [f"{one['slug']} r{one['number']}" for one in outcome],
            "accepted_losses": {
                row.candidate.slug: [loss.what for loss in row.candidate.losses]
                for row in rows
                if row.candidate.losses
            },
        },
        reason=note,
    )
    return kept


@transaction.atomic
def discard_import(kept: ProfileImport, *, actor: Actor) -> None:
    """Forget what was read. Raises AlreadySo once it is imported, NotFoundHere."""
    _locked(kept, actor).delete()


def _locked(kept: ProfileImport, actor: Actor) -> ProfileImport:
    found = (
        ProfileImport.objects.select_for_update(of=("self",))
        .select_related("catalog")
        .filter(pk=kept.pk, expires_at__gt=timezone.now())
        .first()
    )
    user = actor.user
    if found is None or user is None or not (user.is_admin or user.pk == found.user_id):
        raise NotFoundHere("import", kept.public_id)
    if found.confirmed_at is not None:
        raise AlreadySo("It was imported already.")
    return found


def _check(rows: Collection[ImportRow], choice: Choice) -> None:
    if not rows:
        raise InvalidInput.at("", "Choose at least one profile.")
    moved = [row for row in rows if not row.may_be_taken or row.number != _seen(row, choice)]
    if moved:
        names = ", ".join(row.candidate.slug or row.candidate.place for row in moved[:5])
        raise Conflict(f"The catalog changed since this was shown ({names}): look again.")
    missing = [
        Problem(
            f"row-{row.at}", f"{row.candidate.slug}: accept what would be lost, or leave it out."
        )
        for row in rows
        if row.candidate.losses and row.at not in choice.accepted
    ]
    if missing:
        raise InvalidInput(missing)


def _seen(row: ImportRow, choice: Choice) -> int | None:
    return row.number if choice.seen is None else choice.seen.get(row.at)


def _write(
    row: ImportRow, catalog: Catalog, *, note: str, publish: bool, actor: Actor
) -> dict[str, str | int]:
    one = row.candidate
    body = dict(one.body)
    note = note or f"imported from {one.place}"[:300]
    if row.verdict is Verdict.NEW:
        create_profile(
            catalog=catalog, body=body, slug=one.slug, note=note, actor=actor, publish=publish
        )
        return {"slug": one.slug, "number": 1, "verdict": row.verdict.value}
    profile = Profile.objects.get(slug=one.slug)
    made = save_revision(
        profile, body=body, base=row.number or 0, note=note, actor=actor, publish=publish
    )
    return {"slug": one.slug, "number": made.number, "verdict": row.verdict.value}
