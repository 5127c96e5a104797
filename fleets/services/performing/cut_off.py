"""Cuts a fleet off: lowers its key's cap to what is spent, and reads back that it is so.

From then on the platform refuses every model call, charge and child of the tree (contract 10.24).
A key that is revoked, or that the platform does not have any more, can spend nothing: that is what
was ordered.
"""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from fleets import dispatch
from fleets.domain.money import nusd_to_usd, show_exact, usd_to_nusd
from fleets.domain.status import OperationKind, OperationState
from fleets.gateway import gateway
from fleets.live import publish
from fleets.models import Fleet, NodeKind, Operation
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import NotFound, PlatformRefused
from fleets.platform_api.types import KeyRow
from fleets.services import operations
from fleets.services.cut_off import KEY_NODE
from fleets.services.driving.key_row import take_key_row
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import has_work, newest_run, recount
from fleets.services.performing.calling import call
from fleets.services.performing.nodes import confirm, prove
from fleets.services.performing.stop_target import Target
from fleets.services.performing.verdict import Again, Ended, Verdict


def cut_off(operation: Operation) -> Verdict:
    """One piece of work on a cut off."""
    if overtaken(operation, by=OperationKind.REOPEN):
        return Ended(OperationState.FAILED, "Overtaken by a later order to reopen the fleet.")
    if waits_for_key(operation.fleet):
        return Again(0.5)
    if not operation.fleet.key_id:
        confirm(operation, at=timezone.now())
        return Ended(OperationState.DONE, "The launch ended before a key was made: none can spend.")
    try:
        cap = lower_cap(Target(operation, operation.fleet, None))
    except PlatformRefused as error:
        return _refused(operation, error)
    confirm(operation, at=timezone.now())
    facts = {"keyId": operation.fleet.key_id, "capNusd": cap, "confirmed": True}
    if cap is None:
        words = "Cut off: its key is revoked already, so nothing of the tree can spend any more."
        return Ended(OperationState.DONE, words, facts)
    return Ended(
        OperationState.DONE,
        f"Cut off: the cap is {show_exact(cap)}, what was spent. Calls in flight settle; every "
        "further call, machine and child is refused until it is reopened.",
        facts,
    )


def waits_for_key(fleet: Fleet) -> bool:
    """A fleet whose key is still being minted: the cut follows as soon as there is one."""
    if fleet.budget_nusd is None or fleet.key_id:
        return False
    return operations.hurry(fleet, OperationKind.LAUNCH)


def overtaken(operation: Operation, *, by: OperationKind) -> bool:
    """Whether the opposite was ordered later: what was ordered last stands."""
    later = Operation.objects.filter(
        fleet=operation.fleet, kind=by, requested_at__gt=operation.requested_at
    )
    return later.exists()


def lower_cap(target: Target) -> int | None:
    """Lower the cap and read it back; the cap in nusd, None when the key is revoked or gone.

    Proves the key's node. Raises PlatformError.
    """
    operation, fleet, ref = target.operation, target.fleet, target.ref(KEY_NODE)
    asked_at = timezone.now()
    prove(operation, NodeKind.KEY, ref, state="running", requested_at=asked_at)
    row = call(operation, _lower(gateway().account(fleet.connection), fleet.key_id))
    now = timezone.now()
    cap = None
    result = "revoked already"
    if row is None:
        result = "revoked already: the platform has no such key"
    elif row.revoked_at is None:
        cap = usd_to_nusd(row.budget_usd) if row.budget_usd is not None else fleet.spent_nusd or 0
        result = f"cap lowered to {show_exact(cap)}"
    with transaction.atomic():
        _write(target, row, now=now)
        facts = {"acknowledged_at": now, "key_at": now, "result": result}
        prove(operation, NodeKind.KEY, ref, state="done", **facts)
    return cap


async def _lower(account: PlatformClient, key_id: str) -> KeyRow | None:
    """The key once it can spend nothing more; None when the platform has no such key."""
    before = await _find(account, key_id)
    if before is None or before.revoked_at is not None:
        return before
    cap = before.spent_usd if before.spent_usd is not None else nusd_to_usd(0)
    try:
        answered = await account.keys.patch(key_id, budget_usd=cap)
    except NotFound:
        # Revoked between the two calls; a key that is alive and yet not found is a refusal.
        after = await _find(account, key_id)
        if after is not None and after.revoked_at is None:
            raise
        return after
    if answered.budget_usd == cap:
        return answered
    return await account.keys.get(key_id)


async def _find(account: PlatformClient, key_id: str) -> KeyRow | None:
    try:
        return await account.keys.get(key_id)
    except NotFound:
        return None


def _write(target: Target, row: KeyRow | None, *, now: datetime) -> None:
    fleet = target.lock()
    if row is None:
        fleet.key_revoked_at = fleet.key_revoked_at or now
    else:
        take_key_row(fleet, row, now=now)
    fleet.cut_off_requested_at = fleet.cut_off_requested_at or target.operation.requested_at
    fleet.cut_off_confirmed_at = now
    recount(fleet, now=now)
    note(fleet, Line("cut_off", "cut off: the platform refuses every further call of the tree"))


@transaction.atomic
def _refused(operation: Operation, error: PlatformRefused) -> Ended:
    """The cap stays as it is: the fleet is held, which needs nobody else, and not called cut off.

    Runs after the platform's answer; what was ordered is not so, and the page must not say it is.
    """
    fleet = operations.lock_fleet(operation)
    now = timezone.now()
    words = f"The platform refused: {error.message}"
    prove(operation, NodeKind.KEY, state="failed", result=words)
    fleet.cut_off_requested_at = None
    if has_work(fleet):
        fleet.held_at = fleet.held_at or now
        words = f"{words} The fleet is held instead: no new turns, but what runs may still spend."
    recount(fleet, now=now)
    note(fleet, Line("cut_off", f"not cut off. {words}"))
    return Ended(OperationState.FAILED, words)


def reopen(operation: Operation) -> Verdict:
    """Raise the cap to the budget again; agents that were stopped stay stopped."""
    if overtaken(operation, by=OperationKind.CUT_OFF):
        return Ended(OperationState.FAILED, "Overtaken by a later order to cut the fleet off.")
    fleet = operation.fleet
    budget = nusd_to_usd(fleet.budget_nusd or 0)
    prove(operation, NodeKind.KEY, state="running", requested_at=timezone.now())
    account = gateway().account(fleet.connection)
    try:
        row = call(operation, account.keys.patch(fleet.key_id, budget_usd=budget))
    except NotFound:
        return _cannot_reopen(operation)
    now = timezone.now()
    with transaction.atomic():
        fleet = operations.lock_fleet(operation)
        take_key_row(fleet, row, now=now)
        fleet.cut_off_requested_at = fleet.cut_off_confirmed_at = None
        recount(fleet, now=now)
        note(fleet, Line("reopen", "reopened: the cap is the budget again"))
        prove(operation, NodeKind.KEY, state="done", acknowledged_at=now, key_at=now)
        run = newest_run(fleet)
        if run and run.ended_at is None:
            dispatch.run_due(run.pk)
    publish(f"fleet:{fleet.public_id}", {"kind": "head"})
    confirm(operation, at=now)
    return Ended(OperationState.DONE, _reopened_words(fleet))


def _reopened_words(fleet: Fleet) -> str:
    if not has_work(fleet):
        return "Reopened: the cap is the budget again. No work of it is left to begin."
    if fleet.held_at is not None:
        return "Reopened: the cap is the budget again. It is held, so nothing is begun."
    return "Reopened: queued tasks are begun again within the budget."


@transaction.atomic
def _cannot_reopen(operation: Operation) -> Ended:
    fleet = operations.lock_fleet(operation)
    fleet.key_revoked_at = fleet.key_revoked_at or timezone.now()
    recount(fleet, now=timezone.now())
    words = "The platform has no such key any more: it is revoked, which cannot be undone."
    prove(operation, NodeKind.KEY, state="failed", result=words)
    return Ended(OperationState.FAILED, words)
