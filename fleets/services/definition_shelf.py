"""Whose a definition is, and giving it to somebody else."""

from django.db import transaction

from fleets.domain.errors import AlreadySo, InvalidInput, NotAllowed
from fleets.models import Definition, User
from fleets.services import audit
from fleets.services.actor import Actor
from fleets.services.definitions import locked


@transaction.atomic
def hand_over_definition(
    definition: Definition, *, to: User, actor: Actor, reason: str = ""
) -> Definition:
    """Give it another owner. Raises NotAllowed unless one's own or an admin, AlreadySo, and
    InvalidInput at `owner` when the other may not own one.
    """
    definition = locked(definition)
    _must_own(definition.owner, actor)
    _must_be_able(to)
    if definition.owner_id == to.pk:
        raise AlreadySo(f"{to.get_username()} owns {definition.slug} already.")
    _give(definition, to, actor=actor, reason=reason)
    return definition


@transaction.atomic
def hand_over_definitions(owner: User, *, to: User, actor: Actor, reason: str = "") -> int:
    """Give every definition that somebody owns to another; how many those were."""
    _must_own(owner, actor)
    _must_be_able(to)
    found = list(Definition.objects.select_for_update().filter(owner=owner).order_by("pk"))
    for definition in found:
        _give(definition, to, actor=actor, reason=reason)
    return len(found)


def _must_own(owner: User | None, actor: Actor) -> None:
    user = actor.user
    if user and not user.is_admin and (owner is None or owner.pk != user.pk):
        raise NotAllowed(
            "A definition is handed over by its owner or an admin.",
            who_can="its owner or an admin",
        )


def _must_be_able(to: User) -> None:
    if not to.is_operator:
        raise InvalidInput.at(
            "owner", f"{to.get_username()} may not edit definitions: choose an operator."
        )


def _give(definition: Definition, to: User, *, actor: Actor, reason: str) -> None:
    before = definition.owner.get_username() if definition.owner else None
    definition.owner = to
    definition.save(update_fields=["owner"])
    audit.record(
        "definition.hand_over",
        actor=actor,
        object_type="definition",
        object_id=definition.slug,
        before={"owner": before},
        after={"owner": to.get_username()},
        reason=reason,
    )
