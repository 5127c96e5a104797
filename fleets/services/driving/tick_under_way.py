"""A tick under way: what it has read, whose lease it holds, how it calls the platform."""

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from fleets.gateway import gateway, work_beside
from fleets.platform_api.patience import answers_within
from fleets.services.driving import lease
from fleets.services.driving.view import RunView
from fleets.services.fleet_state import lock

T = TypeVar("T")

# A machine that never answers must not keep the others of its run waiting: what has no answer by
# then is read again in a later round, and a turn whose answer is lost is known by its id.
ANSWER_S: Final = 5.0
# In so many rounds one waits as long as a call may take, for a platform that is merely slow.
PATIENT_EVERY: Final = 8


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
    if not lease.hold(run.pk, owner=tick.owner):
        raise lease.LeaseLost


def call(tick: Tick, work: Coroutine[Any, Any, T]) -> T:
    """Run a round of HTTP, the lease renewed while it lasts, its requests counted."""
    run_pk, owner = tick.view.run.pk, tick.owner
    is_patient = tick.view.run.ticks % PATIENT_EVERY == 0

    async def guarded() -> T:
        renewing = asyncio.create_task(_keep_lease(run_pk, owner))
        try:
            return await work
        finally:
            renewing.cancel()

    with answers_within(None if is_patient else ANSWER_S):
        result, calls = gateway().counted(guarded())
    tick.requests += calls
    return result


async def _keep_lease(run_pk: int, owner: str) -> None:
    while True:
        await asyncio.sleep(lease.RENEW_S)
        if not await work_beside(lambda: lease.renew(run_pk, owner=owner)):
            return
