"""One account's whole world: what exists, what happens next, and what is kept on disk."""

import asyncio
import hashlib
import threading
from collections import deque
from typing import Any

from emulator.beats import Beat
from emulator.clock import Clock
from emulator.config import Config
from emulator.dials import Dials
from emulator.entities import Dispatch, Execution, Fleet, Key, Machine, Session, Spawner
from emulator.faults import Faults
from emulator.host_shell import HostShell
from emulator.ids import digest
from emulator.journal import Journal
from emulator.kept import Batch, RouterCall, SavedProfile, Secret
from emulator.ledger import Ledger
from emulator.money import dumps
from emulator.restore import restore
from emulator.scheduler import Scheduler
from emulator.scripts import Plan
from emulator.store import Event, EventRow, Store

SAVE_EVERY_S = 0.25
Thing = (
    Fleet
    | Machine
    | Session
    | Execution
    | Dispatch
    | Spawner
    | Secret
    | SavedProfile
    | Batch
    | RouterCall
)


class World:
    """All state. Handlers and beats run in one loop under `lock`; take it to read elsewhere."""

    def __init__(self, config: Config, *, clock: Clock | None = None) -> None:
        self.config = config
        self.lock = threading.RLock()
        self.clock = clock or Clock()
        self.scheduler = Scheduler(self.clock)
        self.journal = Journal()
        self.faults = Faults(config.seed)
        self.dials = Dials.of(config)
        self.stopping = asyncio.Event()
        self.host = None if config.exec_root is None else HostShell(config.exec_root)
        self._store = Store(config.state) if config.state is not None else None
        self._empty()
        if self._store is None or not restore(self, self._store):
            self._begin()

    def _empty(self) -> None:
        self.ledger = Ledger()
        self.keys_by_hash: dict[str, str] = {}
        self.fleets: dict[str, Fleet] = {}
        self.machines: dict[str, Machine] = {}
        self.sessions: dict[str, Session] = {}
        self.executions: dict[str, Execution] = {}
        self.dispatches: dict[str, Dispatch] = {}
        self.spawners: dict[str, Spawner] = {}
        self.secrets: dict[str, Secret] = {}
        self.profiles: dict[str, SavedProfile] = {}
        self.batches: dict[str, Batch] = {}
        self.router_calls: dict[str, RouterCall] = {}
        self.calls_by_key: dict[str, deque[int]] = {}
        self.fleets_by_idempotency: dict[str, str] = {}
        self.machines_by_idempotency: dict[str, str] = {}
        self.batches_by_idempotency: dict[str, str] = {}
        self.sessions_by_machine: dict[str, list[str]] = {}
        self.events: dict[str, deque[Event]] = {}
        self.scripts: dict[str, tuple[Plan, list[Beat]]] = {}
        self.arrivals: deque[int] = deque()
        self._signals: dict[str, asyncio.Event] = {}
        self._dirty: dict[tuple[str, str], Any] = {}
        self._new_events: list[EventRow] = []

    def _begin(self) -> None:
        secret = self.config.account_key
        account = Key(
            id="key-account",
            secret_hash=hash_secret(secret),
            prefix=secret[:10],
            name="account",
            parent_id=None,
            created_ms=self.now_ms(),
        )
        self.ledger.load(account)
        self.ledger.dirty_keys.add(account.id)
        self.keys_by_hash[account.secret_hash] = account.id

    def reset(self) -> None:
        """As if just started, on the same file, with the same seed; the dials go back too."""
        self.scheduler.clear()
        if self.host is not None:
            self.host.clear()
        self.faults.clear()
        self.faults = Faults(self.config.seed)
        self.journal.clear()
        self.dials = Dials.of(self.config)
        if self._store is not None:
            self._store.clear()
        self._empty()
        self._begin()

    # Reading

    def now_ms(self) -> int:
        return self.clock.now_ms()

    @property
    def account(self) -> Key:
        return self.ledger.keys[self.ledger.account_id]

    def key_of(self, machine: Machine) -> Key:
        """The key that pays for the machine's time."""
        return self.ledger.keys[machine.key_id or self.fleets[machine.fleet_id].key_id]

    def machines_of(self, fleet: Fleet) -> list[Machine]:
        return [self.machines[one] for one in fleet.machine_ids]

    # Writing

    def touch(self, thing: Thing) -> None:
        """Say that the thing changed, so that it is saved."""
        self._dirty[(type(thing).__name__.lower(), thing.id)] = thing

    def append_event(self, execution: Execution, *, kind: str, body: dict[str, Any]) -> None:
        """Add a frame to the execution's stream; ids count from 1 (contract 3.5)."""
        execution.events += 1
        at_ms = self.now_ms()
        data = dumps({**body, "sandboxId": execution.sandbox_id})
        event = Event(execution.events, at_ms, kind, data)
        self.events.setdefault(execution.id, deque()).append(event)
        session = self.sessions[execution.session_key]
        session.last_event_ms = at_ms
        self.touch(session)
        if self._store is not None:
            self._new_events.append((execution.id, *event))
        signal = self._signals.pop(execution.id, None)
        if signal is not None:
            signal.set()

    def signal_of(self, execution_id: str) -> asyncio.Event:
        """Set at the execution's next frame or end."""
        return self._signals.setdefault(execution_id, asyncio.Event())

    def waiting(self) -> int:
        """How many things somebody waits for."""
        return len(self._signals)

    def wake_readers(self, execution_id: str) -> None:
        signal = self._signals.pop(execution_id, None)
        if signal is not None:
            signal.set()

    def prune_events(self, execution_id: str) -> bool:
        """Drop what is past the buffer (contract 10, row 14); True when something was dropped."""
        buffer = self.events.get(execution_id)
        execution = self.executions[execution_id]
        oldest_ms = self.now_ms() - int(self.dials.event_retention_s * 1000)
        while buffer and buffer[0].at_ms < oldest_ms:
            buffer.popleft()
        first = buffer[0].n if buffer else execution.events + 1
        return first > 1 and execution.events > 0

    # Keeping

    def save(self) -> None:
        """Write what changed to the state file, if there is one."""
        with self.lock:
            requests = self.journal.take_unsaved()
            if self._store is None:
                self._dirty.clear()
                self.ledger.dirty_keys.clear()
                self.ledger.dirty_entries.clear()
                return
            ledger = self.ledger
            changed = self._dirty or ledger.dirty_keys or self._new_events or requests
            if not (changed or ledger.is_metering):
                return
            things: list[tuple[str, str, Any]] = [
                (kind, thing_id, thing) for (kind, thing_id), thing in self._dirty.items()
            ]
            things += [("key", key_id, ledger.keys[key_id]) for key_id in ledger.dirty_keys]
            entries = [ledger.entries[seq - 1] for seq in sorted(ledger.dirty_entries)]
            self._store.save(
                meta={"saved_ms": str(self.now_ms()), "seed": str(self.config.seed)},
                things=things,
                events=self._new_events,
                entries=entries,
                requests=requests,
            )
            self._dirty.clear()
            self._new_events.clear()
            ledger.dirty_keys.clear()
            ledger.dirty_entries.clear()

    def stop(self) -> None:
        """End whatever waits: streams, pauses and held requests."""
        self.stopping.set()
        for signal in self._signals.values():
            signal.set()

    def close(self) -> None:
        if self._store is not None:
            self.save()
            self._store.close()
            self._store = None


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def body_digest(body: object) -> str:
    """What tells two requests under one idempotency key apart."""
    return digest(dumps(body))
