"""The ASGI door: event streams go to a small app of their own, everything else to Django.

Django's handler would hold a thread, and perhaps a database connection, for every open stream.
"""

import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fleetdash.settings")

django_application = get_asgi_application()

from fleets.live.stream import application as stream_application  # noqa: E402

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

STREAM_PATH = "/live/stream"


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Route one connection."""
    if scope["type"] == "http" and scope["path"] == STREAM_PATH:
        await stream_application(scope, receive, send)
    elif scope["type"] == "http":
        await django_application(scope, receive, send)  # type: ignore[arg-type]
    else:
        raise NotImplementedError(f"Fleetdash does not speak {scope['type']}.")
