"""Cuts a fleet off: lowers its key's cap to what is spent, and reads back that it is so.

From then on the platform refuses every model call, charge and child of the tree (contract 10.24).
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
from fleets.platform_api.types import KeyRow
from fleets.services import operations
from fleets.services.driving.key_row import take_key_row
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import newest_run, recount
from fleets.services.performing.calling import call
from fleets.services.performing.nodes import confirm, prove
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
    cap = lower_cap(operation)
    return Ended(
        OperationState.DONE,
        f"Cut off: the cap is {show_exact(cap)}, what was spent. Calls in flight settle; every "
        "further call, machine and child is refused until it is reopened.",
        {"keyId": operation.fleet.key_id, "capNusd": cap, "confirmed": True},
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


def lower_cap(operation: Operation) -> int:
    """Lower the cap and read it back; the cap in nusd. Proves the operation's key node."""
    fleet = operation.fleet
    asked_at = timezone.now()
    prove(operation, NodeKind.KEY, state="running", requested_at=asked_at)
    row = call(operation, _lower(gateway().account(fleet.connection), fleet.key_id))
    now = timezone.now()
    cap = usd_to_nusd(row.budget_usd) if row.budget_usd is not None else fleet.spent_nusd or 0
    with transaction.atomic():
        _write(operation, row, now=now)
        prove(
            operation,
            NodeKind.KEY,
            state="done",
            acknowledged_at=now,
            key_at=now,
            result=f"cap lowered to {show_exact(cap)}",
        )
    confirm(operation, at=now)
    return cap


async def _lower(account: PlatformClient, key_id: str) -> KeyRow:
    before = await account.keys.get(key_id)
    cap = before.spent_usd if before.spent_usd is not None else nusd_to_usd(0)
    answered = await account.keys.patch(key_id, budget_usd=cap)
    if answered.budget_usd == cap:
        return answered
    return await account.keys.get(key_id)


def _write(operation: Operation, row: KeyRow, *, now: datetime) -> None:
    fleet = operations.lock_fleet(operation)
    take_key_row(fleet, row, now=now)
    fleet.cut_off_requested_at = fleet.cut_off_requested_at or operation.requested_at
    fleet.cut_off_confirmed_at = now
    recount(fleet, now=now)
    note(fleet, Line("cut_off", "cut off: the platform refuses every further call of the tree"))
    operation.fleet = fleet


def reopen(operation: Operation) -> Verdict:
    """Raise the cap to the budget again; agents that were stopped stay stopped."""
    if overtaken(operation, by=OperationKind.CUT_OFF):
        return Ended(OperationState.FAILED, "Overtaken by a later order to cut the fleet off.")
    fleet = operation.fleet
    budget = nusd_to_usd(fleet.budget_nusd or 0)
    prove(operation, NodeKind.KEY, state="running", requested_at=timezone.now())
    account = gateway().account(fleet.connection)
    row = call(operation, account.keys.patch(fleet.key_id, budget_usd=budget))
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
    return Ended(OperationState.DONE, "Reopened: queued tasks are begun again within the budget.")
