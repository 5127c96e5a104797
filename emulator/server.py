"""Running the app: in the foreground, or in a thread for tests."""

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import TracebackType

import uvicorn

from emulator.app import EmulatorApp, create_app
from emulator.config import Config
from emulator.world import World

KEEP_ALIVE_S = 5
START_LIMIT_S = 60.0


class _Server(uvicorn.Server):
    """uvicorn without its own signal handling, and with streams that end when it does."""

    def __init__(self, app: EmulatorApp, config: Config) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                host=config.host,
                port=config.port,
                log_level="warning",
                access_log=False,
                lifespan="on",
                ws="none",
                timeout_keep_alive=KEEP_ALIVE_S,
                timeout_graceful_shutdown=1,
            )
        )
        self._world = app.world

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    @property
    def port(self) -> int:
        found: int = self.servers[0].sockets[0].getsockname()[1]
        return found

    def end(self) -> None:
        """Stop; in the server's own loop."""
        self._world.stop()
        self.should_exit = True


async def _serve(server: _Server, on_ready: Callable[[], None]) -> None:
    serving = asyncio.create_task(server.serve())
    while not server.started and not serving.done():
        await asyncio.sleep(0.005)
    if server.started:
        on_ready()
    await serving


def run(config: Config, *, announce: Callable[[str], None]) -> int:
    """Serve until SIGTERM or SIGINT; the exit code."""
    server = _Server(create_app(config), config)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, server.end)
        await _serve(server, lambda: announce(f"http://{config.host}:{server.port}"))

    try:
        asyncio.run(main())
    except SystemExit:
        # uvicorn has said why it could not bind.
        return 1
    return 0 if server.started else 1


class EmulatorThread:
    """An emulator in a daemon thread on a free port: `with EmulatorThread(Config(...)) as it:`."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.app = create_app(config)
        self.world: World = self.app.world
        self._server = _Server(self.app, config)
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="emulator", daemon=True)
        self.base_url = ""

    def __enter__(self) -> "EmulatorThread":
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def sandbox_url(self) -> str:
        return f"{self.base_url}/sandbox"

    @property
    def id_url(self) -> str:
        return f"{self.base_url}/id"

    @property
    def router_url(self) -> str:
        return f"{self.base_url}/router/v1"

    def start(self) -> None:
        """Return once requests are answered; raises RuntimeError when it does not start."""
        self._thread.start()
        if not self._ready.wait(START_LIMIT_S) or not self._server.started:
            raise RuntimeError("the emulator did not start")
        self.base_url = f"http://{self.config.host}:{self._server.port}"

    def stop(self) -> None:
        """End streams and held requests, save, and wait for the thread."""
        if self._loop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._server.end)
        self._thread.join(START_LIMIT_S)

    def _run(self) -> None:
        async def main() -> None:
            self._loop = asyncio.get_running_loop()
            await _serve(self._server, self._ready.set)

        try:
            asyncio.run(main())
        finally:
            self._ready.set()
