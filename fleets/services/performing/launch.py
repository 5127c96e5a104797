"""Launches: mints the key, creates the fleet, and waits until its machines have settled.

Every step leaves its trace before its request leaves, so that a worker that takes over after a
crash knows what may have happened: a key whose secret nobody has is revoked, a create is repeated
under the same key and names the same fleet.
"""

from typing import Any

import structlog
from django.db import transaction
from django.utils import timezone

from fleets import dispatch
from fleets.domain import ids
from fleets.domain.money import nusd_to_usd
from fleets.domain.status import OperationState, TaskState
from fleets.gateway import gateway
from fleets.models import Agent, Fleet, Machine, NodeKind, Operation, Run, SealedSecret, Task
from fleets.models.sealed import fingerprint
from fleets.platform_api.errors import PlatformRefused
from fleets.platform_api.types import KeyMinted
from fleets.services.driving.settling import take_fleet_row
from fleets.services.driving.tick import fleet_with_key
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import lock, recount
from fleets.services.performing.calling import call
from fleets.services.performing.create_body import create_body
from fleets.services.performing.key_search import KEY_NAME, revoke_strays
from fleets.services.performing.nodes import confirm, prove, remember
from fleets.services.performing.verdict import Again, Ended, Verdict

log = structlog.get_logger(__name__)
LOOK_AGAIN_S = 1.0


def launch(operation: Operation) -> Verdict:
    """One piece of work on a launch."""
    fleet = operation.fleet
    if fleet.delete_requested_at or fleet.cancel_requested_at:
        return Ended(OperationState.FAILED, "Stopped by an operator before all machines were made.")
    try:
        if fleet.budget_nusd is not None and fleet.key_secret is None:
            _mint(operation)
        if fleet_with_key(fleet).created_on_platform_at is None:
            _create(operation)
    except PlatformRefused as error:
        return _refused(operation, error)
    return _settled(operation)


def _mint(operation: Operation) -> None:
    fleet = operation.fleet
    account = gateway().account(fleet.connection)
    name = KEY_NAME.format(fleet=fleet.public_id)
    if operation.result.get("mint_sent"):
        # An earlier mint may have happened, and its secret is lost with the answer.
        call(operation, revoke_strays(account, name))
    remember(operation, mint_sent=True)
    prove(operation, NodeKind.KEY, state="running", requested_at=timezone.now())
    budget = nusd_to_usd(fleet.budget_nusd or 0)
    minted = call(operation, account.keys.mint(name, budget_usd=budget))
    _keep_key(operation, minted)


@transaction.atomic
def _keep_key(operation: Operation, minted: KeyMinted) -> None:
    fleet = lock(operation.fleet_id)
    secret = minted.key.reveal()
    fleet.key_id = minted.id
    fleet.key_secret = SealedSecret.seal(secret)
    fleet.key_last_four = secret[-4:]
    fleet.key_cap_nusd = fleet.budget_nusd
    fleet.spent_nusd, fleet.reserved_nusd, fleet.remaining_nusd = 0, 0, fleet.budget_nusd
    fleet.save()
    operation.fleet = fleet
    result = f"minted, key {fingerprint(secret)}"
    prove(operation, NodeKind.KEY, state="done", acknowledged_at=timezone.now(), result=result)
    note(fleet, Line("key", "the fleet's key was minted with its budget"))


def _create(operation: Operation) -> None:
    fleet = fleet_with_key(operation.fleet)
    prove(operation, NodeKind.FLEET, state="running", requested_at=timezone.now())
    body = create_body(fleet)
    row = call(
        operation,
        gateway()
        .fleet(fleet)
        .fleets.create(
            fleet.public_id,
            idempotency_key=ids.idempotency_key("fleet-create", fleet.public_id),
            **body,
        ),
    )
    with transaction.atomic():
        fleet = lock(fleet.pk)
        now = timezone.now()
        fleet.created_on_platform_at = fleet.created_on_platform_at or now
        take_fleet_row(fleet, row, now=now)
        recount(fleet, now=now)
        prove(
            operation,
            NodeKind.FLEET,
            state="done",
            acknowledged_at=now,
            result=f"accepted, {row.status}",
        )
        note(fleet, Line("launch", "the platform accepted the fleet and makes its machines"))
        for run in Run.objects.filter(fleet=fleet, ended_at__isnull=True):
            Run.objects.filter(pk=run.pk).update(next_tick_at=now)
            dispatch.run_due(run.pk)
    operation.fleet = fleet
    confirm(operation, at=timezone.now())


def _settled(operation: Operation) -> Verdict:
    fleet = Fleet.objects.get(pk=operation.fleet_id)
    if fleet.settled_at is None:
        return Again(LOOK_AGAIN_S)
    machines = list(Machine.objects.filter(fleet=fleet))
    failed = [machine for machine in machines if machine.status == "failed"]
    running = len(machines) - len(failed)
    if not failed:
        noun = "machine" if running == 1 else "machines"
        return Ended(OperationState.DONE, f"{running} {noun} made; the agents are at work.")
    names = ", ".join(str(machine) for machine in failed[:5])
    return Ended(
        OperationState.FAILED if running == 0 else OperationState.DONE,
        f"{running} of {len(machines)} machines made; {names} failed: {failed[0].error}",
    )


def _refused(operation: Operation, error: PlatformRefused) -> Verdict:
    """The platform will not have this fleet: its key goes, its tasks end, the words are kept."""
    words = f"The platform refused the launch: {error.message}"
    fleet = fleet_with_key(operation.fleet)
    account = gateway().account(fleet.connection)
    call(operation, revoke_strays(account, KEY_NAME.format(fleet=fleet.public_id)))
    with transaction.atomic():
        fleet = lock(fleet.pk)
        now = timezone.now()
        fleet.settled_at, fleet.last_error = now, words[:500]
        fleet.key_revoked_at = now if fleet.key_id else None
        tasks = Task.objects.filter(run__fleet=fleet, state=TaskState.QUEUED)
        tasks.update(state=TaskState.FAILED, error=words[:500], ended_at=now)
        Agent.objects.filter(fleet=fleet).update(
            state=TaskState.FAILED, last_event=words[:300], last_event_at=now
        )
        Run.objects.filter(fleet=fleet, ended_at__isnull=True).update(
            ended_at=now, next_tick_at=None
        )
        recount(fleet, now=now)
        note(fleet, Line("failed", words))
    return Ended(OperationState.FAILED, words, _as_result(error))


def _as_result(error: PlatformRefused) -> dict[str, Any]:
    return {"status": error.status, "code": error.code, "requestId": error.request_id}
