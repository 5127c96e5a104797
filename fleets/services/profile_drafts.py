"""What people are typing at profiles."""

from dataclasses import dataclass

from fleets.models import Catalog, Profile, ProfileDraft, ProfileRevision, User
from fleets.services import drafts


@dataclass(frozen=True, slots=True)
class Typed:
    """A text under way. `base` is the number of the revision it was started from, 0 for none."""

    text: str
    syntax: str
    base: int
    note: str = ""
    catalog: str = ""


def keep_draft(profile: Profile | None, *, user: User, typed: Typed) -> ProfileDraft:
    """Keep it for this person, in place of what was kept before. `profile` None: a new one.

    The caller has seen that no secret is in it.
    """
    base = None
    if profile is not None and typed.base:
        base = ProfileRevision.objects.filter(profile=profile, number=typed.base).first()
    return drafts.keep(
        ProfileDraft,
        of={"profile": profile, "user": user},
        text=typed.text,
        syntax=typed.syntax,
        note=typed.note,
        catalog=Catalog.objects.filter(slug=typed.catalog).first(),
        base=base,
    )


def drop_draft(profile: Profile | None, *, user: User) -> bool:
    """Forget what this person was typing; whether there was anything."""
    return drafts.drop(ProfileDraft, of={"profile": profile, "user": user})
