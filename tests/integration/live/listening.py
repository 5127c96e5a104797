"""A browser that listens: runs the ASGI app itself and keeps what arrives."""

import asyncio
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.test import Client

from fleets.live.stream import application
from fleets.live.tokens import Ticket, seal, session_mark
from fleets.models import User

PATIENCE_S = 120.0


def session_of(user: User) -> str:
    """Sign in and give the session's key."""
    client = Client()
    client.force_login(user, settings.AUTHENTICATION_BACKENDS[0])
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


def ticket_for(user: User, session: str, *topics: str, page: str = "test") -> Ticket:
    """What a page of `user` would have sealed."""
    return Ticket(page, topics, user.pk, user.rights_number, session_mark(session))


class Listener:
    """One open stream: its status, everything that came, and whether it ended."""

    def __init__(self) -> None:
        self.status = 0
        self.received = b""
        self.has_ended = False
        self._changed = asyncio.Event()
        self.gone = asyncio.Event()

    async def receive(self) -> MutableMapping[str, Any]:
        """Nothing, until the browser goes away."""
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Keep what the server says."""
        self.status = message.get("status", self.status)
        self.received += message.get("body", b"")
        if message["type"] == "http.response.body" and not message.get("more_body"):
            self.has_ended = True
        self._changed.set()

    async def until(self, text: str) -> None:
        """Wait until `text` has come. Raises TimeoutError with what came instead."""
        await self._wait(lambda: text.encode() in self.received, text)

    async def end(self) -> None:
        """Wait until the server has ended the stream."""
        await self._wait(lambda: self.has_ended, "the end")

    async def _wait(self, is_there: Any, what: str) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not is_there():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise TimeoutError(f"{what} never came: {self.received!r}") from None

    def count(self, text: str) -> int:
        """How often `text` has come."""
        return self.received.count(text.encode())


@asynccontextmanager
async def listening(
    ticket: Ticket, session: str, *, since: str = "", method: str = "GET", last_event_id: str = ""
) -> AsyncIterator[Listener]:
    """Open a stream for the time of the block."""
    headers = [(b"cookie", f"{settings.SESSION_COOKIE_NAME}={session}".encode())]
    if last_event_id:
        headers.append((b"last-event-id", last_event_id.encode()))
    query = urlencode({"since": since, "ticket": seal(ticket)}).encode()
    scope = {"type": "http", "method": method, "query_string": query, "headers": headers}
    listener = Listener()
    task = asyncio.create_task(application(scope, listener.receive, listener.send))
    try:
        yield listener
    finally:
        listener.gone.set()
        async with asyncio.timeout(PATIENCE_S):
            await task
