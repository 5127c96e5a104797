"""The only door to the platform client: builds clients, spends the rate budget, counts calls.

One event loop and one transport per connection are kept for the life of a worker process. They are
made lazily, in the process that uses them, never at import: a loop does not survive a fork.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import structlog
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import close_old_connections

from fleets import pulse
from fleets.models import Connection, Fleet
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import PlatformRefused, RateLimited
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


class Withheld(Exception):
    """A call that nobody wanted any more when its place in the line of requests came."""


_count: ContextVar[CallCount | None] = ContextVar("platform_calls", default=None)
_wanted: ContextVar[Callable[[], Awaitable[bool]] | None] = ContextVar("wanted", default=None)
_is_watched: ContextVar[bool] = ContextVar("is_watched", default=False)


@contextmanager
def only_while(wanted: Callable[[], Awaitable[bool]]) -> Iterator[None]:
    """Within this block a call leaves only if `wanted` says so after its wait in line.

    A small plan can keep a request waiting for long; otherwise the call raises `Withheld`.
    """
    token = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(token)


@contextmanager
def for_a_watcher() -> Iterator[None]:
    """Within this block reads go before other reads: somebody looks at what they bring."""
    token = _is_watched.set(True)
    try:
        yield
    finally:
        _is_watched.reset(token)


def _priority(operation: Operation) -> Priority:
    if operation.urgency is Urgency.READ and _is_watched.get():
        return Priority.WATCHED_READ
    return _PRIORITY[operation.urgency]


class Gateway:
    """The doors of one process. Use it through `gateway()`."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._transports: dict[int, tuple[str, Transport]] = {}
        self._budgets: list[RateBudget] = []

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run one round of calls to its end on the process's own loop.

        A round that fails, or is ended by a time limit, leaves nothing behind: a request of it
        that left during the next round would be nobody's.
        """
        try:
            return self._loop.run_until_complete(work)
        except BaseException:
            self._loop.run_until_complete(_cancel_others())
            raise

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
        return _client(connection, self._transport(connection))

    async def account_on_loop(self, connection: Connection) -> PlatformClient:
        """As `account`, asked for by work that runs on the gateway's own loop already."""
        stamp, known = self._known(connection)
        if known is None:
            known = await self._open(connection)
            self._transports[connection.pk] = (stamp, known)
        return _client(connection, known)

    def fleet(self, fleet: Fleet) -> PlatformClient:
        """A client signing with the fleet's own key: its create and every turn (contract 10.31).

        A fleet without a budget has no key of its own and is billed to the account.
        """
        return self.with_key_of(fleet, self.account(fleet.connection))

    def with_key_of(self, fleet: Fleet, client: PlatformClient) -> PlatformClient:
        """The same client signing with the fleet's own key, where it has one that we hold."""
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
        stamp, known = self._known(connection)
        if known is not None:
            return known
        if connection.pk in self._transports:
            self.run(self._transports[connection.pk][1].aclose())
        transport = self.run(self._open(connection))
        self._transports[connection.pk] = (stamp, transport)
        return transport

    def _known(self, connection: Connection) -> tuple[str, Transport | None]:
        """What the connection's transport depends on, and that transport if there is one."""
        stamp = f"{connection.sandbox_url} {connection.id_url} {connection.rate_per_minute}"
        known = self._transports.get(connection.pk)
        return stamp, known[1] if known and known[0] == stamp else None

    async def _open(self, connection: Connection) -> Transport:
        budget = RateBudget.at(
            settings.REDIS_URL,
            connection=str(connection.pk),
            per_minute=connection.rate_per_minute,
        )
        self._budgets.append(budget)

        async def pace(operation: Operation) -> None:
            await budget.acquire(_priority(operation))
            wanted = _wanted.get()
            if wanted is not None and not await wanted():
                raise Withheld

        async def on_call(record: CallRecord) -> None:
            count = _count.get()
            if count is not None:
                count.calls += 1
            pulse.count_call(_counted(connection, record))
            if isinstance(record.error, RateLimited):
                await budget.drain(record.error.retry_after_s or 1.0)

        return Transport(pace=pace, on_call=on_call)


def _counted(connection: Connection, record: CallRecord) -> pulse.Call:
    error = record.error
    is_answer = error is None or isinstance(error, PlatformRefused)
    return pulse.Call(
        connection=str(connection.pk),
        operation=record.operation.name,
        outcome="ok" if error is None else type(error).__name__,
        duration_s=record.duration_s,
        words="" if error is None or is_answer else error.message or type(error).__name__,
    )


def _client(connection: Connection, transport: Transport) -> PlatformClient:
    urls = BaseUrls(
        sandbox=connection.sandbox_url, id=connection.id_url, router=connection.router_url
    )
    return PlatformClient(urls, Secret(connection.account_key), transport=transport)


async def _cancel_others() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


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
    """Ask the database from within a round of calls: short queries, one after the other in a
    thread of their own.
    """
    return await sync_to_async(partial(_and_let_go, question), thread_sensitive=True)()


async def work_beside(work: Callable[[], T]) -> T:
    """Work with the database while a round of calls goes on: in any thread, so that whoever asks
    `ask_database` meanwhile does not wait for it.
    """
    return await asyncio.to_thread(_and_let_go, work)


def _and_let_go(work: Callable[[], T]) -> T:
    close_old_connections()
    try:
        return work()
    finally:
        close_old_connections()
