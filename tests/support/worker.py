"""A real Celery worker and beat as processes of their own, on the test's database and Redis.

    def test_something(worker: Workers) -> None:
        worker.worker.kill()      # -9, with its children
        worker.worker.start()     # and another one takes over

They see only what is committed, so the fixture brings `transactional_db` along, and they end
before the test's rows are removed. Their output is in `log`, and shown when they do not start.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import pytest
from django.db import connection

from fleetdash.onemachine.programs import tied

ROOT = Path(__file__).resolve().parents[2]
QUEUES = "interactive,drive,checks,housekeeping"
PROCESSES = "2"
READY_LIMIT_S = 120.0
STOP_LIMIT_S = 10.0


def shared_environment() -> dict[str, str]:
    """The variables under which another process works on this test's database and Redis."""
    url = urlsplit(os.environ["DATABASE_URL"])
    name = quote(str(connection.settings_dict["NAME"]))
    return os.environ | {
        "DJANGO_SETTINGS_MODULE": "fleetdash.settings_test",
        "DATABASE_URL": urlunsplit(url._replace(path=f"/{name}")),
        "REDIS_URL": os.environ["REDIS_URL"],
    }


@dataclass
class Background:
    """One process in a session of its own; `ready` is what it prints once it works."""

    name: str
    command: tuple[str, ...]
    ready: str
    folder: Path
    environment: dict[str, str]
    _process: subprocess.Popen[bytes] | None = None
    _starts: int = 0

    @property
    def pid(self) -> int:
        """The main process; its children are in the same process group."""
        assert self._process is not None, f"{self.name} was never started"
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def log(self) -> str:
        """What the process of the last start has said."""
        return self._output().read_text(errors="replace")

    def start(self) -> None:
        """Start it without waiting; see `wait_until_ready`."""
        assert not self.is_running, f"{self.name} runs already"
        self._starts += 1
        with self._output().open("wb") as output:
            # Tied: a run that is killed leaves nobody at work behind.
            self._process = subprocess.Popen(
                tied(self.command),
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_until_ready(self) -> None:
        """Return once it has said that it works; fails with its last words otherwise."""
        deadline = time.monotonic() + READY_LIMIT_S
        while self.ready not in self.log:
            assert self.is_running, f"{self.name} ended:\n{self.log}"
            assert time.monotonic() < deadline, f"{self.name} is not ready:\n{self.log}"
            time.sleep(0.02)

    def kill(self) -> None:
        """-9 for it and its children, as a machine that loses power; returns when they are gone."""
        self._signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()

    def stop(self) -> None:
        """Ask it to end, and make it end when it does not."""
        if not self.is_running:
            return
        assert self._process is not None
        self._process.terminate()
        try:
            self._process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.kill()
        # Children that outlived their parent would work on the next test's rows.
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            return

    def _output(self) -> Path:
        return self.folder / f"{self.name}-{self._starts}.log"


@dataclass
class Workers:
    """A worker, and the beat that sends it the sweeps."""

    folder: Path
    environment: dict[str, str] = field(default_factory=shared_environment)
    worker: Background = field(init=False)
    beat: Background = field(init=False)

    def __post_init__(self) -> None:
        celery = (sys.executable, "-m", "celery", "-A", "fleetdash")
        work = ("worker", "-Q", QUEUES, "--concurrency", PROCESSES, "--loglevel", "INFO")
        schedule = ("--schedule", str(self.folder / "beat-schedule"), "--pidfile", "")
        self.worker = Background(
            name="worker",
            command=(*celery, *work, "--without-gossip", "--without-mingle"),
            ready=" ready.",
            folder=self.folder,
            environment=self.environment,
        )
        self.beat = Background(
            name="beat",
            command=(*celery, "beat", "--loglevel", "INFO", *schedule),
            ready="Scheduler: Sending due task",
            folder=self.folder,
            environment=self.environment,
        )

    def start(self) -> None:
        """Start both and return once both work."""
        for one in (self.worker, self.beat):
            one.start()
        for one in (self.worker, self.beat):
            one.wait_until_ready()

    def stop(self) -> None:
        for one in (self.beat, self.worker):
            one.stop()


@pytest.fixture
def worker(transactional_db: None, redis_client: object) -> Iterator[Workers]:
    """A running worker and beat of this test's own."""
    with tempfile.TemporaryDirectory(prefix="fleetdash-worker-") as folder:
        workers = Workers(Path(folder))
        try:
            workers.start()
            yield workers
        finally:
            workers.stop()
