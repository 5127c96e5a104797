"""Stops a fleet's machines: they keep their files and cost nothing until they are resumed."""

import asyncio

from django.db import transaction
from django.utils import timezone

from fleets.domain.status import OperationState
from fleets.gateway import gateway
from fleets.models import Machine, NodeKind, Operation
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import NotFound, PlatformError
from fleets.platform_api.types import SandboxRow
from fleets.services import operations
from fleets.services.driving.settling import take_gone
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import recount
from fleets.services.performing.calling import call
from fleets.services.performing.idle_cost import what_still_costs
from fleets.services.performing.nodes import confirm, prove
from fleets.services.performing.verdict import Again, Ended, Verdict

MAX_TRIES = 5
STOPPED = frozenset({"stopped", "deleted", "expired", "failed"})


def stop_machines(operation: Operation) -> Verdict:
    """One piece of work: ask every running machine to stop, write what each answered."""
    fleet = operation.fleet
    machines = list(
        Machine.objects.filter(fleet=fleet, gone_at__isnull=True)
        .exclude(sandbox_id="")
        .exclude(status__in=STOPPED)
    )
    answers = call(operation, _ask_all(gateway().account(fleet.connection), machines))
    with transaction.atomic():
        left = _write(operation, machines, answers)
    if left and operation.attempts < MAX_TRIES:
        return Again(2.0)
    fleet.refresh_from_db()
    if left:
        noun = "machine" if left == 1 else "machines"
        words = f"{left} {noun} did not confirm. {what_still_costs(fleet)}"
        return Ended(OperationState.FAILED, words)
    confirm(operation, at=timezone.now())
    is_any_left = Machine.objects.filter(fleet=fleet, gone_at__isnull=True).exists()
    words = "All machines are stopped." if is_any_left else "The platform has none of its machines."
    return Ended(OperationState.DONE, f"{words} {what_still_costs(fleet)}")


async def _ask_all(
    account: PlatformClient, machines: list[Machine]
) -> list[SandboxRow | PlatformError]:
    async def ask(machine: Machine) -> SandboxRow | PlatformError:
        try:
            return await account.sandboxes.stop(machine.sandbox_id)
        except PlatformError as error:
            return error

    return list(await asyncio.gather(*(ask(machine) for machine in machines)))


def _missing(machines: list[Machine], answers: list[SandboxRow | PlatformError]) -> list[int]:
    pairs = zip(machines, answers, strict=True)
    return [machine.pk for machine, answer in pairs if isinstance(answer, NotFound)]


def _write(
    operation: Operation, machines: list[Machine], answers: list[SandboxRow | PlatformError]
) -> int:
    fleet = operations.lock_fleet(operation)
    now = timezone.now()
    take_gone(fleet, _missing(machines, answers), now=now)
    left = 0
    for machine, answer in zip(machines, answers, strict=True):
        ref = machine.machine_id
        machine.stop_requested_at = machine.stop_requested_at or now
        if isinstance(answer, NotFound):
            prove(
                operation,
                NodeKind.MACHINE,
                ref,
                state="done",
                requested_at=now,
                gone_at=now,
                result="the platform has no such machine",
            )
            continue
        if isinstance(answer, PlatformError):
            left += 1
            words = f"{answer.status or 'no answer'}: {answer.message}"
            prove(operation, NodeKind.MACHINE, ref, state="failed", requested_at=now, result=words)
            machine.save()
            continue
        machine.status, machine.status_seen_at = answer.status[:40], now
        machine.save()
        stopped = machine.status in STOPPED
        left += not stopped
        prove(
            operation,
            NodeKind.MACHINE,
            ref,
            state="done" if stopped else "running",
            requested_at=now,
            acknowledged_at=now,
            result=machine.status,
            **({"stopped_at": now} if stopped else {}),
        )
    recount(fleet, now=now)
    if not left:
        note(fleet, Line("machine", "all machines are stopped"))
    return left
