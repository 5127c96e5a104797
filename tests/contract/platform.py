"""The platform under test: the emulator, or the live service when PLATFORM_TARGET=live says so."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeVar

import httpx

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import NotFound
from fleets.platform_api.retry import RetryPolicy
from fleets.platform_api.sandbox_spec import SandboxSpec
from fleets.platform_api.secret import Secret
from fleets.platform_api.transport import Transport
from fleets.platform_api.types import BaseUrls, KeyMinted
from tests.contract.live import Purse
from tests.contract.machines import FleetUnderTest, MachineUnderTest, until

T = TypeVar("T")
# One attempt: these tests count what arrives, so nothing may be repeated behind their back.
ONCE = RetryPolicy(attempts=1)
# What a test's own key may spend; one call of the largest output holds about $0.06.
BUDGET_USD = Decimal("0.50")
LIFETIME_S = 1800


@dataclass
class Platform:
    """Addresses, the account key, and the name that everything made here begins with."""

    urls: BaseUrls
    account_key: Secret
    run_id: str
    control_url: str | None = None
    purse: Purse | None = None  # only the live service costs money
    patience_s: float = 60.0
    pause_s: float = 0.02
    may_control: bool = field(default=True)

    def new_name(self) -> str:
        """A name for something that this test makes; the sweep at the end knows it by its begin."""
        return f"{self.run_id}-{uuid.uuid4().hex[:12]}"

    @property
    def variable_prefix(self) -> str:
        """The same begin for what must be named like a variable."""
        return self.run_id.upper().replace("-", "_")

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

    async def mint(self, client: PlatformClient, usd: str) -> KeyMinted:
        """A child of the signing key, which the sweep knows by its name."""
        return await client.keys.mint(self.new_name(), budget_usd=Decimal(usd))

    def with_machine(
        self,
        act: Callable[[MachineUnderTest], Awaitable[T]],
        *,
        budget_usd: Decimal = BUDGET_USD,
    ) -> T:
        """`act` on a running machine of no fleet: everything about it is documented (2.1, 5)."""

        async def go() -> T:
            async with self.client() as client, self.key(client, budget_usd) as key:
                signed = client.with_key(key.key)
                spec = SandboxSpec(
                    name=key.name, environment="universal", max_lifetime_s=LIFETIME_S
                )
                made = await signed.sandboxes.create(spec, idempotency_key=key.name)
                try:
                    await until(
                        lambda: client.sandboxes.get(made.sandbox_id),
                        lambda row: row.status not in {"pending", "provisioning"},
                        within_s=self.patience_s,
                        pause_s=self.pause_s,
                    )
                    return await act(
                        MachineUnderTest(
                            made.sandbox_id, key, client, signed, self.patience_s, self.pause_s
                        )
                    )
                finally:
                    await _quietly_gone(client.sandboxes.delete(made.sandbox_id))

        return asyncio.run(go())

    def with_fleet(
        self,
        act: Callable[[FleetUnderTest], Awaitable[T]],
        *,
        machines: int = 1,
        budget_usd: Decimal = BUDGET_USD,
    ) -> T:
        """`act` on a running, budgeted fleet that is deleted afterwards. Its create is ours."""

        async def go() -> T:
            async with self.client() as client, self.key(client, budget_usd) as key:
                try:
                    return await act(await self._fleet(client, key, machines=machines))
                finally:
                    await self._delete_fleet(client, key.name)

        return asyncio.run(go())

    @asynccontextmanager
    async def key(self, client: PlatformClient, budget_usd: Decimal) -> AsyncIterator[KeyMinted]:
        """A key that can spend no more than `budget_usd`, whatever the test does with it."""
        if self.purse is not None:
            await self.purse.before_spending(client, up_to_usd=budget_usd)
        name = self.new_name()
        key = await client.keys.mint(name, budget_usd=budget_usd)
        try:
            yield KeyMinted(key.id, key.key, name, key.budget_usd)
        finally:
            if self.purse is not None:
                await self.purse.after_spending(client, key.id)
            await _quietly_gone(client.keys.revoke(key.id))

    async def _fleet(
        self, client: PlatformClient, key: KeyMinted, *, machines: int
    ) -> FleetUnderTest:
        signed = client.with_key(key.key)
        await signed.fleets.create(
            key.name,
            machines=[{"machineId": f"m-{number}"} for number in range(1, machines + 1)],
            defaults={"environment": "universal", "maxLifetimeSeconds": LIFETIME_S},
            max_concurrent_creates=machines,
            idempotency_key=key.name,
        )
        fleet = await until(
            lambda: client.fleets.get(key.name),
            lambda fleet: fleet.status != "provisioning",
            within_s=self.patience_s,
            pause_s=self.pause_s,
        )
        found = fleet.machines[0].sandbox_id
        assert found is not None
        return FleetUnderTest(
            found, key, client, signed, self.patience_s, self.pause_s, fleet=fleet
        )

    async def _delete_fleet(self, client: PlatformClient, fleet_id: str) -> None:
        await _quietly_gone(
            until(
                lambda: client.fleets.delete(fleet_id),
                lambda deletion: deletion.is_done,
                within_s=self.patience_s,
                pause_s=self.pause_s,
            )
        )

    def control(self, method: str, name: str, body: Any = None) -> Any:
        """One call of the emulator's control; only tests marked `emulator_only` may use it."""
        assert self.may_control, "a fact of the platform must not be arranged through control"
        return self._control(method, name, body)

    def arrived(self) -> set[str]:
        """The operations that were called so far."""
        return {entry["operation"] for entry in self._control("GET", "journal")["entries"]}

    def _control(self, method: str, name: str, body: Any = None) -> Any:
        assert self.control_url is not None
        # Without certificates to load a client is made a hundred times as fast.
        with httpx.Client(verify=False, trust_env=False, timeout=20) as client:
            response = client.request(method, f"{self.control_url}/{name}", json=body)
        assert response.is_success, response.text
        return response.json()

    def arrivals(self, operation: str) -> list[dict[str, Any]]:
        entries = self.control("GET", f"journal?operation={operation}")["entries"]
        assert isinstance(entries, list)
        return entries

    def fault(self, operation: str, kind: str, **facts: Any) -> None:
        self.control("POST", "faults", {"operation": operation, "kind": kind, **facts})


async def _quietly_gone(removal: Awaitable[Any]) -> None:
    """A removal of what may be gone already."""
    try:
        await removal
    except NotFound:
        return
