"""The world in one SQLite file: whole things as JSON, events and ledger rows as rows."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

from emulator.entities import Entry
from emulator.journal import LONGEST_JOURNAL
from emulator.journal import Entry as Request
from emulator.money import dumps, loads

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS things (
  kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
  execution_id TEXT NOT NULL, n INTEGER NOT NULL, at_ms INTEGER NOT NULL, type TEXT NOT NULL,
  data TEXT NOT NULL, PRIMARY KEY (execution_id, n)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ledger (seq INTEGER PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS journal (seq INTEGER PRIMARY KEY, body TEXT NOT NULL);
"""
_ENTRY_FIELDS = [field.name for field in fields(Entry)]

EventRow = tuple[str, int, int, str, str]


class Event(NamedTuple):
    """One frame as it was sent; `data` is JSON."""

    n: int
    at_ms: int
    type: str
    data: str


class Store:
    """Writes in transactions; survives the death of the process at any moment."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        # Enough against the death of the process; only a power cut could lose the last moments.
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=OFF")
        self._db.executescript(_SCHEMA)

    def save(
        self,
        *,
        meta: dict[str, str],
        things: Iterable[tuple[str, str, Any]],
        events: Iterable[EventRow],
        entries: Iterable[Entry],
        requests: Iterable[Request],
    ) -> None:
        """One transaction with everything that changed since the last one."""
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta.items())
        self._db.executemany(
            "INSERT OR REPLACE INTO things VALUES (?, ?, ?)",
            ((kind, thing_id, dumps(vars(thing))) for kind, thing_id, thing in things),
        )
        self._db.executemany("INSERT OR REPLACE INTO events VALUES (?, ?, ?, ?, ?)", events)
        self._db.executemany(
            "INSERT OR REPLACE INTO ledger VALUES (?, ?)",
            (
                (entry.seq, json.dumps([getattr(entry, name) for name in _ENTRY_FIELDS]))
                for entry in entries
            ),
        )
        self._db.executemany(
            "INSERT OR REPLACE INTO journal VALUES (?, ?)",
            ((request.seq, json.dumps(vars(request))) for request in requests),
        )
        self._db.execute("COMMIT")

    def meta(self) -> dict[str, str]:
        return dict(self._db.execute("SELECT name, value FROM meta").fetchall())

    def things(self, kind: str) -> list[dict[str, Any]]:
        rows = self._db.execute("SELECT body FROM things WHERE kind = ?", (kind,))
        return [loads(body) for (body,) in rows]

    def events(self, *, since_ms: int) -> list[EventRow]:
        rows = self._db.execute(
            "SELECT * FROM events WHERE at_ms >= ? ORDER BY execution_id, n", (since_ms,)
        )
        return rows.fetchall()

    def entries(self) -> list[Entry]:
        rows = self._db.execute("SELECT body FROM ledger ORDER BY seq")
        return [Entry(*json.loads(body)) for (body,) in rows]

    def requests(self) -> list[Request]:
        """The journal, oldest first; what is past its bound is forgotten here too."""
        last = "(SELECT coalesce(max(seq), 0) FROM journal)"
        self._db.execute(f"DELETE FROM journal WHERE seq <= {last} - ?", (LONGEST_JOURNAL,))  # noqa: S608 - our own words
        rows = self._db.execute("SELECT body FROM journal ORDER BY seq")
        return [Request(**json.loads(body)) for (body,) in rows]

    def forget_events(self, *, before_ms: int) -> None:
        self._db.execute("DELETE FROM events WHERE at_ms < ?", (before_ms,))

    def clear(self) -> None:
        for table in ("meta", "things", "events", "ledger", "journal"):
            self._db.execute(f"DELETE FROM {table}")  # noqa: S608 - names of our own tables

    def close(self) -> None:
        self._db.close()
