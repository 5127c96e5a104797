"""The real ASGI application under uvicorn in a daemon thread, for tests that use a browser.

pytest-django's own live server speaks WSGI and hangs on a page with an event stream.
"""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Self

import uvicorn
from django.urls import reverse

from fleetdash.asgi import application

START_LIMIT_S = 60.0
STREAMS_END_S = 1


class _Server(uvicorn.Server):
    """uvicorn that leaves the signals to the test run."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Site:
    """`with Site() as site:` answers at `site.url` on a free port of this machine."""

    def __init__(self) -> None:
        self._server = _Server(
            uvicorn.Config(
                application,
                host="127.0.0.1",
                port=0,
                log_level="warning",
                access_log=False,
                lifespan="off",
                ws="none",
                timeout_graceful_shutdown=STREAMS_END_S,
            )
        )
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="site", daemon=True)
        self.url = ""

    def address(self, name: str, *args: object, query: str = "") -> str:
        """The whole address of a page, by its URL name."""
        return f"{self.url}{reverse(name, args=args)}{query}"

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(START_LIMIT_S) or not self._server.started:
            raise RuntimeError("the site did not start")
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://localhost:{port}"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.should_exit = True
        self._thread.join(START_LIMIT_S)

    def _run(self) -> None:
        async def serve() -> None:
            serving = asyncio.create_task(self._server.serve())
            while not self._server.started and not serving.done():
                await asyncio.sleep(0.005)
            self._ready.set()
            await serving

        try:
            asyncio.run(serve())
        finally:
            self._ready.set()
