"""Whether a fleet can be cut off: its key has to be known for certain, and within our reach."""

from fleets.domain.status import FleetState
from fleets.models import Fleet


def cut_off_refusal(fleet: Fleet) -> str:
    """Why the fleet cannot be cut off from here, and what helps instead; "" when it can.

    A key that was told from others only by its time is lowered where one above it is held here:
    then nothing but this tree can be hit. One query, for a found fleet alone.
    """
    if fleet.key_revoked_at is not None or fleet.state == FleetState.DELETED:
        return "Its key is revoked: the platform refuses everything already."
    if fleet.found_at is not None:
        return _of_found(fleet)
    if fleet.budget_nusd is None:
        return (
            "It has no budget, so it has no key of its own that could be cut off: cancel it, or"
            " delete it, which ends what its machines do."
        )
    return ""


def _of_found(fleet: Fleet) -> str:
    above = Fleet.objects.filter(pk__in=fleet.path[:-1], deleted_at__isnull=True)
    held = above.exclude(key_secret=None).order_by("-depth").values_list("name", flat=True).first()
    if held and fleet.key_id:
        return ""
    if held:
        return f"Which key is its own is not known. Cut off {held} above it: that stops it too."
    if fleet.budget_is_known and fleet.budget_nusd is None:
        return "It has no budget and is billed to the account: cancel it, or delete it."
    return (
        "Its key is held elsewhere: whoever made it can cut it off. From here cancel it, or delete"
        " it, which revokes its key."
    )
