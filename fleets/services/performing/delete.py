"""Deletes a fleet's tree: machines, then keys, repeated and read back until nothing is left.

`Nothing left` means: no fleet, no sandbox, no key that is not revoked (contract 10.33).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import transaction
from django.utils import timezone

from fleets.domain.child_budget import returned_words
from fleets.domain.money import show_exact
from fleets.domain.status import OperationKind, OperationState, OutcomeReason, TurnOutcome
from fleets.gateway import ask_database, gateway
from fleets.models import Fleet, Machine, NodeKind, Operation, Run, Turn
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import NotFound
from fleets.platform_api.types import KeyRow
from fleets.services import operations
from fleets.services.driving.ending import end_turn, save_turns
from fleets.services.driving.key_row import take_key_row
from fleets.services.driving.run_end import end_run_if_done
from fleets.services.driving.stopping import end_queued, end_unsent
from fleets.services.driving.view import fleet_with_key, load_open_turns
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import newest_run, recount
from fleets.services.performing.calling import call
from fleets.services.performing.key_search import KEY_NAME, living_keys, revoke_strays
from fleets.services.performing.minting import read_parent_key
from fleets.services.performing.nodes import (
    confirm,
    finish_all,
    prove,
    prove_gone,
    remember,
    request_all,
)
from fleets.services.performing.stop_target import Target, targets
from fleets.services.performing.tree_delete import (
    delete_newcomers,
    finish_below,
    write_below,
)
from fleets.services.performing.verdict import Again, Ended, Verdict

LOOK_AGAIN_S = 1.5
# A create that was sent without an answer may still arrive: nothing is called gone on one reading.
READINGS = 2
SANDBOX_PAGE = 200


@dataclass(frozen=True, slots=True)
class Left:
    """What is still there, as read. `key` is the fleet key's last row, with the final figures."""

    fleets: int
    sandboxes: frozenset[str]
    keys: int
    key: KeyRow | None
    is_unknown: bool

    @property
    def is_nothing(self) -> bool:
        return not self.fleets and not self.sandboxes and not self.keys


def delete(operation: Operation) -> Verdict:
    """One piece of work on a delete: ask, revoke, read what is left."""
    tree = targets(operation)
    launches = [operations.hurry(target.fleet, OperationKind.LAUNCH) for target in tree]
    if any(launches):
        # It sees the order to delete at its next step and ends; until then it may still create.
        return Again(0.5)
    fleet = fleet_with_key(operation.fleet)
    account = gateway().account(fleet.connection)
    request_all(operation, at=timezone.now())
    left = call(operation, _ask_and_read(account, fleet, tree))
    if not left.is_unknown:
        remember(operation, was_known=True)
    for target in reversed(tree[1:]):
        with transaction.atomic():
            write_below(target, left.sandboxes, is_gone=not left.fleets)
    with transaction.atomic():
        _write(operation, left)
    is_late = not left.fleets and delete_newcomers(operation) > 0
    if not left.is_nothing or is_late:
        Operation.objects.filter(pk=operation.pk).update(readings=0, sentence=_left_words(left))
        return Again(LOOK_AGAIN_S)
    readings = operation.readings + 1
    Operation.objects.filter(pk=operation.pk).update(readings=readings)
    if readings < READINGS:
        return Again(LOOK_AGAIN_S)
    return _finish(operation)


def _sandbox_ids(tree: Sequence[Target]) -> frozenset[str]:
    fleets = [target.fleet for target in tree]
    rows = Machine.objects.filter(fleet__in=fleets).exclude(sandbox_id="")
    return frozenset(rows.values_list("sandbox_id", flat=True))


async def _ask_and_read(account: PlatformClient, fleet: Fleet, tree: Sequence[Target]) -> Left:
    fleets, is_unknown = 0, False
    try:
        answer = await account.fleets.delete(fleet.public_id)
        fleets = 0 if answer.is_done else 1
    except NotFound:
        is_unknown = True
    sandboxes = await _remaining_sandboxes(account, await ask_database(partial(_sandbox_ids, tree)))
    keys = 0
    if not fleets:
        names = [KEY_NAME.format(fleet=target.fleet.public_id) for target in tree]
        living = await living_keys(account, *names)
        if living:
            await revoke_strays(account, *names)
            keys = len(await living_keys(account, *names))
    return Left(fleets, sandboxes, keys, await _last_figures(account, fleet), is_unknown)


async def _last_figures(account: PlatformClient, fleet: Fleet) -> KeyRow | None:
    """The key's row with its final figures; None where there is none, or none any more."""
    if not fleet.key_id:
        return None
    try:
        return await account.keys.get(fleet.key_id)
    except NotFound:
        return None


async def _remaining_sandboxes(
    account: PlatformClient, sandbox_ids: frozenset[str]
) -> frozenset[str]:
    if not sandbox_ids:
        return frozenset()
    found: set[str] = set()
    offset = 0
    while True:
        page = await account.sandboxes.list(limit=SANDBOX_PAGE, offset=offset)
        found |= {row.sandbox_id for row in page if row.status != "deleted"}
        offset += len(page)
        if len(page) < SANDBOX_PAGE:
            return frozenset(found & sandbox_ids)


def _write(operation: Operation, left: Left) -> None:
    fleet = operations.lock_fleet(operation)
    now = timezone.now()
    gone = Machine.objects.filter(fleet=fleet, gone_at__isnull=True).exclude(
        sandbox_id__in=left.sandboxes
    )
    names = list(gone.values_list("machine_id", flat=True)) if not left.fleets else []
    if left.fleets:
        names = list(gone.exclude(sandbox_id="").values_list("machine_id", flat=True))
    Machine.objects.filter(fleet=fleet, machine_id__in=names).update(
        gone_at=now, status="deleted", status_seen_at=now
    )
    prove_gone(operation, names, at=now)
    if left.key is not None:
        take_key_row(fleet, left.key, now=now)
    elif fleet.key_id and not left.fleets:
        fleet.key_revoked_at = fleet.key_revoked_at or now
    _write_nodes(operation, left, now=now)
    run = newest_run(fleet)
    if run is not None and run.ended_at is None:
        _end_work(fleet, run, now=now, machines_gone=not left.sandboxes)
    recount(fleet, now=now)
    operation.fleet = fleet


def _write_nodes(operation: Operation, left: Left, *, now: datetime) -> None:
    if not left.fleets:
        prove(
            operation, NodeKind.FLEET, state="done", acknowledged_at=now, gone_at=now, result="gone"
        )
    if left.key is not None and left.key.revoked_at is not None:
        prove(operation, NodeKind.KEY, state="done", key_at=now, result="revoked")
    elif left.key is None and operation.fleet.key_id and not left.fleets:
        result = "revoked already: the platform has no such key"
        prove(operation, NodeKind.KEY, state="done", key_at=now, result=result)


def _end_work(fleet: Fleet, run: Run, *, now: datetime, machines_gone: bool) -> None:
    end_queued(run, fleet, reason=OutcomeReason.CANCELLED, now=now)
    end_unsent(run, fleet, reason=OutcomeReason.CANCELLED, now=now)
    if not machines_gone:
        return
    turns = list(
        Turn.objects.select_for_update(of=("self",))
        .filter(pk__in=[turn.pk for turn in load_open_turns(run)])
        .select_related("agent", "task", "run")
    )
    for turn in turns:
        words = "Deleted with its machine; what it cost last was not read."
        end_turn(fleet, turn, TurnOutcome.CANCELLED, now=now, error=words)
    save_turns(turns)
    end_run_if_done(run, fleet, now=now)


def _left_words(left: Left) -> str:
    parts = []
    if left.fleets:
        parts.append("the fleet")
    if left.sandboxes:
        parts.append(f"{len(left.sandboxes)} machines")
    if left.keys:
        parts.append(f"{left.keys} keys")
    return f"Deleting: {', '.join(parts)} left, asking again."


def _finish(operation: Operation) -> Verdict:
    count = finish_below(operation)
    with transaction.atomic():
        fleet = operations.lock_fleet(operation)
        now = timezone.now()
        fleet.deleted_at = now
        fleet.key_secret = None
        fleet.cleanup_due_at = None
        recount(fleet, now=now)
        note(fleet, Line("deleted", "deleted: no fleet, machine or key is left"))
        finish_all(operation, at=now)
    confirm(operation, at=timezone.now())
    operation.fleet = fleet_with_key(fleet)
    parent = read_parent_key(operation)
    return Ended(
        OperationState.DONE,
        f"{_left_nothing(operation, count)} Nothing of it costs any more."
        f"{_money_words(fleet, parent)}",
        {"status": "deleted", "left": {"fleets": 0, "sandboxes": 0, "keys": 0}},
    )


def _money_words(fleet: Fleet, parent: Fleet | None) -> str:
    """What it spent; of a child also what its parent has back."""
    spent, budget = fleet.spent_nusd, fleet.budget_nusd
    if spent is None:
        return ""
    if parent is not None and budget is not None and parent.budget_nusd is not None:
        words = returned_words(budget_nusd=budget, spent_nusd=spent, parent=parent.name)
        return f" {words}"
    return f" It spent {show_exact(spent)}."


def _left_nothing(operation: Operation, below: int) -> str:
    was_there = Machine.objects.filter(fleet=operation.fleet).exclude(sandbox_id="").exists()
    if was_there and not operation.result.get("was_known"):
        return "The platform has no such fleet: no machine and no key of it is left."
    among = f" of {below + 1} fleets" if below else ""
    return f"Nothing is left{among}: no fleet, no machine, no key."
