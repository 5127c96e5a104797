"""Drives fleets in the test's own process: the same services that the worker's tasks call."""

import time
from collections.abc import Callable
from typing import Any

import httpx
from django.utils import timezone

from fleets.models import Connection, Fleet, Operation, SealedSecret
from fleets.services import operations
from fleets.services.driving import lease
from fleets.services.driving.tick import tick_run
from fleets.services.performing import perform_operation
from tests.support.emulated import Emulated

PATIENCE_S = 120.0


def connect(emulator: Emulated, *, rate_per_minute: int = 60_000) -> Connection:
    """The connection row of a running emulator."""
    key = emulator.config.account_key
    return Connection.objects.create(
        name="emulator",
        sandbox_url=emulator.sandbox_url,
        id_url=emulator.id_url,
        router_url=emulator.router_url,
        api_key=SealedSecret.seal(key),
        api_key_last_four=key[-4:],
        api_key_fingerprint="00000000",
        rate_per_minute=rate_per_minute,
        is_emulator=True,
    )


def drive_once() -> int:
    """Work on everything that is due now; how many pieces of work that was."""
    worked = 0
    for public_id in operations.overdue(now=timezone.now()):
        worked += perform_operation(public_id, owner="test")
    for run_pk in lease.due_runs(now=timezone.now()):
        worked += tick_run(run_pk, owner="test")
    return worked


def drive_until(done: Callable[[], bool], *, patience_s: float = PATIENCE_S) -> None:
    """Drive until `done`, or fail with what stands in the database."""
    deadline = time.monotonic() + patience_s
    while not done():
        if time.monotonic() > deadline:
            raise AssertionError(f"not done in {patience_s} s: {standing()}")
        if not drive_once():
            time.sleep(0.02)


def drive_to_end(fleet: Fleet) -> Fleet:
    """Drive until the fleet's work has ended and no operation of it is under way."""

    def ended() -> bool:
        fleet.refresh_from_db()
        return fleet.work_ended_at is not None and not _open(fleet)

    drive_until(ended)
    return fleet


def drive_operation(operation: Operation) -> Operation:
    """Drive until the operation has ended."""

    def ended() -> bool:
        operation.refresh_from_db()
        return operation.ended_at is not None

    drive_until(ended)
    return operation


def control(emulator: Emulated, method: str, path: str, body: Any = None) -> Any:
    """One call of the emulator's control API."""
    # `wait-for` answers when what it waits for has come.
    url = f"{emulator.base_url}/_emulator/{path}"
    # Without certificates, whose reading takes longer than the asking.
    response = httpx.request(method, url, json=body, timeout=PATIENCE_S, verify=False)
    response.raise_for_status()
    return response.json()


def _open(fleet: Fleet) -> bool:
    return Operation.objects.filter(fleet=fleet, ended_at__isnull=True).exists()


def standing() -> list[Any]:
    """What a wait that was in vain tells: every fleet and every order."""
    fleets = Fleet.objects.values_list("name", "state", "tasks_running", "last_error")
    return [*fleets, *Operation.objects.values_list("kind", "state", "sentence")]
