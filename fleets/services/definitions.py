"""Writes definitions: made, saved revision by revision, restored, cloned, put away, deleted.

A revision is never changed. Every save names the revision it was started from; when another one
was saved since, it is refused and nothing is written.
"""

from typing import Any, Final

import pgtrigger
from django.db import transaction
from django.utils import timezone

from fleets.domain.canonical_json import profile_digest
from fleets.domain.errors import AlreadySo, Conflict, InvalidInput, NotAllowed, NotFoundHere
from fleets.domain.profile_body import body_text
from fleets.domain.slugs import NUMBERED_FROM, first_free, is_slug, slug_of
from fleets.models import Definition, DefinitionRevision
from fleets.selectors.definition_check import CheckedDefinition, body_of, check_recipe
from fleets.services import audit
from fleets.services.actor import Actor
from fleets.services.naming import wait_to_name

LONGEST_NOTE: Final = 300
# Pages beside those of definitions have these names in their addresses.
RESERVED: Final = frozenset({"new", "import", "export", "preview", "from-launch"})


@transaction.atomic
def create_definition(
    *,
    body: dict[str, Any],
    slug: str = "",
    note: str = "",
    actor: Actor,
    cloned_from: Definition | None = None,
) -> Definition:
    """A new definition with its r1. `slug` "": made of its name, with a number where it is taken.

    Raises InvalidInput (the body by its paths, the slug, the note) and NotAllowed.
    """
    actor.must_be_operator("edit definitions")
    checked = _sound(body, note=note, actor=actor)
    wait_to_name("definition")
    now = timezone.now()
    definition = Definition(
        slug=free_slug(slug, name=checked.recipe.base.name),
        owner=actor.user,
        cloned_from=cloned_from,
        created_at=now,
        updated_at=now,
    )
    copy_facts(definition, checked)
    definition.save()
    revision = _add(definition, checked, number=1, note=note, actor=actor)
    _record("definition.create", definition, revision, actor=actor)
    return definition


@transaction.atomic
def save_definition(
    definition: Definition, *, body: dict[str, Any], base: int, note: str = "", actor: Actor
) -> DefinitionRevision:
    """The next revision, started from number `base`; it is what is launched from now on.

    Raises Conflict when `base` is not the head any more (`state` is the head's number), AlreadySo
    when nothing differs from it, InvalidInput and NotAllowed.
    """
    actor.must_be_operator("edit definitions")
    definition = locked(definition)
    checked = _sound(body, note=note, actor=actor)
    head = _head(definition)
    if head.number != base:
        by = head.author.get_username() if head.author else "Fleetdash"
        raise Conflict(
            f"r{head.number} was saved by {by} at {head.created_at:%H:%M} UTC, and this was "
            f"started from r{base}. Nothing is lost: compare, rebase or discard.",
            state=str(head.number),
        )
    if head.body == body_text(body):
        raise AlreadySo(f"Nothing differs from r{head.number}.", state=str(head.number))
    revision = _add(definition, checked, number=base + 1, note=note, actor=actor, base=head)
    _record("definition.save", definition, revision, actor=actor)
    return revision


@transaction.atomic
def restore_definition(
    definition: Definition, *, number: int, note: str = "", actor: Actor
) -> DefinitionRevision:
    """A new revision with the content of an old one. Raises AlreadySo when that is the head."""
    actor.must_be_operator("edit definitions")
    definition = locked(definition)
    old, head = get_revision(definition, number), _head(definition)
    if old.number == head.number:
        raise AlreadySo(f"r{number} is the newest already.", state=str(number))
    note = note or f"r{number} restored"
    checked = _sound(body_of(old), note=note, actor=actor)
    revision = _add(
        definition,
        checked,
        number=head.number + 1,
        note=note,
        actor=actor,
        base=head,
        restored_from=old,
    )
    _record("definition.restore", definition, revision, actor=actor)
    return revision


@transaction.atomic
def archive_definition(definition: Definition, *, actor: Actor, reason: str = "") -> Definition:
    """Put it away: out of lists and not to be launched. Raises AlreadySo and NotAllowed."""
    return _put(definition, archived=True, actor=actor, reason=reason)


@transaction.atomic
def unarchive_definition(definition: Definition, *, actor: Actor, reason: str = "") -> Definition:
    """Bring it back. Raises AlreadySo and NotAllowed."""
    return _put(definition, archived=False, actor=actor, reason=reason)


@transaction.atomic
def delete_definition(definition: Definition, *, actor: Actor, reason: str) -> None:
    """Delete it with all its revisions; fleets it launched stay as they are.

    Raises NotAllowed: only its owner and admins delete.
    """
    actor.must_be_operator("delete definitions")
    definition = locked(definition)
    user = actor.user
    if user and not user.is_admin and definition.owner_id != user.pk:
        raise NotAllowed(
            f"{definition.slug} is deleted by its owner or an admin. Archiving it is open to you.",
            who_can="its owner or an admin",
        )
    slug, number = definition.slug, _head(definition).number
    definition.head = None
    definition.save(update_fields=["head"])
    with pgtrigger.ignore("fleets.DefinitionRevision:definition_revision_stays"):
        definition.delete()
    audit.record(
        "definition.delete",
        actor=actor,
        object_type="definition",
        object_id=slug,
        before={"revisions": number},
        after={"deleted": True},
        reason=reason,
    )


def locked(definition: Definition) -> Definition:
    """The row as it stands now, held until the transaction ends. Raises NotFoundHere."""
    found = (
        Definition.objects.select_for_update(of=("self",))
        .select_related("head", "head__author", "owner")
        .filter(pk=definition.pk)
        .first()
    )
    if found is None:
        raise NotFoundHere("definition", definition.slug)
    return found


def get_revision(definition: Definition, number: int) -> DefinitionRevision:
    """The revision of that number. Raises NotFoundHere."""
    found = definition.revisions.filter(number=number).select_related("author", "rows").first()
    if found is None:
        raise NotFoundHere(f"revision of {definition.slug}", f"r{number}")
    return found


def _head(definition: Definition) -> DefinitionRevision:
    if definition.head is None:
        raise NotFoundHere("definition", definition.slug)
    return definition.head


def _sound(body: dict[str, Any], *, note: str, actor: Actor) -> CheckedDefinition:
    checked = check_recipe(body, user=actor.user)
    if len(note) > LONGEST_NOTE:
        raise InvalidInput.at("note", f"A note has at most {LONGEST_NOTE} characters.")
    return checked


def free_slug(slug: str, *, name: str) -> str:
    """The slug as wanted, or one made of the name that is free. Raises InvalidInput at `slug`."""
    if slug:
        if not is_slug(slug):
            words = "An id has small letters, digits and hyphens, at most 63: nightly-review."
            raise InvalidInput.at("slug", words)
        if slug in RESERVED or Definition.objects.filter(slug=slug).exists():
            raise InvalidInput.at("slug", f"There is a definition {slug} already.")
        return slug
    wanted = slug_of(name) or "definition"
    begins = Definition.objects.filter(slug__startswith=wanted[:NUMBERED_FROM])
    return first_free(wanted, taken=RESERVED | set(begins.values_list("slug", flat=True)))


def _add(
    definition: Definition,
    checked: CheckedDefinition,
    *,
    number: int,
    note: str,
    actor: Actor,
    base: DefinitionRevision | None = None,
    restored_from: DefinitionRevision | None = None,
) -> DefinitionRevision:
    now = timezone.now()
    revision = DefinitionRevision.objects.create(
        definition=definition,
        number=number,
        body=body_text(checked.body),
        digest=profile_digest(checked.body),
        rows=checked.rows,
        base=base,
        restored_from=restored_from,
        note=note,
        author=actor.user,
        created_at=now,
    )
    definition.head, definition.updated_at = revision, now
    copy_facts(definition, checked)
    definition.save()
    return revision


def copy_facts(definition: Definition, checked: CheckedDefinition) -> None:
    """Put what lists show onto the row, unsaved."""
    facts = checked.facts
    definition.name = facts.name
    definition.description = facts.description
    definition.tags = list(facts.tags)
    definition.shape = facts.shape[:120]
    definition.agents_count = facts.agents_count
    definition.budget_nusd = facts.budget_nusd
    definition.profile_slugs = [slug[:63] for slug in facts.profile_slugs]


def _put(definition: Definition, *, archived: bool, actor: Actor, reason: str) -> Definition:
    actor.must_be_operator("edit definitions")
    definition = locked(definition)
    if (definition.archived_at is not None) == archived:
        raise AlreadySo(f"{definition.slug} is {'' if archived else 'not '}archived already.")
    definition.archived_at = timezone.now() if archived else None
    definition.save(update_fields=["archived_at"])
    audit.record(
        "definition.archive" if archived else "definition.unarchive",
        actor=actor,
        object_type="definition",
        object_id=definition.slug,
        before={"archived": not archived},
        after={"archived": archived},
        reason=reason,
    )
    return definition


def _record(
    act: str, definition: Definition, revision: DefinitionRevision, *, actor: Actor
) -> None:
    base, restored = revision.base, revision.restored_from
    audit.record(
        act,
        actor=actor,
        object_type="definition",
        object_id=definition.slug,
        before={"revision": base.number} if base else {},
        after={
            "revision": revision.number,
            "digest": revision.digest,
            "shape": definition.shape,
            **({"restoredFrom": restored.number} if restored else {}),
        },
        reason=revision.note,
    )
