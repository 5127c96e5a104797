"""One `make up` per data folder: who holds it, and how another shell ends that."""

import fcntl
import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fleetdash.onemachine.plan import Plan
from fleetdash.onemachine.refusals import Refusal, explained

_STEP_S = 0.1


@contextmanager
def hold(plan: Plan) -> Iterator[None]:
    """Keep the data folder for this process; raises `Refusal` when another has it.

    The lock is the kernel's and ends with the process, however it ends.
    """
    path = plan.data / "up.lock"
    with explained(plan.data):
        lock = path.open("a+", encoding="utf-8")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            where = holder(plan.data).get("url", "another address")
            raise Refusal(
                f"Fleetdash already runs on {plan.data} at {where}: `make down` stops it."
            ) from error
        lock.truncate(0)
        lock.write(json.dumps({"pid": os.getpid(), "url": plan.base_url}))
        lock.flush()
        try:
            yield
        finally:
            lock.truncate(0)


def is_held(data: Path) -> bool:
    """Whether a `make up` runs on `data` now."""
    try:
        with (data / "up.lock").open("r", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def holder(data: Path) -> dict[str, str]:
    """`pid` and `url` of the one that holds `data`; empty when it has not said."""
    try:
        told = json.loads((data / "up.lock").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): str(value) for name, value in told.items()}


def end(data: Path, *, limit_s: float) -> bool:
    """Ask the holder of `data` to stop, and wait; whether it did."""
    pid = holder(data).get("pid")
    if pid:
        os.kill(int(pid), signal.SIGTERM)
    deadline = time.monotonic() + limit_s
    while is_held(data) and time.monotonic() < deadline:
        time.sleep(_STEP_S)
    return not is_held(data)
