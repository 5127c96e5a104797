"""Resolves references to profiles: what a name means at this moment, or why it means nothing."""

import difflib
import json
from dataclasses import dataclass
from typing import Any, Final

from fleets.domain.errors import InvalidInput, Moved, Problem, Repair
from fleets.domain.profile_refs import ProfileRef, RefMode
from fleets.models import Profile, ProfileRevision, User

PLACE: Final = "profile"


@dataclass(frozen=True, slots=True)
class ResolvedProfile:
    """A revision of the catalog, ready to be sent. `profile_id` and `revision_id` are our rows'."""

    profile_id: int
    revision_id: int
    slug: str
    number: int
    digest: str
    body: dict[str, Any]
    name: str


def resolve_profile(user: User | None, ref: ProfileRef) -> ResolvedProfile:
    """What `ref` means now. At most three queries.

    Raises InvalidInput at `profile`: no such profile (with the nearest name), archived, nothing
    published, the head has moved (`expect`), no such revision or label. Everybody who may read the
    catalog may use it; `user` None is the system.
    """
    profile = None
    # With what is in no name, such as a NUL, the database would break over the question.
    if (user is None or user.is_viewer) and ref.slug.isascii() and "\0" not in ref.slug:
        profile = Profile.objects.filter(slug=ref.slug).select_related("head").first()
    if profile is None:
        raise InvalidInput.at(PLACE, f"There is no profile {ref.slug[:63]}.{_near_slug(ref.slug)}")
    if profile.archived_at is not None and ref.mode is not RefMode.FIXED:
        raise InvalidInput.at(PLACE, f"{ref.slug} is archived: bring it back, or fix a revision.")
    revision = _revision(profile, ref)
    return ResolvedProfile(
        profile_id=profile.pk,
        revision_id=revision.pk,
        slug=profile.slug,
        number=revision.number,
        digest=revision.digest,
        body=json.loads(revision.body),
        name=profile.name,
    )


def _revision(profile: Profile, ref: ProfileRef) -> ProfileRevision:
    if ref.mode is RefMode.FIXED:
        return _fixed(profile, ref)
    if ref.mode is RefMode.LABEL:
        return _labelled(profile, ref)
    head = profile.head
    if head is None:
        words = f"Nothing of {ref.slug} is published yet: publish a revision, or fix a draft."
        raise InvalidInput.at(PLACE, words)
    if ref.mode is RefMode.EXPECT and ref.number != head.number:
        words = (
            f"{ref.slug} is expected at r{ref.number}, and its head is r{head.number}: see what"
            " differs, then accept it, or fix the old one."
        )
        raise InvalidInput([_moved(ref.slug, ref.number or 0, head.number, words)])
    return head


def _moved(slug: str, named: int, head: int, words: str) -> Problem:
    accept = Repair(f"Expect r{head}", PLACE, f"{slug} expect r{head}")
    keep = Repair(f"Fix r{named}", PLACE, f"{slug} fixed r{named}")
    return Problem(PLACE, words, accept, also=(keep,), moved=Moved(slug, named, head))


def _fixed(profile: Profile, ref: ProfileRef) -> ProfileRevision:
    found = ProfileRevision.objects.filter(profile=profile, number=ref.number or 0).first()
    if found is None:
        words = f"{ref.slug} has no r{ref.number}: its newest is r{profile.newest}."
        raise InvalidInput.at(PLACE, words)
    return found


def _labelled(profile: Profile, ref: ProfileRef) -> ProfileRevision:
    labels = {one.name: one.revision for one in profile.labels.select_related("revision")}
    if ref.label in labels:
        return labels[ref.label]
    near = difflib.get_close_matches(ref.label, list(labels), n=1)
    known = f" Did you mean {near[0]}?" if near else f" It has {', '.join(labels) or 'none'}."
    raise InvalidInput.at(PLACE, f"{ref.slug} has no label {ref.label[:40]}.{known}")


def _near_slug(slug: str) -> str:
    slugs = Profile.objects.filter(archived_at__isnull=True).values_list("slug", flat=True)
    near = difflib.get_close_matches(slug[:63].lower(), list(slugs[:5_000]), n=1, cutoff=0.5)
    return f" Did you mean {near[0]}?" if near else ""
