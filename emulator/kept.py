"""What the account keeps beside its fleets: secrets, profiles, batches, calls to the router."""

from dataclasses import dataclass, field
from typing import Any

JsonObject = dict[str, Any]


@dataclass
class Secret:
    """A secret by its name, which is also the variable that machines see; times in ms."""

    id: str
    value: str
    created_ms: int
    updated_ms: int
    is_deleted: bool = False


@dataclass
class SavedProfile:
    """A profile of the catalog; `revisions` are `{revision, profile, atMs}`, oldest first."""

    id: str
    revisions: list[JsonObject] = field(default_factory=list)
    is_deleted: bool = False


@dataclass
class Batch:
    """Tasks times backends under one key (contract 7); each item is JSON, see `emulator.batches`.

    `machines` are `[sandbox id, backend id]`; `events` are what its stream said so far, as
    `[type, data]`.
    """

    id: str
    key_id: str
    idempotency_key: str | None
    body_digest: str
    items: list[JsonObject]
    machines: list[list[str]]
    is_persistent: bool
    created_ms: int
    status: str = "running"
    ended_ms: int | None = None
    events: list[list[Any]] = field(default_factory=list)


@dataclass
class RouterCall:
    """A call that came to the router by itself, while it is under way; amounts in nanodollars."""

    id: str
    key_id: str
    held_nusd: int
    held_ms: int
    cost_nusd: int
    due_ms: int
    is_settled: bool = False
