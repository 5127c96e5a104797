"""What a fleet can give to a child: whether it takes one now, and what is left of its budget."""

from fleets.domain.child_budget import Above
from fleets.models import Fleet


def above_of(fleet: Fleet) -> Above:
    """The money of a fleet as its children see it, from its own row: no query."""
    cap = fleet.key_cap_nusd if fleet.key_cap_nusd is not None else fleet.budget_nusd
    return Above(
        name=fleet.name,
        cap_nusd=None if fleet.budget_nusd is None else cap,
        spent_nusd=fleet.spent_nusd,
        reserved_nusd=fleet.reserved_nusd,
        remaining_nusd=fleet.remaining_nusd,
    )


def child_refusal(fleet: Fleet) -> str:
    """Why no child can be launched below the fleet now, with what would help; "" when one can."""
    has_key = fleet.budget_nusd is not None or not fleet.budget_is_known
    in_order = (
        (fleet.deleted_at, "is deleted: it takes no children. Launch a fleet of its own."),
        (fleet.delete_requested_at, "is being deleted: it takes no children."),
        (
            fleet.cancel_requested_at is not None and fleet.cancel_confirmed_at is None,
            "is being cancelled: it takes no children.",
        ),
        (fleet.cut_off_requested_at, "is cut off: the platform refuses children. Reopen it first."),
        (fleet.created_on_platform_at is None, "is still being made: wait until it is there."),
        (fleet.key_revoked_at, "has no living key any more, so nothing can be paid below it."),
        (
            has_key and fleet.key_secret is None,
            "has its key elsewhere: a child's is minted with it, so launch from where it is held.",
        ),
    )
    words = next((words for applies, words in in_order if applies), "")
    return f"{fleet.name} {words}" if words else ""
