"""Following: a person says of which profiles and catalogs they want to hear, and that they have."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from fleets.domain.errors import AlreadySo, NotAllowed
from fleets.models import Catalog, Profile, ProfileFollow, User
from fleets.services import audit
from fleets.services.actor import Actor


@transaction.atomic
def follow_profile(profile: Profile, *, actor: Actor) -> None:
    """Hear of what is published in it from now on. Raises AlreadySo and NotAllowed."""
    _follow(profile.slug, "profile", actor=actor, profile=profile)


@transaction.atomic
def unfollow_profile(profile: Profile, *, actor: Actor) -> None:
    """Hear no more of it, unless its catalog is followed. Raises AlreadySo and NotAllowed."""
    _unfollow(profile.slug, "profile", actor=actor, profile=profile)


@transaction.atomic
def follow_catalog(catalog: Catalog, *, actor: Actor) -> None:
    """Hear of what is published in any of its profiles. Raises AlreadySo and NotAllowed."""
    _follow(catalog.slug, "catalog", actor=actor, catalog=catalog)


@transaction.atomic
def unfollow_catalog(catalog: Catalog, *, actor: Actor) -> None:
    """Hear no more of it. Raises AlreadySo and NotAllowed."""
    _unfollow(catalog.slug, "catalog", actor=actor, catalog=catalog)


def mark_seen(*, user: User, until: datetime) -> None:
    """What was published up to then is no news any more; never takes a later mark back."""
    now = timezone.now()
    follows = ProfileFollow.objects.filter(user=user, seen_at__lt=min(until, now))
    follows.update(seen_at=min(until, now))


def _person(actor: Actor) -> User:
    if actor.user is None or not actor.user.is_viewer:
        raise NotAllowed("Following is for people who may read the catalog.")
    return actor.user


def _follow(ident: str, kind: str, *, actor: Actor, **what: Any) -> None:
    now = timezone.now()
    _, is_new = ProfileFollow.objects.get_or_create(
        user=_person(actor), **what, defaults={"created_at": now, "seen_at": now}
    )
    if not is_new:
        raise AlreadySo(f"You follow {ident} already.")
    _record(ident, kind, actor=actor, follows=True)


def _unfollow(ident: str, kind: str, *, actor: Actor, **what: Any) -> None:
    count, _ = ProfileFollow.objects.filter(user=_person(actor), **what).delete()
    if not count:
        raise AlreadySo(f"You do not follow {ident}.")
    _record(ident, kind, actor=actor, follows=False)


def _record(ident: str, kind: str, *, actor: Actor, follows: bool) -> None:
    audit.record(
        f"{kind}.follow" if follows else f"{kind}.unfollow",
        actor=actor,
        object_type=kind,
        object_id=ident,
        before={"followed": not follows},
        after={"followed": follows},
    )
