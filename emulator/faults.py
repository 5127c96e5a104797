"""Faults on demand, matched by operation, deterministic whatever the order of requests."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from emulator.contract import OPERATIONS
from emulator.errors import bad_request
from emulator.ids import rng_for

KINDS = {
    "latency": "answers after `latencyMs`",
    "error": "answers `status` (default 502) without doing anything",
    "rate_limit": "answers 429 with `retryAfter` seconds (default 1) without doing anything",
    "reset": "closes the connection without an answer and without doing anything",
    "truncate": "does it, then cuts the answer or stream after `afterBytes` (default: half)",
    "timed_out_but_happened": "does it, then holds the connection `latencyMs` (default 60000) and "
    "closes it without the answer",
    "stall_stream": "sends the first `afterEvents` events of a stream (default 1), then nothing "
    "more, on an open connection",
    "drop_event": "leaves events of a stream out: the one whose id is `event`, or each with chance "
    "`share` (default 0.2)",
    "duplicate_event": "sends such events twice",
    "reorder_event": "sends such events after the one that follows them",
    "out_of_memory": "does it, and an agent dies of memory: a dispatched turn's own in its first "
    "model call, else the one that runs in the session or sandbox named by the path",
    "hold_until_released": "writes the request down and answers only once released through "
    "control, whatever other fault is set; `when` is `before` (default) or `after` doing it",
}


@dataclass
class Fault:
    """`count` None = always; `skip` requests that match are let through first."""

    id: str
    operation: str
    kind: str
    match: str | None = None
    probability: float = 1.0
    count: int | None = None
    skip: int = 0
    latency_ms: int | None = None
    status: int = 502
    retry_after: int = 1
    after_bytes: int | None = None
    when: str = "before"
    event: int | None = None
    share: float = 0.2
    after_events: int = 1
    hits: int = 0
    seen: Counter[str] = field(default_factory=Counter)

    def view(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "operation": self.operation,
            "kind": self.kind,
            "match": self.match,
            "count": self.count,
            "hits": self.hits,
        }


class Held:
    """A request that waits for control; `drop` closes it without doing anything."""

    def __init__(self, *, fault_id: str, seq: int) -> None:
        self.fault_id = fault_id
        self.seq = seq
        self.released = asyncio.Event()
        self.drop = False


class Faults:
    """The faults that are set and the requests that are held."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._count = 0
        self.active: list[Fault] = []
        self.held: list[Held] = []

    def add(self, spec: dict[str, Any]) -> Fault:
        """A fault of the fields that control checked."""
        if spec["operation"] not in {"*", "unknown", *(one.name for one in OPERATIONS)}:
            raise bad_request("operation must be the name of one, or *.", field="operation")
        if spec["kind"] not in KINDS:
            raise bad_request(f"kind must be one of {', '.join(KINDS)}.", field="kind")
        if spec.get("when", "before") not in ("before", "after"):
            raise bad_request("when must be before or after.", field="when")
        self._count += 1
        fault = Fault(f"fault-{self._count}", spec["operation"], spec["kind"])
        names = {
            "match": "match",
            "probability": "probability",
            "count": "count",
            "skip": "skip",
            "latencyMs": "latency_ms",
            "status": "status",
            "retryAfter": "retry_after",
            "afterBytes": "after_bytes",
            "when": "when",
            "event": "event",
            "share": "share",
            "afterEvents": "after_events",
        }
        for wire, name in names.items():
            if wire in spec:
                value = spec[wire]
                setattr(fault, name, float(value) if wire in ("probability", "share") else value)
        # Whoever waits for a request to be held must not miss it for another fault's sake.
        place = 0 if fault.kind == "hold_until_released" else len(self.active)
        self.active.insert(place, fault)
        return fault

    def pick(self, operation: str, *, path: str, identity: str) -> Fault | None:
        """The first fault that strikes this request.

        Chance depends on the request's identity (path, idempotency key or turn) and on how often
        that same request came, not on what other requests did.
        """
        for fault in self.active:
            if fault.operation not in (operation, "*") or (fault.match or "") not in path:
                continue
            fault.seen[identity] += 1
            if fault.skip > 0:
                fault.skip -= 1
                continue
            if fault.count is not None and fault.hits >= fault.count:
                continue
            chance = rng_for(self._seed, fault.id, operation, identity, fault.seen[identity])
            if chance.random() < fault.probability:
                fault.hits += 1
                return fault
        return None

    def clear(self, fault_id: str | None = None) -> int:
        """Remove one fault, or all, and release what they hold."""
        before = len(self.active)
        self.active = [one for one in self.active if fault_id not in (None, one.id)]
        self.release(fault_id)
        return before - len(self.active)

    def release(
        self, fault_id: str | None = None, *, seq: int | None = None, drop: bool = False
    ) -> int:
        """Let held requests go on; the number released."""
        chosen = [
            held
            for held in self.held
            if fault_id in (None, held.fault_id) and seq in (None, held.seq)
        ]
        for held in chosen:
            held.drop = drop
            held.released.set()
        self.held = [held for held in self.held if held not in chosen]
        return len(chosen)
