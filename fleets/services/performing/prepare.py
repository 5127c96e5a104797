"""Puts files onto machines and runs their set-up command, before their first turn.

Files may be written twice: the same content. The set-up command is begun once: a mark on the
machine is written with it, so that whoever takes over after a crash waits for its end instead of
beginning it anew.
"""

import asyncio
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone

from fleets import dispatch
from fleets.domain.machine_needs import MachineNeeds, SetupCommand, needs_of
from fleets.gateway import gateway
from fleets.models import Machine, NodeKind, Operation, Run
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import PlatformError, PlatformUnavailable
from fleets.services import operations
from fleets.services.driving.view import READY, fleet_with_key
from fleets.services.fleet_events import Line, note_all
from fleets.services.performing.calling import call
from fleets.services.performing.nodes import prove

AT_ONCE: Final = 16
# One piece of work on an operation lasts no longer; what runs on is looked for again.
PATIENCE_S: Final = 80
GRACE: Final = timedelta(seconds=60)
_FOLDER: Final = ".fleetdash"
_BEGUN: Final = f"{_FOLDER}/setup.begun"
_EXIT: Final = f"{_FOLDER}/setup.exit"
_OUTPUT_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Prepared:
    """What became of a machine: done, failed (`error`), or to be looked at again (neither)."""

    machine_pk: int
    is_done: bool = False
    error: str = ""


def prepare(operation: Operation) -> bool:
    """Prepare what runs and is not prepared; whether some machine is still to be looked at."""
    fleet = operation.fleet
    needs = needs_of(fleet.machine_needs)
    if not needs.has_preparation:
        return False
    waiting = list(
        Machine.objects.filter(
            fleet=fleet, status=READY, gone_at__isnull=True, needs_preparation=True
        ).filter(prepared_at__isnull=True, preparation_error="")
    )
    if not waiting:
        return False
    # A machine that was begun before may have begun its command.
    begun = {machine.pk for machine in waiting if machine.preparation_began_at is not None}
    fresh = [machine.pk for machine in waiting if machine.pk not in begun]
    Machine.objects.filter(pk__in=fresh).update(preparation_began_at=timezone.now())
    client = gateway().fleet(fleet_with_key(fleet))
    found = call(operation, _prepare_all(client, waiting, needs, begun=begun))
    _write(operation, waiting, found)
    return any(not one.is_done and not one.error for one in found)


async def _prepare_all(
    client: PlatformClient, machines: Sequence[Machine], needs: MachineNeeds, *, begun: set[int]
) -> list[Prepared]:
    places = asyncio.Semaphore(AT_ONCE)

    async def one(machine: Machine) -> Prepared:
        async with places:
            return await _prepare_one(client, machine, needs, was_begun=machine.pk in begun)

    return list(await asyncio.gather(*(one(machine) for machine in machines)))


async def _prepare_one(
    client: PlatformClient, machine: Machine, needs: MachineNeeds, *, was_begun: bool
) -> Prepared:
    try:
        for file in needs.files:
            await client.runtime.write_file(machine.sandbox_id, file.path, content=file.content)
        if needs.setup is None:
            return Prepared(machine.pk, is_done=True)
        if was_begun:
            known = await _earlier(client, machine, needs.setup)
            if known is not None:
                return known
        return await _set_up(client, machine, needs.setup)
    except (PlatformUnavailable, TimeoutError):
        # Whether it was carried out is not known: the marks on the machine will tell.
        return Prepared(machine.pk)
    except PlatformError as error:
        return Prepared(machine.pk, error=f"could not be prepared: {error.message}"[:500])


async def _earlier(
    client: PlatformClient, machine: Machine, setup: SetupCommand
) -> Prepared | None:
    """What became of a command that may have begun before; None when it certainly has not."""
    ended = await client.runtime.command(machine.sandbox_id, f"cat {_EXIT}")
    if ended.exit_code == 0:
        return _judged(machine, ended.stdout, said="")
    begun = await client.runtime.command(machine.sandbox_id, f"cat {_BEGUN}")
    if begun.exit_code != 0:
        return None
    began_at = machine.preparation_began_at
    limit = timedelta(seconds=setup.timeout_s) + GRACE
    if began_at is not None and timezone.now() > began_at + limit:
        return Prepared(machine.pk, error="began its set-up command, and nobody knows its end")
    return Prepared(machine.pk)


async def _set_up(client: PlatformClient, machine: Machine, setup: SetupCommand) -> Prepared:
    line = (
        f"mkdir -p {_FOLDER}; echo begun > {_BEGUN}; sh -c {shlex.quote(setup.command)};"
        f" echo $? > {_EXIT}; echo; cat {_EXIT}"
    )
    async with asyncio.timeout(PATIENCE_S):
        result = await client.runtime.command(
            machine.sandbox_id, line, timeout_ms=setup.timeout_s * 1_000
        )
    if result.timed_out:
        words = f"set-up command did not end within {setup.timeout_s} s"
        return Prepared(machine.pk, error=words)
    output, _, code = result.stdout.rstrip().rpartition("\n")
    return _judged(machine, code, said=(result.stderr or output).strip())


def _judged(machine: Machine, code: str, *, said: str) -> Prepared:
    if code.strip() == "0":
        return Prepared(machine.pk, is_done=True)
    shown = f": {said[-_OUTPUT_SHOWN:]}" if said else ""
    return Prepared(machine.pk, error=f"set-up command ended with {code.strip()}{shown}"[:500])


def _write(operation: Operation, machines: Sequence[Machine], found: Sequence[Prepared]) -> None:
    """Mark the machines, say it, and let the run begin there."""
    by_pk = {machine.pk: machine for machine in machines}
    now = timezone.now()
    done = [one.machine_pk for one in found if one.is_done]
    failed = [one for one in found if one.error]
    if not done and not failed:
        return
    with transaction.atomic():
        fleet = operations.lock_fleet(operation)
        Machine.objects.filter(pk__in=done).update(prepared_at=now)
        lines = [Line("machine", f"{len(done)} machines prepared")] if done else []
        for one in failed:
            machine = by_pk[one.machine_pk]
            Machine.objects.filter(pk=machine.pk).update(preparation_error=one.error)
            lines.append(Line("failed", f"machine {machine} {one.error}"))
            prove(
                operation,
                NodeKind.MACHINE,
                ref=machine.machine_id,
                state="failed",
                result=one.error[:400],
            )
        note_all(fleet, lines)
        for run in Run.objects.filter(fleet=fleet, ended_at__isnull=True):
            Run.objects.filter(pk=run.pk).update(next_tick_at=now)
            dispatch.run_due(run.pk)
