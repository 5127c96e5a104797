"""Everything that somebody owns goes to somebody else: one act when they leave."""

from django.db import transaction

from fleets.domain.errors import AlreadySo, InvalidInput
from fleets.models import Catalog, User
from fleets.services import audit
from fleets.services.actor import Actor
from fleets.services.profile_shelf import hand_over_all


@transaction.atomic
def hand_over_everything(owner: User, *, to: User, actor: Actor, reason: str) -> int:
    """Give profiles, definitions and catalogs to another; how many it were. An audit row for each.

    Raises NotAllowed unless one's own or an admin, InvalidInput at `reason` or when the other may
    own nothing, AlreadySo when there is nothing.
    """
    reason = reason.strip()
    if not reason:
        raise InvalidInput.at("reason", "Say why: it stands in the audit of each.")
    if owner.pk == to.pk:
        raise InvalidInput.at("to", "Choose somebody else to take it over.")
    count = hand_over_all(owner, to=to, actor=actor, reason=reason)
    for catalog in Catalog.objects.select_for_update().filter(owner=owner).order_by("pk"):
        _give(catalog, to=to, actor=actor, reason=reason)
        count += 1
    if not count:
        raise AlreadySo(f"{owner.get_username()} owns nothing.")
    return count


def _give(catalog: Catalog, *, to: User, actor: Actor, reason: str) -> None:
    before = catalog.owner.get_username() if catalog.owner else None
    catalog.owner = to
    catalog.save(update_fields=["owner"])
    audit.record(
        "catalog.hand_over",
        actor=actor,
        object_type="catalog",
        object_id=catalog.slug,
        before={"owner": before},
        after={"owner": to.get_username()},
        reason=reason,
    )
