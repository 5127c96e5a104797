"""What a delete does to the fleets below the one it was ordered for, row by row.

The platform deletes the whole tree with one order (contract 10 row 5); here each fleet's machines,
work and record are ended, and what came below meanwhile is asked to go too.
"""

from collections.abc import Collection

from django.db import transaction
from django.utils import timezone

from fleets.domain.status import OutcomeReason, TurnOutcome
from fleets.gateway import gateway
from fleets.models import Machine, NodeKind, Operation, Turn
from fleets.platform_api.errors import NotFound
from fleets.platform_api.types import KeyRow
from fleets.services import tree_stops
from fleets.services.account.reading import list_all, take_told
from fleets.services.driving.ending import end_turn, save_turns
from fleets.services.driving.key_row import take_key_row
from fleets.services.driving.run_end import end_run_if_done
from fleets.services.driving.stopping import end_queued, end_unsent
from fleets.services.driving.view import load_open_turns
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import lock, recount
from fleets.services.performing.calling import call
from fleets.services.performing.newcomers import mark_late
from fleets.services.performing.nodes import prove, prove_gone
from fleets.services.performing.stop_target import Target, targets


def write_below(target: Target, left: Collection[str], *, is_gone: bool) -> None:
    """Write which machines of a fleet below are gone. The caller is in a transaction.

    `left`: sandboxes that are still there. `is_gone`: the platform has nothing of the tree.
    """
    fleet = target.lock()
    now = timezone.now()
    gone = Machine.objects.filter(fleet=fleet, gone_at__isnull=True).exclude(sandbox_id__in=left)
    if not is_gone:
        gone = gone.exclude(sandbox_id="")
    names = list(gone.values_list("machine_id", flat=True))
    gone.update(gone_at=now, status="deleted", status_seen_at=now)
    prove_gone(target.operation, [target.ref(name) for name in names], at=now)
    if is_gone:
        prove(
            target.operation, NodeKind.FLEET, fleet.public_id, state="done", gone_at=now,
            result="gone",
        )  # fmt: skip
    if target.run is not None and target.run.ended_at is None:
        _end_work(target)
    recount(fleet, now=now)


def _end_work(target: Target) -> None:
    fleet, run, now = target.fleet, target.run, timezone.now()
    assert run is not None
    end_queued(run, fleet, reason=OutcomeReason.CANCELLED, now=now)
    end_unsent(run, fleet, reason=OutcomeReason.CANCELLED, now=now)
    if Machine.objects.filter(fleet=fleet, gone_at__isnull=True).exists():
        return
    open_turns = Turn.objects.filter(pk__in=[turn.pk for turn in load_open_turns(run)])
    turns = list(open_turns.select_for_update(of=("self",)).select_related("agent", "task", "run"))
    for turn in turns:
        words = "Deleted with its machine; what it cost last was not read."
        end_turn(fleet, turn, TurnOutcome.CANCELLED, now=now, error=words)
    save_turns(turns)
    end_run_if_done(run, fleet, now=now)


def delete_newcomers(operation: Operation) -> int:
    """Ask to delete what is there below the tree and has no node yet; how many fleets those were.

    A child made in the same instant may outlive its parent's delete, and is deleted by itself.
    """
    connection = operation.fleet.connection
    account = gateway().account(connection)
    told = call(operation, list_all(account))
    take_told(connection, told)
    new = tree_stops.newcomers(operation)
    if new:
        mark_late(operation, new)
        for fleet in new:
            with transaction.atomic():
                tree_stops.ask_to_delete([lock(fleet.pk).pk], now=timezone.now())
    there = {row.fleet_id for row in told}
    survivors = [t for t in targets(operation) if t.fleet.public_id in there and not t.is_ordered]
    for target in survivors:
        call(operation, _delete(target))
    return len(survivors)


async def _delete(target: Target) -> None:
    account = await gateway().account_on_loop(target.operation.fleet.connection)
    try:
        await account.fleets.delete(target.fleet.public_id)
    except NotFound:
        return


def finish_below(operation: Operation) -> int:
    """Close the record of every fleet below; how many those are."""
    below = [target for target in targets(operation) if not target.is_ordered]
    if not below:
        return 0
    account = gateway().account(operation.fleet.connection)
    rows = {row.id: row for row in call(operation, account.keys.list_children())}
    for target in reversed(below):
        with transaction.atomic():
            _close(target, rows.get(target.fleet.key_id))
    return len(below)


def _close(target: Target, row: KeyRow | None) -> None:
    fleet = target.lock()
    now = timezone.now()
    if row is not None:
        take_key_row(fleet, row, now=now)  # its final figures
    fleet.deleted_at, fleet.key_secret, fleet.cleanup_due_at = now, None, None
    if fleet.key_id:
        fleet.key_revoked_at = fleet.key_revoked_at or now
    recount(fleet, now=now)
    note(fleet, Line("deleted", f"deleted with its tree, ordered for {target.operation.fleet}"))
