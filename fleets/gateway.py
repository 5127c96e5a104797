"""The only door to the platform client: builds clients, spends the rate budget, counts calls.

One event loop and one transport per connection are kept for the life of a worker process. They are
made lazily, in the process that uses them, never at import: a loop does not survive a fork.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

import structlog
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import close_old_connections

from fleets.models import Connection, Fleet
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import RateLimited
from fleets.platform_api.operations import Operation, Urgency
from fleets.platform_api.secret import Secret
from fleets.platform_api.transport import CallRecord, Transport
from fleets.platform_api.types import BaseUrls
from fleets.rate_budget import Priority, RateBudget

T = TypeVar("T")
log = structlog.get_logger(__name__)

_PRIORITY = {
    Urgency.STOP: Priority.STOP,
    Urgency.WORK: Priority.DISPATCH,
    Urgency.READ: Priority.READ,
}


@dataclass(slots=True)
class CallCount:
    """Calls made within one `counting` block."""

    calls: int = 0


_count: ContextVar[CallCount | None] = ContextVar("platform_calls", default=None)


class Gateway:
    """The doors of one process. Use it through `gateway()`."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._transports: dict[int, tuple[str, Transport]] = {}
        self._budgets: list[RateBudget] = []

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run one round of calls to its end on the process's own loop."""
        return self._loop.run_until_complete(work)

    def counted(self, work: Coroutine[Any, Any, T]) -> tuple[T, int]:
        """As `run`; also how many requests left."""
        count = CallCount()
        token = _count.set(count)
        try:
            return self.run(work), count.calls
        finally:
            _count.reset(token)

    def account(self, connection: Connection) -> PlatformClient:
        """A client signing with the account key: reads, abort, delete, key administration."""
        return PlatformClient(
            BaseUrls(
                sandbox=connection.sandbox_url, id=connection.id_url, router=connection.router_url
            ),
            Secret(connection.account_key),
            transport=self._transport(connection),
        )

    def fleet(self, fleet: Fleet) -> PlatformClient:
        """A client signing with the fleet's own key: its create and every turn (contract 10.31).

        A fleet without a budget has no key of its own and is billed to the account.
        """
        client = self.account(fleet.connection)
        if fleet.key_secret is None:
            return client
        return client.with_key(Secret(fleet.key_secret.reveal()))

    def close(self) -> None:
        """Close every connection and the loop; the gateway is not used after it."""
        for _, transport in self._transports.values():
            self.run(transport.aclose())
        for budget in self._budgets:
            self.run(budget.aclose())
        self._transports, self._budgets = {}, []
        self._loop.close()

    def _transport(self, connection: Connection) -> Transport:
        stamp = f"{connection.sandbox_url} {connection.id_url} {connection.rate_per_minute}"
        known = self._transports.get(connection.pk)
        if known and known[0] == stamp:
            return known[1]
        if known:
            self.run(known[1].aclose())
        transport = self.run(self._open(connection))
        self._transports[connection.pk] = (stamp, transport)
        return transport

    async def _open(self, connection: Connection) -> Transport:
        budget = RateBudget.at(
            settings.REDIS_URL,
            connection=str(connection.pk),
            per_minute=connection.rate_per_minute,
        )
        self._budgets.append(budget)

        async def pace(operation: Operation) -> None:
            await budget.acquire(_PRIORITY[operation.urgency])

        async def on_call(record: CallRecord) -> None:
            count = _count.get()
            if count is not None:
                count.calls += 1
            if isinstance(record.error, RateLimited):
                await budget.drain(record.error.retry_after_s or 1.0)

        return Transport(pace=pace, on_call=on_call)


_gateway: Gateway | None = None


def gateway() -> Gateway:
    """The gateway of this process, made at its first use (again after a fork)."""
    global _gateway  # one per process is the point
    if _gateway is None or _gateway.pid != os.getpid():
        _gateway = Gateway()
    return _gateway


def close_gateway() -> None:
    """Close this process's gateway, if it has one: at the end of a worker or a test."""
    global _gateway
    if _gateway is not None and _gateway.pid == os.getpid():
        _gateway.close()
    _gateway = None


async def ask_database(question: Callable[[], T]) -> T:
    """Ask the database from within a round of calls (a short query, in a thread of its own)."""

    def asked() -> T:
        close_old_connections()
        try:
            return question()
        finally:
            close_old_connections()

    return await sync_to_async(asked, thread_sensitive=True)()
