"""The platform under test: the emulator, or the live service when PLATFORM_TARGET=live says so."""

import asyncio
import os
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeVar

import httpx

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import NotFound, PlatformError
from fleets.platform_api.retry import RetryPolicy
from fleets.platform_api.secret import Secret
from fleets.platform_api.transport import Transport
from fleets.platform_api.types import BaseUrls, EventRead, FleetRow, KeyMinted, SessionRow

T = TypeVar("T")
IS_LIVE = os.environ.get("PLATFORM_TARGET") == "live"
# One attempt: these tests count what arrives, so nothing may be repeated behind their back.
ONCE = RetryPolicy(attempts=1)
BACKEND = {"type": "opencode", "model": {"model": "gpt-4.1-mini"}}


@dataclass(frozen=True, slots=True)
class FleetUnderTest:
    fleet: FleetRow
    key: KeyMinted
    account: PlatformClient
    signed: PlatformClient  # with the fleet's key
    patience_s: float

    @property
    def sandbox_id(self) -> str:
        found = self.fleet.machines[0].sandbox_id
        assert found is not None
        return found

    async def dispatch(self, session_id: str, turn_id: str, prompt: str) -> Any:
        return await self.signed.sessions.dispatch(
            self.sandbox_id,
            session_id=session_id,
            turn_id=turn_id,
            prompt=prompt,
            backend=BACKEND,
            timeout_ms=300_000,
        )

    async def row(self, session_id: str) -> SessionRow:
        page = await self.account.sessions.list(self.sandbox_id)
        return next(row for row in page.sessions if row.session_id == session_id)

    async def finished(self, session_id: str) -> SessionRow:
        """The session's row once nothing of it is active."""
        return await until(
            lambda: self.row(session_id),
            lambda row: row.active_execution_id is None,
            within_s=self.patience_s,
        )

    async def frames(self, session_id: str, **where: Any) -> EventRead:
        return await self.account.sessions.read_events(
            self.sandbox_id, session_id, idle_s=self.patience_s, max_s=self.patience_s, **where
        )


@dataclass
class Platform:
    """Addresses, the account key, and what was made and must go again."""

    urls: BaseUrls
    account_key: Secret
    control_url: str | None = None
    patience_s: float = 10.0
    made: list[str] = field(default_factory=list)

    def run(self, act: Callable[[PlatformClient], Awaitable[T]]) -> T:
        """`act` with a client of the account key, in a loop and transport of its own."""

        async def go() -> T:
            async with self.client() as client:
                return await act(client)

        return asyncio.run(go())

    @asynccontextmanager
    async def client(
        self, *, urls: BaseUrls | None = None, retry: RetryPolicy = ONCE, **transport: Any
    ) -> AsyncIterator[PlatformClient]:
        made = Transport(retry=retry, **transport)
        try:
            yield PlatformClient(urls or self.urls, self.account_key, transport=made)
        finally:
            await made.aclose()

    def with_fleet(
        self,
        act: Callable[[FleetUnderTest], Awaitable[T]],
        *,
        machines: int = 1,
        budget_usd: Decimal = Decimal("1.5"),
    ) -> T:
        """`act` on a running, budgeted fleet that is deleted afterwards."""

        async def go() -> T:
            async with self.client() as client:
                made = await self._make(client, machines=machines, budget_usd=budget_usd)
                try:
                    return await act(made)
                finally:
                    await self._remove(made)

        return asyncio.run(go())

    async def _make(
        self, client: PlatformClient, *, machines: int, budget_usd: Decimal
    ) -> FleetUnderTest:
        name = f"fleet-{uuid.uuid4().hex[:12]}"
        key = await client.keys.mint(f"contract {name}", budget_usd=budget_usd)
        signed = client.with_key(key.key)
        await signed.fleets.create(
            name,
            machines=[{"machineId": f"m-{number}"} for number in range(1, machines + 1)],
            defaults={"environment": "universal", "maxLifetimeSeconds": 1800},
            max_concurrent_creates=machines,
            idempotency_key=name,
        )
        fleet = await until(
            lambda: client.fleets.get(name),
            lambda fleet: fleet.status != "provisioning",
            within_s=self.patience_s,
        )
        return FleetUnderTest(fleet, key, client, signed, self.patience_s)

    async def _remove(self, made: FleetUnderTest) -> None:
        try:
            await until(
                lambda: made.account.fleets.delete(made.fleet.fleet_id),
                lambda deletion: deletion.is_done,
                within_s=self.patience_s,
            )
        except NotFound:
            pass
        finally:
            try:
                await made.account.keys.revoke(made.key.id)
            except PlatformError as error:
                if not isinstance(error, NotFound):
                    raise

    def control(self, method: str, name: str, body: Any = None) -> Any:
        """One call of the emulator's control; only tests marked `emulator_only` may use it."""
        assert self.control_url is not None
        response = httpx.request(method, f"{self.control_url}/{name}", json=body, timeout=20)
        assert response.is_success, response.text
        return response.json()

    def arrivals(self, operation: str) -> list[dict[str, Any]]:
        entries = self.control("GET", f"journal?operation={operation}")["entries"]
        assert isinstance(entries, list)
        return entries

    def fault(self, operation: str, kind: str, **facts: Any) -> None:
        self.control("POST", "faults", {"operation": operation, "kind": kind, **facts})


async def until(
    read: Callable[[], Awaitable[T]], is_there: Callable[[T], bool], *, within_s: float
) -> T:
    """Reads until it is there; fails with the last value after `within_s`."""
    ends = time.monotonic() + within_s
    while True:
        found = await read()
        if is_there(found):
            return found
        assert time.monotonic() < ends, f"still {found!r} after {within_s} s"
        await asyncio.sleep(2.0 if IS_LIVE else 0.02)
