"""What arrived: every request in order, bounded, with keys masked.

With a state file it is kept there: what was admitted before a death of the process is known after.
"""

import asyncio
import re
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

LONGEST_JOURNAL = 50_000
LONGEST_BODY = 2_000
# Fields of bodies whose values are nobody's business.
_HIDDEN = re.compile(r'("(?:value|token|apiKey)"\s*:\s*)"(?:[^"\\]|\\.)*"?')
_RAW_KEY = re.compile(r"(sk-[A-Za-z0-9-]*?)[A-Za-z0-9_]{6,}(?![A-Za-z0-9_])")


def mask(text: str) -> str:
    """The text with everything that looks like a key cut short."""
    return _RAW_KEY.sub(r"\1…", text)


@dataclass
class Entry:
    """One request. `status` is None until, and unless, an answer was sent."""

    seq: int
    at_ms: int
    operation: str
    method: str
    path: str
    idempotency_key: str | None
    body: str
    key_id: str | None = None
    ids: dict[str, str] = field(default_factory=dict)
    status: int | None = None
    admitted: bool | None = None
    execution_id: str | None = None
    fault: str | None = None

    def view(self) -> dict[str, Any]:
        return {
            "seq": self.seq,
            "atMs": self.at_ms,
            "operation": self.operation,
            "method": self.method,
            "path": self.path,
            "keyId": self.key_id,
            "idempotencyKey": self.idempotency_key,
            **{name: mask(value) for name, value in self.ids.items()},
            "status": self.status,
            "admitted": self.admitted,
            "executionId": self.execution_id,
            "fault": self.fault,
            "body": self.body,
        }


class Journal:
    """The latest requests and how many of each operation there were in all."""

    def __init__(self) -> None:
        self.entries: deque[Entry] = deque(maxlen=LONGEST_JOURNAL)
        self.counts: Counter[str] = Counter()
        self._seq = 0
        self._unsaved: dict[int, Entry] = {}
        self._changed = asyncio.Event()

    def begin(
        self, *, at_ms: int, operation: str, method: str, path: str, headers: Any, body: bytes
    ) -> Entry:
        """Write a request down as it arrives, before anything is done about it."""
        self._seq += 1
        text = mask(_HIDDEN.sub(r'\1"…"', body[:LONGEST_BODY].decode(errors="replace")))
        entry = Entry(
            self._seq,
            at_ms,
            operation,
            method,
            mask(path),
            mask(headers["idempotency-key"]) if "idempotency-key" in headers else None,
            text,
        )
        self.entries.append(entry)
        self.touch(entry)
        self.counts[operation] += 1
        self._changed.set()
        return entry

    def clear(self) -> None:
        self.entries.clear()
        self.counts.clear()
        self._unsaved.clear()

    def touch(self, entry: Entry) -> None:
        """Say that the entry changes, so that it is saved."""
        self._unsaved[entry.seq] = entry

    def take_unsaved(self) -> list[Entry]:
        """What came or changed since the last time."""
        found = list(self._unsaved.values())
        self._unsaved.clear()
        return found

    def load(self, entries: Iterable[Entry]) -> None:
        """Begin with these, oldest first; the next one is numbered after them."""
        for entry in entries:
            self.entries.append(entry)
            self.counts[entry.operation] += 1
            self._seq = entry.seq

    def view(self, *, since: int, operation: str | None) -> list[dict[str, Any]]:
        """Entries after `since` (a seq), oldest first."""
        return [
            entry.view()
            for entry in self.entries
            if entry.seq > since and operation in (None, entry.operation)
        ]

    async def wait_for(self, operation: str, *, count: int, timeout_s: float) -> bool:
        """True once `count` requests of the operation have arrived, False after the timeout."""
        try:
            async with asyncio.timeout(timeout_s):
                while self.counts[operation] < count:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True
