"""The event stream as a plain ASGI app beside Django: no thread and no database while it is open.

`GET /live/stream?since=…&ticket=…` answers 200 with server-sent events, 403 when the ticket is not
(or no longer) good for this session, 405 for another method.
"""

import asyncio
import contextlib
import random
import time
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.db import connections
from django.http import HttpRequest

from fleets.live import frames
from fleets.live.hub import Hub, hub
from fleets.live.subscribers import WAKE, Subscriber
from fleets.live.tokens import Ticket, fits_session, unseal
from fleets.models import User

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

BEAT_S = 10.0
LIFE_S = 30 * 60.0
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"vary", b"Cookie"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve one stream."""
    if scope["method"] != "GET":
        await _refuse(send, 405)
        return
    query = parse_qs(scope["query_string"].decode("latin-1"))
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    ticket = unseal(query.get("ticket", [""])[0])
    key = _session_key(headers.get("cookie", ""))
    is_good = sync_to_async(_is_good, thread_sensitive=False)
    if ticket is None or not fits_session(ticket, key) or not await is_good(ticket, key):
        await _refuse(send, 403)
        return
    since = headers.get("last-event-id") or query.get("since", [""])[0]
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    subscriber = Subscriber(ticket, cursor=headers.get("live-cursor") or ticket.cursor)
    house = hub()
    watch = asyncio.create_task(_end_when_gone(receive, subscriber))
    try:
        await house.join(subscriber, since=since)
        await _pump(house, subscriber, send)
    finally:
        house.leave(subscriber)
        watch.cancel()
    with contextlib.suppress(OSError):
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _pump(house: Hub, subscriber: Subscriber, send: Send) -> None:
    # Streams that began together must not end together.
    ends_at = time.monotonic() + LIFE_S * random.uniform(0.9, 1.0)
    beat_at = time.monotonic() + BEAT_S
    while (now := time.monotonic()) < ends_at:
        try:
            message = await asyncio.wait_for(subscriber.queue.get(), max(0.0, beat_at - now))
        except TimeoutError:
            beat_at = time.monotonic() + BEAT_S
            message = frames.beat(is_live=house.is_live, entry=house.entry)
        if message is None:
            return
        if message == WAKE:
            message = await house.appended(subscriber)
            if not message:
                continue
        await send({"type": "http.response.body", "body": message, "more_body": True})


async def _end_when_gone(receive: Receive, subscriber: Subscriber) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    subscriber.end()


async def _refuse(send: Send, status: int) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def _session_key(cookies: str) -> str:
    jar = SimpleCookie()
    with contextlib.suppress(CookieError):
        jar.load(cookies)
    morsel = jar.get(settings.SESSION_COOKIE_NAME)
    return morsel.value if morsel else ""


def _is_good(ticket: Ticket, session_key: str) -> bool:
    """Whether the session still belongs to that user, with the rights the page was made for."""
    try:
        request = HttpRequest()
        request.session = SessionStore(session_key)
        user = get_user(request)
        return (
            isinstance(user, User)
            and user.pk == ticket.user_id
            and user.is_viewer
            and user.rights_number == ticket.rights_number
        )
    finally:
        connections.close_all()
