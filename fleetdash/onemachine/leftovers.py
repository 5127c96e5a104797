"""Finds processes of ours that outlived their supervisor, and ends them.

A process is ours when its environment names this data folder, or when it works inside it. A number
in a pid file alone proves nothing: the number may belong to somebody else by now.
"""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

MARK = "FLEETDASH_SUPERVISED"
_STEP_S = 0.05
_PROC = Path("/proc")


def marked(data: Path) -> dict[str, str]:
    """The variable that every process started for `data` carries."""
    return {MARK: str(data.resolve())}


def find(data: Path) -> list[int]:
    """The pids of all living processes of `data` other than the caller's own line of ancestors."""
    spared = set(_ancestors())
    return [pid for pid in _candidates(data.resolve()) if pid not in spared]


def working_in(folder: Path) -> list[int]:
    """The pids of the servers whose working folder is `folder`."""
    return [pid for pid in _all_pids() if _works_in(pid, folder.resolve())]


def stop(pids: list[int], *, grace_s: float) -> list[int]:
    """Ask `pids` to end, then insist; returns those that are still alive after that."""
    _signal_all(pids, signal.SIGTERM)
    left = _wait(pids, grace_s)
    _signal_all(left, signal.SIGKILL)
    return _wait(left, 5)


def alive(pid: int) -> bool:
    """Whether `pid` runs; one that has ended and only waits to be collected does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return not Path("/proc/self/stat").exists()
    return state != "Z"


def _candidates(data: Path) -> Iterator[int]:
    if (_PROC / "self").exists():
        mark = f"{MARK}={data}".encode()
        servers = [data / "postgres", data / "valkey"]
        for pid in _all_pids():
            if mark in _environment(pid) or any(_works_in(pid, server) for server in servers):
                yield pid
        return
    listing = subprocess.run(
        ["/bin/ps", "-axEww", "-o", "pid=,command="], capture_output=True, text=True, check=False
    )
    for line in listing.stdout.splitlines():
        if f"{MARK}={data} " in f"{line} ":
            yield int(line.split()[0])


def _all_pids() -> Iterator[int]:
    for entry in _PROC.iterdir() if _PROC.is_dir() else ():
        if entry.name.isdigit() and alive(int(entry.name)):
            yield int(entry.name)


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _works_in(pid: int, folder: Path) -> bool:
    try:
        return Path(os.readlink(f"/proc/{pid}/cwd")) == folder
    except OSError:
        return False


def _ancestors() -> Iterator[int]:
    pid = os.getpid()
    while pid > 1:
        yield pid
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return


def _signal_all(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def _wait(pids: list[int], limit_s: float) -> list[int]:
    deadline = time.monotonic() + limit_s
    left = [pid for pid in pids if alive(pid)]
    while left and time.monotonic() < deadline:
        time.sleep(_STEP_S)
        left = [pid for pid in left if alive(pid)]
    return left
