"""What every order to stop shares: the lock, the checks, the epoch, the audit row."""

from typing import Any

from django.utils import timezone

from fleets.domain.errors import Conflict, InvalidInput
from fleets.models import Fleet
from fleets.services import audit, tree_stops
from fleets.services.actor import Actor
from fleets.services.fleet_state import lock

REASON_LIMIT = 300


def begin(fleet: Fleet, *, actor: Actor, act: str, reason: str, with_tree: bool = False) -> Fleet:
    """Lock the fleet (after what is below it, where the act is for its tree) and check that it may
    still be acted on. The caller is in a transaction.

    Raises NotAllowed, InvalidInput (no reason where one is due), Conflict (it is deleted).
    """
    actor.must_be_operator(f"{act} a fleet")
    if actor.user is not None and not reason.strip():
        raise InvalidInput.at("reason", "A reason is missing: say in a few words why.")
    if with_tree:
        tree_stops.lock_below(fleet)
    locked = lock(fleet.pk)
    if locked.deleted_at is not None:
        raise Conflict("This fleet is deleted: nothing of it is left.", state=locked.state)
    return locked


def raise_epoch(fleet: Fleet) -> None:
    """From here on nothing that was begun before is sent, and no late end revives anything."""
    fleet.epoch += 1


def write_audit(
    fleet: Fleet, *, actor: Actor, act: str, reason: str, before: dict[str, Any], **after: Any
) -> None:
    """One row: who stopped what, from which state, why."""
    audit.record(
        f"fleet.{act}",
        actor=actor,
        object_type="fleet",
        object_id=fleet.public_id,
        before=before,
        after={"state": fleet.state, "at": timezone.now().isoformat(), **after},
        reason=reason,
    )


def facts(fleet: Fleet) -> dict[str, Any]:
    """What the audit keeps of a fleet before an act."""
    return {
        "state": fleet.state,
        "tasksRunning": fleet.tasks_running,
        "machines": fleet.machines_running,
        "spentNusd": fleet.spent_nusd,
        "capNusd": fleet.key_cap_nusd,
    }
