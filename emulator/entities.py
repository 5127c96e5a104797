"""The world's things. Plain dataclasses of JSON values, so that the store can keep them whole."""

from dataclasses import dataclass, field
from typing import Any

JsonObject = dict[str, Any]


@dataclass
class Key:
    """A platform key with its figures; every amount in nanodollars (contract 5).

    Its running machines are paid up to `metered_ms`, but for `metered_rest` thousandths.
    """

    id: str
    secret_hash: str
    prefix: str
    name: str
    parent_id: str | None
    created_ms: int
    product: str | None = None
    project_id: str | None = None
    budget_nusd: int | None = None
    allowed_models: list[str] | None = None
    rpm_limit: int | None = None
    expires_ms: int | None = None
    last_used_ms: int | None = None
    revoked_ms: int | None = None
    spent_nusd: int = 0
    own_spent_nusd: int = 0
    held_nusd: int = 0
    reserved_nusd: int = 0
    reservation_nusd: int = 0
    outside_nusd: int = 0
    rate_nusd_per_s: int = 0
    metered_ms: int = 0
    metered_rest: int = 0


@dataclass
class Machine:
    """One sandbox. `fleet_id` is empty for one of no fleet; `key_id` pays for its time.

    `paused_ms` is time that passed while the emulator was down, `ran_ms` how long it ran before
    `running_ms`, when it began to run last.
    """

    id: str
    fleet_id: str
    machine_id: str
    role: str
    name: str
    resources: JsonObject
    metadata: JsonObject
    backend: JsonObject | None
    lifetime_s: int
    idle_s: int
    created_ms: int
    status: str = "pending"
    due_ms: int | None = None
    started_ms: int | None = None
    activity_ms: int | None = None
    paused_ms: int = 0
    error: str | None = None
    deleting: bool = False
    key_id: str = ""
    env: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    idempotency_key: str | None = None
    body_digest: str = ""
    ran_ms: int = 0
    running_ms: int | None = None
    warm: bool = False
    first_execution_id: str | None = None
    wanted: JsonObject = field(default_factory=dict)
    batch_id: str = ""


@dataclass
class Fleet:
    """A fleet record; `machine_ids` are sandbox ids in the order they were asked for."""

    id: str
    key_id: str
    created_ms: int
    parent: JsonObject | None
    policy: JsonObject
    metadata: JsonObject
    concurrent_creates: int
    cleanup_on_failure: bool
    idempotency_key: str | None
    body_digest: str
    machine_ids: list[str] = field(default_factory=list)
    status: str = "provisioning"
    deletion_confirmed: bool = False


@dataclass
class Dispatch:
    """A command that was run on machines of a fleet, with its results."""

    id: str
    fleet_id: str
    results: list[JsonObject]


@dataclass
class Spawner:
    """A process in a machine that goes on without the turn that began it.

    `refused` counts rounds in which nothing was admitted, one after the other.
    """

    id: str
    execution_id: str
    sandbox_id: str
    session_id: str
    fleet_id: str
    key_id: str
    model: str
    output_limit: int | None
    children: int
    every_ms: int
    due_ms: int
    is_running: bool = True
    rounds: int = 0
    calls: int = 0
    made: int = 0
    refused: int = 0
    held_nusd: int | None = None
    held_ms: int | None = None


@dataclass
class Session:
    """A conversation on one machine; `id` is `<sandbox id>/<session id>`."""

    id: str
    session_id: str
    sandbox_id: str
    native_id: str
    created_ms: int
    execution_ids: list[str] = field(default_factory=list)
    active_execution_id: str | None = None
    last_event_ms: int | None = None
    context_tokens: int = 0
    interactions: list[JsonObject] = field(default_factory=list)


@dataclass
class Execution:
    """One admitted turn."""

    id: str
    session_key: str
    session_id: str
    sandbox_id: str
    turn_id: str
    key_id: str
    trace_id: str
    prompt: str
    harness: str
    model: str
    provider: str
    source: str
    profile: JsonObject | None
    output_limit: int | None
    timeout_ms: int | None
    deadline_ms: int | None
    request_id: str
    request_digest: str
    time_factor: float
    failure_share: float
    context_tokens: int
    started_ms: int
    outside: bool = False
    attached: bool = False
    doom: str | None = None
    memory_mib: int = 0
    waiting: JsonObject | None = None
    status: str = "running"
    cursor: int = 0
    due_ms: int = 0
    ended_ms: int | None = None
    events: int = 0
    held_nusd: int | None = None
    held_ms: int | None = None
    call: int = 0
    cost_nusd: int = 0
    fresh_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    said: str = ""
    thought: str = ""
    error: str | None = None
    error_code: str | None = None
    tools: list[JsonObject] = field(default_factory=list)
    knows: list[str] = field(default_factory=list)
    asked_model: str = ""

    def __post_init__(self) -> None:
        # The store reads every fraction as a Decimal.
        self.time_factor = float(self.time_factor)
        self.failure_share = float(self.failure_share)


@dataclass
class Entry:
    """One row. `until_ms` ends a compute row; `held_ms` is when a settled call was admitted."""

    seq: int
    at_ms: int
    key_id: str
    kind: str
    amount_nusd: int
    ref: str = ""
    until_ms: int | None = None
    held_ms: int | None = None
    outside_of: str | None = None
