"""A machine and a fleet that a contract test works on, with the keys that sign what."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.types import (
    EventRead,
    FleetRow,
    KeyMinted,
    Receipt,
    SessionRow,
    SessionState,
)

T = TypeVar("T")
BACKEND = {"type": "opencode", "model": {"model": "gpt-4.1-mini"}}


@dataclass(frozen=True, slots=True)
class MachineUnderTest:
    """A running machine; `signed` carries the budgeted key that made it, `account` the other."""

    sandbox_id: str
    key: KeyMinted
    account: PlatformClient
    signed: PlatformClient
    patience_s: float
    pause_s: float

    async def dispatch(self, session_id: str, turn_id: str, prompt: str) -> Receipt:
        return await self.signed.sessions.dispatch(
            self.sandbox_id,
            session_id=session_id,
            turn_id=turn_id,
            prompt=prompt,
            backend=BACKEND,
            timeout_ms=300_000,
        )

    async def ended(self, session_id: str) -> SessionState:
        """The session's state once nothing of it is active (contract 3.1, 3.4)."""
        return await self.until(
            lambda: self.account.sessions.state(self.sandbox_id, session_id),
            lambda state: state.active_execution_id is None,
        )

    async def row(self, session_id: str) -> SessionRow:
        """The session's row in the machine's list (contract 10 row 12a)."""
        page = await self.account.sessions.list(self.sandbox_id)
        return next(row for row in page.sessions if row.session_id == session_id)

    async def finished(self, session_id: str) -> SessionRow:
        """That row once nothing of the session is active."""
        return await self.until(
            lambda: self.row(session_id), lambda row: row.active_execution_id is None
        )

    async def frames(self, session_id: str, **where: Any) -> EventRead:
        return await self.account.sessions.read_events(
            self.sandbox_id, session_id, idle_s=self.patience_s, max_s=self.patience_s, **where
        )

    async def until(self, read: Callable[[], Awaitable[T]], is_there: Callable[[T], bool]) -> T:
        return await until(read, is_there, within_s=self.patience_s, pause_s=self.pause_s)


@dataclass(frozen=True, slots=True)
class FleetUnderTest(MachineUnderTest):
    """A running fleet; as a machine it is its first."""

    fleet: FleetRow


async def until(
    read: Callable[[], Awaitable[T]],
    is_there: Callable[[T], bool],
    *,
    within_s: float,
    pause_s: float = 0.02,
) -> T:
    """Reads until it is there; fails with the last value after `within_s`."""
    ends = time.monotonic() + within_s
    while True:
        found = await read()
        if is_there(found):
            return found
        assert time.monotonic() < ends, f"still {found!r} after {within_s} s"
        await asyncio.sleep(pause_s)
