"""Writes profiles of the catalog: made, saved revision by revision, published, restored.

A revision is never changed. Every save names the revision it was started from; when another one
was saved since, it is refused and nothing is written.
"""

import json
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from fleets.domain.errors import AlreadySo, Conflict, InvalidInput, NotAllowed, NotFoundHere
from fleets.domain.profile_body import RESERVED, facts_of
from fleets.domain.profile_problems import CheckedBody, check_body
from fleets.domain.slugs import NUMBERED_FROM, first_free, is_slug, slug_of
from fleets.models import Catalog, Profile, ProfileRevision
from fleets.services import audit
from fleets.services.actor import Actor
from fleets.services.naming import wait_to_name
from fleets.services.profile_texts import keep_texts

LONGEST_NOTE: Final = 300
ORGANISATION: Final = "Organisation"
ORGANISATION_SLUG: Final = "organisation"
_LONGEST_NAME: Final = 200
_LONGEST_DESCRIPTION: Final = 500
_LONGEST_TAG: Final = 60
_MOST_TAGS: Final = 50


def organisation_catalog() -> Catalog:
    """The catalog that is everybody's, made when it is first asked for."""
    catalog, _ = Catalog.objects.get_or_create(
        slug=ORGANISATION_SLUG, defaults={"name": ORGANISATION}
    )
    return catalog


def must_edit(actor: Actor, catalog: Catalog) -> None:
    """Raise NotAllowed unless the actor may write in this catalog: operators in everybody's and
    in those of their teams, admins in all.
    """
    actor.must_be_operator("edit profiles")
    user = actor.user
    if user is None or user.is_admin or catalog.team_id is None:
        return
    if not user.teams.filter(pk=catalog.team_id).exists():
        raise NotAllowed(
            f"The catalog {catalog.name} belongs to a team that {actor.name} is not in.",
            who_can="its team or an admin",
        )


@transaction.atomic
def create_profile(
    *,
    catalog: Catalog,
    body: dict[str, Any],
    slug: str = "",
    note: str = "",
    actor: Actor,
    publish: bool = True,
) -> Profile:
    """A new profile with its r1, which is its head unless `publish` is off.

    `slug` "": made of the body's name, with a number where that is taken. Raises InvalidInput (the
    body, the slug or the note) and NotAllowed.
    """
    must_edit(actor, catalog)
    checked = _sound(body, note=note)
    wait_to_name("profile")
    now = timezone.now()
    profile = Profile.objects.create(
        catalog=catalog,
        slug=free_slug(slug, name=str(body.get("name", ""))),
        owner=actor.user,
        created_at=now,
        updated_at=now,
    )
    revision = _add(profile, checked, note=note, actor=actor)
    if publish:
        _make_head(profile, revision)
    _record("profile.create", profile, revision, actor=actor)
    return profile


@transaction.atomic
def save_revision(
    profile: Profile,
    *,
    body: dict[str, Any],
    base: int,
    note: str,
    actor: Actor,
    publish: bool,
) -> ProfileRevision:
    """The next revision, started from number `base`; a draft unless `publish` makes it the head.

    Raises Conflict when `base` is not the newest any more (`state` is the newest's number),
    AlreadySo when nothing differs from it, InvalidInput and NotAllowed.
    """
    profile = locked(profile)
    must_edit(actor, profile.catalog)
    checked = _sound(body, note=note)
    newest = newest_revision(profile)
    if newest.number != base:
        by = newest.author.get_username() if newest.author else "Fleetdash"
        raise Conflict(
            f"r{newest.number} was saved by {by} at {newest.created_at:%H:%M} UTC, and this was "
            f"started from r{base}. Nothing is lost: compare, rebase or discard.",
            state=str(newest.number),
        )
    if newest.body == checked.text:
        raise AlreadySo(f"Nothing differs from r{newest.number}.", state=str(newest.number))
    revision = _add(profile, checked, note=note, actor=actor, base=newest)
    if publish:
        _make_head(profile, revision)
    _record("profile.save", profile, revision, actor=actor)
    return revision


@transaction.atomic
def publish_revision(profile: Profile, *, number: int, actor: Actor) -> ProfileRevision:
    """Make this revision the head. Raises AlreadySo when it is, Conflict when the head is newer
    (restore it instead), NotFoundHere and NotAllowed.
    """
    profile = locked(profile)
    must_edit(actor, profile.catalog)
    revision = get_revision(profile, number)
    head = profile.head
    if head and head.number == number:
        raise AlreadySo(f"r{number} is the head already.", state=str(number))
    if head and head.number > number:
        raise Conflict(
            f"The head is r{head.number}, which is newer: restore r{number} as a new revision.",
            state=str(head.number),
        )
    before = {"head": head.number} if head else {}
    _make_head(profile, revision)
    audit.record(
        "profile.publish",
        actor=actor,
        object_type="profile",
        object_id=profile.slug,
        before=before,
        after={"head": revision.number, "digest": revision.digest},
    )
    return revision


@transaction.atomic
def restore_revision(
    profile: Profile, *, number: int, note: str = "", actor: Actor, publish: bool = False
) -> ProfileRevision:
    """A new revision with the content of an old one. Raises AlreadySo when that is the newest."""
    profile = locked(profile)
    must_edit(actor, profile.catalog)
    old, newest = get_revision(profile, number), newest_revision(profile)
    if old.number == newest.number:
        raise AlreadySo(f"r{number} is the newest already.", state=str(number))
    checked = check_body_text(old)
    revision = _add(
        profile,
        checked,
        note=note or f"r{number} restored",
        actor=actor,
        base=newest,
        restored_from=old,
    )
    if publish:
        _make_head(profile, revision)
    _record("profile.restore", profile, revision, actor=actor)
    return revision


def locked(profile: Profile) -> Profile:
    """The row as it stands now, held until the transaction ends. Raises NotFoundHere."""
    found = (
        Profile.objects.select_for_update(of=("self",))
        .select_related("catalog", "head", "owner")
        .filter(pk=profile.pk)
        .first()
    )
    if found is None:
        raise NotFoundHere("profile", profile.slug)
    return found


def get_revision(profile: Profile, number: int) -> ProfileRevision:
    """The revision of that number. Raises NotFoundHere."""
    found = profile.revisions.filter(number=number).select_related("author").first()
    if found is None:
        raise NotFoundHere(f"revision of {profile.slug}", f"r{number}")
    return found


def newest_revision(profile: Profile) -> ProfileRevision:
    """The last one saved, draft or not."""
    return get_revision(profile, profile.newest)


def check_body_text(revision: ProfileRevision) -> CheckedBody:
    """A stored body checked by the rules of today. Raises InvalidInput when they refuse it."""
    checked = check_body(json.loads(revision.body))
    checked.must_be_sound()
    return checked


def _sound(body: dict[str, Any], *, note: str) -> CheckedBody:
    checked = check_body(body)
    checked.must_be_sound()
    if len(note) > LONGEST_NOTE:
        raise InvalidInput.at("note", f"A note has at most {LONGEST_NOTE} characters.")
    return checked


def free_slug(slug: str, *, name: str) -> str:
    """The id asked for, or one made of the name. Raises InvalidInput: taken, or no id at all."""
    if slug:
        if not is_slug(slug):
            words = "An id has small letters, digits and hyphens, at most 63: code-reviewer."
            raise InvalidInput.at("slug", words)
        if slug in RESERVED:
            raise InvalidInput.at("slug", f"“{slug}” is an address of ours: choose another id.")
        if Profile.objects.filter(slug=slug).exists():
            raise InvalidInput.at("slug", f"There is a profile {slug} already.")
        return slug
    wanted = slug_of(name)
    if not wanted:
        raise InvalidInput.at("slug", "Give it a name or an id, such as code-reviewer.")
    begins = Profile.objects.filter(slug__startswith=wanted[:NUMBERED_FROM])
    return first_free(wanted, taken={*begins.values_list("slug", flat=True), *RESERVED})


def _add(
    profile: Profile,
    checked: CheckedBody,
    *,
    note: str,
    actor: Actor,
    base: ProfileRevision | None = None,
    restored_from: ProfileRevision | None = None,
) -> ProfileRevision:
    now = timezone.now()
    revision = ProfileRevision.objects.create(
        profile=profile,
        number=profile.newest + 1,
        body=checked.text,
        digest=checked.digest,
        base=base,
        restored_from=restored_from,
        note=note,
        author=actor.user,
        created_at=now,
    )
    profile.newest = revision.number
    profile.updated_at = now
    if profile.head is None:
        copy_facts(profile, checked)
    profile.save()
    return revision


def _make_head(profile: Profile, revision: ProfileRevision) -> None:
    now = timezone.now()
    if revision.published_at is None:
        revision.published_at = now
        revision.save(update_fields=["published_at"])
    profile.head = revision
    profile.updated_at = now
    checked = check_body_text(revision)
    copy_facts(profile, checked)
    keep_texts({profile: checked.body})
    profile.save()


def copy_facts(profile: Profile, checked: CheckedBody) -> None:
    """Take over what lists show of a body; the row is not saved."""
    facts = facts_of(checked.body)
    profile.name = (facts.name or profile.slug)[:_LONGEST_NAME]
    profile.description = facts.description[:_LONGEST_DESCRIPTION]
    profile.harness = facts.harness
    profile.model = facts.model[:_LONGEST_NAME]
    profile.tags = [tag[:_LONGEST_TAG] for tag in facts.tags[:_MOST_TAGS]]
    profile.skills = facts.skills
    profile.mcp_servers = facts.mcp_servers
    profile.search_text = facts.search_text


def _record(act: str, profile: Profile, revision: ProfileRevision, *, actor: Actor) -> None:
    base, restored = revision.base, revision.restored_from
    audit.record(
        act,
        actor=actor,
        object_type="profile",
        object_id=profile.slug,
        before={"revision": base.number} if base else {},
        after={
            "catalog": profile.catalog.slug,
            "revision": revision.number,
            "digest": revision.digest,
            "published": profile.head == revision,
            **({"restoredFrom": restored.number} if restored else {}),
        },
        reason=revision.note,
    )
