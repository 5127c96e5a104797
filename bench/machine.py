"""What a figure depends on: the machine, its load, and the CPU time that each process used."""

import os
import platform
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_UTIME = 11  # of /proc/PID/stat after the name; then stime, cutime, cstime
_PARENT = 1


def describe() -> str:
    """One line for the head of a table: machine, load, versions and date."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC · {_processor()}, {os.cpu_count()} cores · "
        f"load {load} · Python {platform.python_version()}"
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return " ".join(line.partition(":")[2].split())
    return platform.machine()


def cpu_s(pid: int) -> float:
    """CPU seconds of a process and everything below it, ended children included."""
    stats = _all_stats()
    below: dict[int, list[int]] = defaultdict(list)
    for other, fields in stats.items():
        below[int(fields[_PARENT])].append(other)
    ticks, waiting = 0, [pid]
    while waiting:
        one = waiting.pop()
        waiting += below[one]
        ticks += sum(int(value) for value in stats.get(one, ["0"] * 20)[_UTIME : _UTIME + 4])
    return ticks / _TICKS_PER_S


def memory_mb(pid: int) -> float:
    """Resident memory of one process in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * _PAGE_BYTES / 1e6


def peak_memory_mb(pid: int) -> float:
    """The most a process has had resident, in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1e3
    return 0.0


def children(pid: int) -> list[int]:
    """The processes started by one."""
    return [other for other, fields in _all_stats().items() if int(fields[_PARENT]) == pid]


def _all_stats() -> dict[int, list[str]]:
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                text = (folder / "stat").read_text()
            except OSError:
                continue
            found[int(folder.name)] = text.rpartition(")")[2].split()
    return found


@dataclass
class Meter:
    """CPU seconds by name from `start` on."""

    pids: dict[str, int]
    began: dict[str, float]

    @classmethod
    def start(cls, **pids: int) -> Self:
        return cls(pids, {name: cpu_s(pid) for name, pid in pids.items()})

    def read(self) -> dict[str, float]:
        """What each has used since."""
        return {name: cpu_s(pid) - self.began[name] for name, pid in self.pids.items()}
