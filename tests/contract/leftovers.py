"""What a test leaves open in this process: threads, sockets, connections of the database."""

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from django.db import connections

# The emulator in this process closes its side of a connection a moment after the client did.
GRACE_S = 30.0
DESCRIPTORS = Path("/proc/self/fd")


@dataclass(frozen=True, slots=True)
class Open:
    """What is open now. Sockets by the system's own number, threads by theirs."""

    threads: frozenset[str]
    sockets: frozenset[str]
    databases: frozenset[str]

    def beyond(self, before: "Open") -> list[str]:
        """What was not there before."""
        return [
            *sorted(self.threads - before.threads),
            *sorted(self.sockets - before.sockets),
            *sorted(self.databases - before.databases),
        ]


def opened() -> Open:
    """Everything that is open at this moment."""
    return Open(
        threads=frozenset(f"{one.name} {one.ident}" for one in threading.enumerate()),
        sockets=frozenset(_sockets()),
        databases=frozenset(
            f"database {one.alias}"
            for one in connections.all(initialized_only=True)
            if one.connection is not None
        ),
    )


def left_after(before: Open, *, grace_s: float = GRACE_S) -> list[str]:
    """What is still open that was not there before, after a moment of grace."""
    ends = time.monotonic() + grace_s
    while (left := opened().beyond(before)) and time.monotonic() < ends:
        time.sleep(0.005)
    return left


def _sockets() -> set[str]:
    if not DESCRIPTORS.is_dir():
        return set()  # only Linux tells them
    found = set()
    for number in os.listdir(DESCRIPTORS):
        try:
            target = os.readlink(DESCRIPTORS / number)
        except OSError:
            continue  # the descriptor of this very listing
        if target.startswith("socket:"):
            found.add(target)
    return found
