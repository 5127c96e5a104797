"""Where benchmarks run: a throw-away database and Redis, and the product's processes."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import django
import httpx

from bench.machine import children
from fleetdash.onemachine.programs import tied

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = "fleetdash.settings_test"
START_LIMIT_S = 60.0
ACCOUNT_KEY = "sk-tan-emulator-account"


def open_house() -> None:
    """Set Django up on the servers of `fleetdash.embedded run` and empty them.

    Ends the process with a sentence anywhere else: a benchmark removes all rows.
    """
    if not os.environ.get("FLEETDASH_PAIR"):
        raise SystemExit(
            "A benchmark empties its database, so it runs on one of its own: `make bench`, or "
            "`python -m fleetdash.embedded run -- python -m bench NAME`."
        )
    os.environ["DJANGO_SETTINGS_MODULE"] = SETTINGS
    os.environ.setdefault("LOG_LEVEL", "WARNING")
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    empty()


def empty() -> None:
    """Remove all rows and all of Redis."""
    import redis
    from django.core.management import call_command
    from django.utils import timezone

    from fleets.services.event_store import ensure_partitions

    call_command("flush", verbosity=0, interactive=False)
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
        client.flushdb()
    ensure_partitions(timezone.now().date())


@dataclass(frozen=True, slots=True)
class Server:
    """A process that answers at `url`."""

    pid: int
    url: str


@contextmanager
def running(*command: str, ready: str) -> Iterator[tuple[int, str]]:
    """A process and the line of its output in which `ready` stood; it ends with the block."""
    with tempfile.NamedTemporaryFile(prefix="fleetdash-bench-", suffix=".log") as log:
        process = subprocess.Popen(
            tied((sys.executable, "-m", *command)),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            yield process.pid, _wait(process, Path(log.name), ready)
        finally:
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()


def _wait(process: "subprocess.Popen[bytes]", log: Path, ready: str) -> str:
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline and process.poll() is None:
        lines = log.read_text(errors="replace").splitlines()
        if found := next((line for line in lines if ready in line), ""):
            return found
        time.sleep(0.05)
    raise RuntimeError(f"it did not start:\n{log.read_text(errors='replace')}")


@contextmanager
def emulator() -> Iterator[Server]:
    """The platform as a process: nothing fails by chance, no rate limit, machines at once."""
    words = ("--control", "--pace", "fast", "--rate-per-minute", "0", "--failure-share", "0")
    with running("emulator", *words, ready="listening on") as (pid, line):
        server = Server(pid, line.rpartition(" ")[2])
        control(server, "POST", "dials", {"create_time_factor": 0.001})
        yield server


@contextmanager
def web() -> Iterator[Server]:
    """The product's web server as a process."""
    from fleetdash.onemachine.ports import free_port

    port = free_port()
    command = ("uvicorn", "fleetdash.asgi:application", "--host", "127.0.0.1", "--no-access-log")
    with running(*command, "--port", str(port), ready="Uvicorn running on") as (pid, _):
        yield Server(pid, f"http://127.0.0.1:{port}")


@contextmanager
def workers(processes: int = 2) -> Iterator[dict[str, int]]:
    """A Celery worker and the beat; their process ids by name."""
    app = ("celery", "-A", "fleetdash")
    words = ("-Q", "interactive,drive,housekeeping", "--concurrency", str(processes))
    quiet = ("--without-gossip", "--without-mingle", "--loglevel", "INFO")
    with (
        tempfile.TemporaryDirectory(prefix="fleetdash-bench-") as folder,
        running(*app, "worker", *words, *quiet, ready=" ready.") as (worker, _),
        running(
            *app, "beat", "--schedule", f"{folder}/beat", "--pidfile", "", "--loglevel", "INFO",
            ready="beat: Starting",
        ) as (beat, _),
    ):  # fmt: skip
        yield {"worker": worker, "beat": beat}


def control(server: Server, method: str, path: str, body: Any = None) -> Any:
    """One call of the emulator's control API."""
    answer = httpx.request(method, f"{server.url}/_emulator/{path}", json=body, timeout=60)
    answer.raise_for_status()
    return answer.json()


def server_pids() -> dict[str, int]:
    """The process ids of Postgres (its postmaster) and Valkey."""
    from fleetdash.onemachine.leftovers import working_in

    folder = Path(os.environ["FLEETDASH_PAIR"])
    found = {}
    for name in ("postgres", "valkey"):
        pids = set(working_in(folder / name))
        below = {child for pid in pids for child in children(pid)}
        found[name] = min(pids - below)
    return found
