"""What the client hands out: frozen values, USD as Decimal, None where the platform is silent."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from fleets.platform_api.answers.interactions import Interaction
from fleets.platform_api.secret import Secret
from fleets.platform_api.sse import StreamEvent

__all__ = [
    "AbortAnswer", "BaseUrls", "EventRead", "FleetDeletion", "FleetPage", "FleetRow", "KeyMinted",
    "KeyRotated", "KeyRow", "MachineOutcome", "MachineRow", "Receipt", "SandboxDeletion",
    "SandboxRow", "Secret", "SessionPage", "SessionRow", "SessionState", "StreamEvent",
    "TokenUsage", "ToolCall", "TurnResult",
]  # fmt: skip

Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BaseUrls:
    """The three hosts of contract 1.1, without the `/v1` that begins every path."""

    sandbox: str
    id: str
    router: str

    def __post_init__(self) -> None:
        for name in ("sandbox", "id", "router"):
            base = getattr(self, name).rstrip("/")
            object.__setattr__(self, name, base.removesuffix("/v1"))


@dataclass(frozen=True, slots=True)
class KeyMinted:
    """A new key; its value is answered once and never again (contract 5)."""

    id: str
    key: Secret
    name: str
    budget_usd: Decimal | None


@dataclass(frozen=True, slots=True)
class KeyRotated:
    """What took a key's place; the new key's id is None where only its value was answered."""

    new_key_id: str | None
    key: Secret
    revoked_key_id: str


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A key's ledger (contract 5, 10 rows 16 and 30). `reserved_usd` is held for child keys."""

    id: str
    name: str | None
    parent_key_id: str | None
    budget_usd: Decimal | None
    spent_usd: Decimal | None
    reserved_usd: Decimal | None
    remaining_usd: Decimal | None
    revoked_at: datetime | None
    created_at: datetime | None
    raw: Raw = field(repr=False, compare=False)
    prefix: str | None = None
    product: str | None = None
    project_id: str | None = None
    allowed_models: tuple[str, ...] | None = None
    rpm_limit: int | None = None
    expires_at: datetime | None = None
    last_used_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class MachineRow:
    """One machine of a fleet; `status` is the platform's word, known or not (contract 2.3)."""

    machine_id: str
    sandbox_id: str | None
    role: str | None
    status: str
    resources: Raw
    error: str | None
    metadata: Raw


@dataclass(frozen=True, slots=True)
class FleetRow:
    """A fleet as the platform has it (contract 10 rows 1 and 2)."""

    fleet_id: str
    status: str
    parent: Raw | None
    metadata: Raw
    machines: tuple[MachineRow, ...]
    created_at: datetime | None
    raw: Raw = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class FleetPage:
    """Some of the account's fleets; `total` is None when it was not told."""

    fleets: tuple[FleetRow, ...]
    total: int | None


@dataclass(frozen=True, slots=True)
class MachineOutcome:
    """What a delete says of one machine."""

    machine_id: str
    outcome: str
    error: str | None = None


@dataclass(frozen=True, slots=True)
class FleetDeletion:
    """`status` is `deleted` once nothing of the tree remains, else `deleting` (row 5)."""

    fleet_id: str
    status: str
    machines: tuple[MachineOutcome, ...]

    @property
    def is_done(self) -> bool:
        return self.status == "deleted"


@dataclass(frozen=True, slots=True)
class SandboxRow:
    """A sandbox (contract 2.3); its connection token is never kept.

    `environment`, the size and the runtime's address are read in the old words too. `edge_error`:
    why the address cannot be reached from outside.
    """

    sandbox_id: str
    name: str | None
    status: str
    machine_id: str | None
    error: str | None
    metadata: Raw
    resources: Raw
    created_at: datetime | None
    started_at: datetime | None
    last_activity_at: datetime | None
    expires_at: datetime | None
    raw: Raw = field(repr=False, compare=False)
    environment: str | None = None
    region: str | None = None
    cpu_cores: Decimal | None = None
    memory_mb: int | None = None
    disk_gb: int | None = None
    runtime_url: str | None = None
    edge_status: str | None = None
    edge_error: str | None = None


@dataclass(frozen=True, slots=True)
class SandboxDeletion:
    """`outcome`: destroyed, already_absent, unknown, or what the platform says (2.1)."""

    sandbox_id: str
    outcome: str


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens as `result` groups them: input includes cache reads, output includes reasoning."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    reasoning_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """The answer to a detached dispatch (contract 3.3, 10 row 13)."""

    session_id: str
    execution_id: str | None
    status: str
    dispatched: bool
    already_existed: bool
    run_control_ref: Raw | None = field(default=None, repr=False, compare=False)

    @property
    def admitted(self) -> bool:
        """Whether this turn runs or ran; False: another turn is active and nothing was started."""
        return self.dispatched or self.already_existed

    @property
    def active_execution_id(self) -> str | None:
        """What kept this turn out; None for one that was admitted."""
        return None if self.admitted else self.execution_id


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One row of a machine's session list, the driver's main read (contract 10 row 12a)."""

    session_id: str
    status: str
    active_execution_id: str | None
    latest_execution_id: str | None
    latest_turn_id: str | None
    trace_id: str | None
    last_event_at: datetime | None
    failure_reason: str | None
    failure_code: str | None
    token_usage: TokenUsage | None
    cost_usd: Decimal | None


@dataclass(frozen=True, slots=True)
class SessionPage:
    """Some of a sandbox's sessions; `total` is None when it was not told."""

    sessions: tuple[SessionRow, ...]
    total: int | None


@dataclass(frozen=True, slots=True)
class SessionState:
    """One session in full (contract 3.1, 3.4); `status` is the platform's word."""

    session_id: str | None
    status: str
    active_execution_id: str | None
    latest_execution_id: str | None
    latest_turn_id: str | None
    terminal_reason: str | None
    failure_reason: str | None
    failure_code: str | None
    last_event_at: datetime | None
    raw: Raw = field(repr=False, compare=False)
    waiting_for: tuple[Interaction, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool the agent used. `call_id` is None where only the result's list names it."""

    call_id: str | None
    tool: str
    status: str
    title: str | None = None
    started_at_ms: int | None = None
    ended_at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class TurnResult:
    """A finished turn's result object (contract 3.4). `status` is the platform's word."""

    status: str
    success: bool
    response: str | None
    error: str | None
    error_code: str | None
    execution_id: str | None
    trace_id: str | None
    duration_ms: int | None
    usage: TokenUsage | None
    cost_usd: Decimal | None
    tool_calls: tuple[ToolCall, ...]
    raw: Raw = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class AbortAnswer:
    """`cancelled` False: there was nothing (left) to cancel, `reason` says why if it was told."""

    cancelled: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class EventRead:
    """What one read of a turn's events brought.

    `complete`: a terminal frame was among them. `expired`: the platform says that older frames
    are gone. `ended_by`: terminal, end (of the stream), idle, time, broken.
    """

    events: tuple[StreamEvent, ...]
    complete: bool
    expired: bool
    last_id: str | None
    ended_by: str
