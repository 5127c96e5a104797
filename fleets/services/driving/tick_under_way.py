"""A tick under way: what it has read, whose lease it holds, how it calls the platform."""

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fleets.gateway import ask_database, gateway
from fleets.services.driving import lease
from fleets.services.driving.view import RunView
from fleets.services.fleet_state import lock

T = TypeVar("T")


@dataclass(slots=True)
class Tick:
    """One tick under way.

    `requests` counts the calls it has made of the platform; `is_cut_short`: a round was full, and
    more could be read or begun at once.
    """

    view: RunView
    owner: str
    requests: int = 0
    is_cut_short: bool = False
    began: float = field(default_factory=time.monotonic)

    @property
    def lasted_s(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.began


def must_hold(tick: Tick) -> None:
    """Lock fleet, then run (the order every writer keeps), and make sure the lease is ours.

    Runs in the caller's transaction. Raises `LeaseLost`.
    """
    run = tick.view.run
    tick.view.fleet = lock(run.fleet_id)
    if not lease.is_held(run.pk, owner=tick.owner):
        raise lease.LeaseLost


def call(tick: Tick, work: Coroutine[Any, Any, T]) -> T:
    """Run a round of HTTP, the lease renewed while it lasts, its requests counted."""
    run_pk, owner = tick.view.run.pk, tick.owner

    async def guarded() -> T:
        renewing = asyncio.create_task(_keep_lease(run_pk, owner))
        try:
            return await work
        finally:
            renewing.cancel()

    result, calls = gateway().counted(guarded())
    tick.requests += calls
    return result


async def _keep_lease(run_pk: int, owner: str) -> None:
    while True:
        await asyncio.sleep(lease.RENEW_S)
        if not await ask_database(lambda: lease.renew(run_pk, owner=owner)):
            return
