"""Profiles put away, deleted, and handed from one owner to another."""

import pgtrigger
from django.db import transaction
from django.utils import timezone

from fleets.domain.errors import AlreadySo, Conflict, InvalidInput, NotAllowed
from fleets.models import Profile, User
from fleets.selectors.profile_users import users_of
from fleets.services import audit
from fleets.services.actor import Actor
from fleets.services.definition_shelf import hand_over_definitions
from fleets.services.profiles import locked, must_edit

_NAMED = 10


@transaction.atomic
def archive_profile(profile: Profile, *, actor: Actor, reason: str = "") -> Profile:
    """Put it away: out of lists and choices; what uses it goes on. Raises AlreadySo, NotAllowed."""
    return _put(profile, archived=True, actor=actor, reason=reason)


@transaction.atomic
def unarchive_profile(profile: Profile, *, actor: Actor, reason: str = "") -> Profile:
    """Bring it back. Raises AlreadySo and NotAllowed."""
    return _put(profile, archived=False, actor=actor, reason=reason)


@transaction.atomic
def delete_profile(profile: Profile, *, actor: Actor, reason: str) -> None:
    """Delete it with all its revisions. Fleets that ran it keep their copy.

    Raises Conflict with the list while something uses it, and NotAllowed: only its owner and
    admins delete.
    """
    profile = locked(profile)
    must_edit(actor, profile.catalog)
    user = actor.user
    if user and not user.is_admin and profile.owner_id != user.pk:
        raise NotAllowed(
            f"{profile.slug} is deleted by its owner or an admin. Archiving it is open to you.",
            who_can="its owner or an admin",
        )
    users = users_of(profile)
    if users:
        named = ", ".join(str(one) for one in users[:_NAMED])
        more = f" and {len(users) - _NAMED} more" if len(users) > _NAMED else ""
        raise Conflict(f"{profile.slug} is in use by {named}{more}.", state="in use")
    before = {"revisions": profile.newest, "head": profile.head.number if profile.head else None}
    slug = profile.slug
    profile.head = None
    profile.save(update_fields=["head"])
    with pgtrigger.ignore("fleets.ProfileRevision:revision_stays"):
        profile.delete()
    audit.record(
        "profile.delete",
        actor=actor,
        object_type="profile",
        object_id=slug,
        before=before,
        after={"deleted": True},
        reason=reason,
    )


@transaction.atomic
def hand_over(profile: Profile, *, to: User, actor: Actor, reason: str = "") -> Profile:
    """Give it another owner. Raises NotAllowed unless one's own or an admin, AlreadySo, and
    InvalidInput when the other may not own one.
    """
    profile = locked(profile)
    _must_own(profile.owner, actor)
    _must_be_able(to)
    if profile.owner_id == to.pk:
        raise AlreadySo(f"{to.get_username()} owns {profile.slug} already.")
    _give(profile, to, actor=actor, reason=reason)
    return profile


@transaction.atomic
def hand_over_all(owner: User, *, to: User, actor: Actor, reason: str = "") -> int:
    """Give everything somebody owns, profiles and definitions, to another: one act when they leave.
    How many it were.
    """
    _must_own(owner, actor)
    _must_be_able(to)
    profiles = list(Profile.objects.select_for_update().filter(owner=owner).order_by("pk"))
    for profile in profiles:
        _give(profile, to, actor=actor, reason=reason)
    return len(profiles) + hand_over_definitions(owner, to=to, actor=actor, reason=reason)


def _put(profile: Profile, *, archived: bool, actor: Actor, reason: str) -> Profile:
    profile = locked(profile)
    must_edit(actor, profile.catalog)
    if (profile.archived_at is not None) == archived:
        raise AlreadySo(f"{profile.slug} is {'' if archived else 'not '}archived already.")
    profile.archived_at = timezone.now() if archived else None
    profile.save(update_fields=["archived_at"])
    audit.record(
        "profile.archive" if archived else "profile.unarchive",
        actor=actor,
        object_type="profile",
        object_id=profile.slug,
        before={"archived": not archived},
        after={"archived": archived},
        reason=reason,
    )
    return profile


def _must_own(owner: User | None, actor: Actor) -> None:
    user = actor.user
    if user and not user.is_admin and (owner is None or owner.pk != user.pk):
        raise NotAllowed(
            "A profile is handed over by its owner or an admin.", who_can="its owner or an admin"
        )


def _must_be_able(to: User) -> None:
    if not to.is_operator:
        raise InvalidInput.at(
            "owner", f"{to.get_username()} may not edit profiles: choose an operator."
        )


def _give(profile: Profile, to: User, *, actor: Actor, reason: str) -> None:
    before = profile.owner.get_username() if profile.owner else None
    profile.owner = to
    profile.save(update_fields=["owner"])
    audit.record(
        "profile.hand_over",
        actor=actor,
        object_type="profile",
        object_id=profile.slug,
        before={"owner": before},
        after={"owner": to.get_username()},
        reason=reason,
    )
