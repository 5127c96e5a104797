"""What people are typing, kept while they type: it survives a closed tab and a late save."""

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from fleets.models import Catalog, Profile, ProfileDraft, ProfileRevision, User


@dataclass(frozen=True, slots=True)
class Typed:
    """A text under way. `base` is the number of the revision it was started from, 0 for none."""

    text: str
    syntax: str
    base: int
    note: str = ""
    catalog: str = ""


@transaction.atomic
def keep_draft(profile: Profile | None, *, user: User, typed: Typed) -> ProfileDraft:
    """Keep it for this person, in place of what was kept before. `profile` None: a new one.

    The caller has seen that no secret is in it.
    """
    base = None
    if profile is not None and typed.base:
        base = ProfileRevision.objects.filter(profile=profile, number=typed.base).first()
    now = timezone.now()
    # What cannot be stored is kept as the sign that says so; the editor shows it in its line.
    text, note = (one.replace("\0", "\ufffd") for one in (typed.text, typed.note[:300]))
    draft, _ = ProfileDraft.objects.update_or_create(
        profile=profile,
        user=user,
        defaults={
            "text": text,
            "syntax": typed.syntax,
            "note": note,
            "catalog": Catalog.objects.filter(slug=typed.catalog).first(),
            "base": base,
            "updated_at": now,
        },
        create_defaults={
            "text": text,
            "syntax": typed.syntax,
            "note": note,
            "catalog": Catalog.objects.filter(slug=typed.catalog).first(),
            "base": base,
            "began_at": now,
            "updated_at": now,
        },
    )
    return draft


def drop_draft(profile: Profile | None, *, user: User) -> bool:
    """Forget what this person was typing; whether there was anything."""
    count, _ = ProfileDraft.objects.filter(profile=profile, user=user).delete()
    return bool(count)
