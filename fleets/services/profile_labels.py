"""Labels: names that point at a published revision and can be moved (`stable`)."""

import re
from typing import Final

from django.db import transaction
from django.utils import timezone

from fleets.domain.errors import AlreadySo, Conflict, InvalidInput, NotFoundHere
from fleets.models import Profile, ProfileLabel
from fleets.services import audit
from fleets.services.actor import Actor
from fleets.services.profiles import get_revision, locked, must_edit

_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")
_KEPT: Final = re.compile(r"head|draft|r[0-9]+")


@transaction.atomic
def set_label(profile: Profile, *, name: str, number: int, actor: Actor) -> ProfileLabel:
    """Point a label at a revision, newly or from where it was. Raises InvalidInput (the name),
    Conflict (a draft carries no label), AlreadySo, NotFoundHere and NotAllowed.
    """
    profile = locked(profile)
    must_edit(actor, profile.catalog)
    if not _NAME.fullmatch(name):
        words = "A label has small letters, digits and hyphens, at most 40: stable."
        raise InvalidInput.at("label", words)
    if _KEPT.fullmatch(name):
        raise InvalidInput.at("label", f"“{name}” has a meaning already: choose another name.")
    revision = get_revision(profile, number)
    if revision.published_at is None:
        raise Conflict(f"r{number} is a draft: publish it first.", state="draft")
    label = ProfileLabel.objects.filter(profile=profile, name=name).first()
    before = label.revision.number if label else None
    if before == number:
        raise AlreadySo(f"{name} is at r{number} already.", state=str(number))
    label = label or ProfileLabel(profile=profile, name=name)
    label.revision, label.set_by, label.set_at = revision, actor.user, timezone.now()
    label.save()
    audit.record(
        "profile.label",
        actor=actor,
        object_type="profile",
        object_id=profile.slug,
        before={name: before} if before else {},
        after={name: number},
    )
    return label


@transaction.atomic
def remove_label(profile: Profile, *, name: str, actor: Actor) -> None:
    """Take a label away. Raises NotFoundHere and NotAllowed."""
    profile = locked(profile)
    must_edit(actor, profile.catalog)
    label = ProfileLabel.objects.filter(profile=profile, name=name).first()
    if label is None:
        raise NotFoundHere(f"label of {profile.slug}", name)
    before = label.revision.number
    label.delete()
    audit.record(
        "profile.label",
        actor=actor,
        object_type="profile",
        object_id=profile.slug,
        before={name: before},
        after={name: None},
    )
