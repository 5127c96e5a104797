"""Launches: mints the key, creates the fleet, and waits until its machines have settled.

Every step leaves its trace before its request leaves, so that a worker that takes over after a
crash knows what may have happened: a key whose secret nobody has is revoked, a create is repeated
under the same key and names the same fleet.
"""

from contextlib import suppress
from datetime import datetime
from typing import Any

import structlog
from django.db import transaction
from django.utils import timezone

from fleets import dispatch
from fleets.domain import ids
from fleets.domain.driving import may_still_arrive
from fleets.domain.money import nusd_to_usd
from fleets.domain.status import OperationState, Pattern, TaskState
from fleets.gateway import gateway
from fleets.live import publish
from fleets.models import Agent, Fleet, Machine, NodeKind, Operation, Run, SealedSecret, Task
from fleets.models.sealed import fingerprint
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import (
    NotFound,
    PlatformError,
    PlatformRefused,
    PlatformSurprise,
)
from fleets.platform_api.types import FleetRow, KeyMinted
from fleets.services import operations
from fleets.services.driving.settling import take_fleet_row
from fleets.services.driving.view import fleet_with_key
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import recount
from fleets.services.performing.calling import call
from fleets.services.performing.create_body import create_body
from fleets.services.performing.key_search import KEY_NAME, revoke_strays
from fleets.services.performing.minting import minting_client, read_parent_key, why_refused
from fleets.services.performing.nodes import confirm, prove, remember
from fleets.services.performing.prepare import prepare
from fleets.services.performing.verdict import SURPRISES, Again, Ended, Verdict

log = structlog.get_logger(__name__)
LOOK_AGAIN_S = 1.0


def launch(operation: Operation) -> Verdict:
    """One piece of work on a launch."""
    fleet = operation.fleet
    try:
        if not _is_stopped(fleet) and fleet.budget_nusd is not None and fleet.key_secret is None:
            _mint(operation)
        fleet = fleet_with_key(fleet)
        if _is_stopped(fleet):
            return _stopped(operation)
        if fleet.created_on_platform_at is None:
            _create(operation)
    except PlatformRefused as error:
        return _refused(operation, error)
    except PlatformSurprise as error:
        if operation.failures < SURPRISES:
            raise
        return _refused(operation, error)
    return _settled(operation)


def _is_stopped(fleet: Fleet) -> bool:
    return fleet.delete_requested_at is not None or fleet.cancel_requested_at is not None


def _stopped(operation: Operation) -> Verdict:
    """A stop came first: what was asked for without an answer may exist, and is found."""
    fleet = fleet_with_key(operation.fleet)
    account = gateway().account(fleet.connection)
    if fleet.key_secret is None and operation.result.get("mint_sent"):
        call(operation, revoke_strays(account, KEY_NAME.format(fleet=fleet.public_id)))
    if fleet.created_on_platform_at is None and _create_sent_at(operation):
        row = call(operation, _find(account, fleet.public_id))
        if row is not None:
            _take_created(operation, row)
        elif _may_still_be_created(operation, fleet):
            return Again(LOOK_AGAIN_S)
    words = "Stopped by an operator before all machines were made."
    if operation.fleet.created_on_platform_at is None:
        _end_nodes(operation, result="not made: stopped before")
    return Ended(OperationState.FAILED, words)


def _end_nodes(operation: Operation, *, result: str) -> None:
    """What was still to be made will not be: its nodes end with the operation."""
    left = operation.nodes.exclude(state__in=["done", "failed"])
    pks = list(left.values_list("pk", flat=True))
    operation.nodes.filter(pk__in=pks).update(state="failed", result=result[:400])
    if pks:
        publish(f"operation:{operation.public_id}", {"kind": "nodes", "ids": pks})


async def _find(account: PlatformClient, fleet_id: str) -> FleetRow | None:
    try:
        return await account.fleets.get(fleet_id)
    except NotFound:
        return None


def _create_sent_at(operation: Operation) -> datetime | None:
    """When the create was last sent; None when it certainly never was."""
    sent_at = operation.result.get("create_sent_at")
    return datetime.fromisoformat(sent_at) if sent_at else None


def _may_still_be_created(operation: Operation, fleet: Fleet) -> bool:
    if fleet.delete_requested_at and fleet.key_secret is not None:
        return False  # the delete revokes the key that the create was signed with
    return may_still_arrive(requested_at=_create_sent_at(operation), now=timezone.now())


def _mint(operation: Operation) -> None:
    fleet = fleet_with_key(operation.fleet)
    minting = minting_client(fleet)
    name = KEY_NAME.format(fleet=fleet.public_id)
    if operation.result.get("mint_sent"):
        # An earlier mint may have happened, and its secret is lost with the answer.
        call(operation, revoke_strays(minting, name))
    remember(operation, mint_sent=True)
    prove(operation, NodeKind.KEY, state="running", requested_at=timezone.now())
    budget = nusd_to_usd(fleet.budget_nusd or 0)
    minted = call(operation, minting.keys.mint(name, budget_usd=budget))
    _keep_key(operation, minted)
    read_parent_key(operation)


@transaction.atomic
def _keep_key(operation: Operation, minted: KeyMinted) -> None:
    fleet = operations.lock_fleet(operation)
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
    remember(operation, create_sent_at=timezone.now().isoformat())
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
    _take_created(operation, row)


def _take_created(operation: Operation, row: FleetRow) -> None:
    """Write that the platform has the fleet, and let its run begin."""
    with transaction.atomic():
        fleet = operations.lock_fleet(operation)
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
    left = prepare(operation)
    fleet = Fleet.objects.get(pk=operation.fleet_id)
    if fleet.settled_at is None or left:
        return Again(LOOK_AGAIN_S)
    machines = list(Machine.objects.filter(fleet=fleet))
    failed = [
        machine for machine in machines if machine.status == "failed" or machine.preparation_error
    ]
    running = len(machines) - len(failed)
    if not failed:
        noun = "machine" if running == 1 else "machines"
        rest = "." if fleet.pattern == Pattern.MACHINES else "; the agents are at work."
        return Ended(OperationState.DONE, f"{running} {noun} made{rest}")
    names = ", ".join(str(machine) for machine in failed[:5])
    return Ended(
        OperationState.FAILED if running == 0 else OperationState.DONE,
        f"{running} of {len(machines)} machines made; {names} failed:"
        f" {failed[0].preparation_error or failed[0].error}",
    )


def _refused(operation: Operation, error: PlatformError) -> Verdict:
    """The platform will not have this fleet: its key goes, its tasks end, the words are kept."""
    words = f"The platform refused the launch: {why_refused(operation, error)}"
    fleet = fleet_with_key(operation.fleet)
    account = gateway().account(fleet.connection)
    if _create_sent_at(operation):
        # An earlier try may have been carried out without an answer.
        call(operation, _remove(account, fleet.public_id))
    call(operation, revoke_strays(account, KEY_NAME.format(fleet=fleet.public_id)))
    with transaction.atomic():
        fleet = operations.lock_fleet(operation)
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
        # There are no machines that could cost anything, now or after a while.
        Machine.objects.filter(fleet=fleet, sandbox_id="").update(
            status="failed", error=words[:500], status_seen_at=now
        )
        recount(fleet, now=now)
        fleet.cleanup_due_at = None
        fleet.save(update_fields=["cleanup_due_at"])
        _end_nodes(operation, result=words)
        note(fleet, Line("failed", words))
    return Ended(OperationState.FAILED, words, _as_result(error))


async def _remove(account: PlatformClient, fleet_id: str) -> None:
    with suppress(NotFound):
        await account.fleets.delete(fleet_id)


def _as_result(error: PlatformError) -> dict[str, Any]:
    return {"status": error.status, "code": error.code, "requestId": error.request_id}
