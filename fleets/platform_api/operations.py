"""Every call the client makes: where it goes, which 5xx is temporary, what may be repeated."""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Literal

Base = Literal["sandbox", "id"]

# Contract 1.3: what consumers treat as temporary on lifecycle and read calls.
TEMPORARY = frozenset({500, 502, 503, 504})
# A 500 from a live box is the run's own failure (contract 1.3), so it is no reason to repeat: all
# that runs an agent, a command or a file of a box.
TEMPORARY_BOX = frozenset({502, 503, 504})


class Urgency(Enum):
    """What a call is for; the gateway turns it into a priority of the rate budget."""

    STOP = "stop"
    WORK = "work"
    READ = "read"


class Repeat(Enum):
    """When the client itself may send the same request again."""

    ALWAYS = "always"  # reads, keyed and idempotent calls
    IF_KEYED = "if_keyed"  # only with an idempotency key, otherwise as IF_NOT_SENT
    IF_NOT_SENT = "if_not_sent"  # only when the request certainly never left


@dataclass(frozen=True, slots=True)
class Operation:
    """One call of the wire: its route, how urgent it is, when it may be repeated."""

    name: str
    method: str
    path: str  # template; parameters are URL-encoded
    base: Base = "sandbox"
    urgency: Urgency = Urgency.READ
    repeat: Repeat = Repeat.ALWAYS
    temporary: frozenset[int] = TEMPORARY
    stream: bool = False


def _work(
    name: str, method: str, path: str, repeat: Repeat = Repeat.IF_NOT_SENT, base: Base = "sandbox"
) -> Operation:
    return Operation(name, method, path, base=base, urgency=Urgency.WORK, repeat=repeat)


def _box(name: str, path: str, repeat: Repeat = Repeat.IF_NOT_SENT) -> Operation:
    return replace(_work(name, "POST", path, repeat), temporary=TEMPORARY_BOX)


def _stop(name: str, method: str, path: str, repeat: Repeat, base: Base = "sandbox") -> Operation:
    return Operation(name, method, path, base=base, urgency=Urgency.STOP, repeat=repeat)


_FLEET = "/v1/fleets/{fleet_id}"
_BOX = "/v1/sandboxes/{sandbox_id}"
_AGENTS = _BOX + "/runtime/agents"
_SESSION = _AGENTS + "/sessions/{session_id}"
_PROFILE = "/v1/profiles/{profile_id}"

# A mint is paid for by the parent's budget and has no key of its own (contract 5): after an
# unknown outcome the caller looks for the name among the children before it mints again.
KEY_MINT = _work("keys.mint", "POST", "/v1/keys", base="id")
KEY_GET = Operation("keys.get", "GET", "/v1/keys/{key_id}", base="id")
KEY_LIST_CHILDREN = Operation("keys.list_children", "GET", "/v1/keys", base="id")
KEY_PATCH = _stop("keys.patch", "PATCH", "/v1/keys/{key_id}", Repeat.ALWAYS, "id")
KEY_REVOKE = _stop("keys.revoke", "DELETE", "/v1/keys/{key_id}", Repeat.ALWAYS, "id")
# Its answer shows a secret once; a second one would revoke what the first has just made.
KEY_ROTATE = _work("keys.rotate", "POST", "/v1/keys/{key_id}/rotate", base="id")
BILLING_BALANCE = Operation("billing.balance", "GET", "/v1/billing/balance", base="id")
BILLING_TRANSACTIONS = Operation(
    "billing.transactions", "GET", "/v1/billing/transactions", base="id"
)

FLEET_CREATE = _work("fleets.create", "POST", "/v1/fleets", Repeat.IF_KEYED)
FLEET_GET = Operation("fleets.get", "GET", _FLEET)
FLEET_LIST = Operation("fleets.list", "GET", "/v1/fleets")
FLEET_DELETE = _stop("fleets.delete", "DELETE", _FLEET, Repeat.ALWAYS)
FLEET_USAGE = Operation("fleets.usage", "GET", _FLEET + "/usage")
FLEET_COST = Operation("fleets.cost", "GET", _FLEET + "/cost")
FLEET_CAPABILITIES = Operation("fleets.capabilities", "GET", "/v1/fleets/capabilities")
FLEET_EXEC = _box("fleets.exec", _FLEET + "/dispatch")
FLEET_EXEC_READ = Operation("fleets.exec_read", "GET", _FLEET + "/dispatch/{dispatch_id}")

SANDBOX_CREATE = _work("sandboxes.create", "POST", "/v1/sandboxes", Repeat.IF_KEYED)
SANDBOX_GET = Operation("sandboxes.get", "GET", _BOX)
SANDBOX_LIST = Operation("sandboxes.list", "GET", "/v1/sandboxes")
SANDBOX_KEEP_ALIVE = _work("sandboxes.keep_alive", "PATCH", _BOX, Repeat.ALWAYS)
SANDBOX_DELETE = _stop("sandboxes.delete", "DELETE", _BOX, Repeat.ALWAYS)
SANDBOX_STOP = _stop("sandboxes.stop", "POST", _BOX + "/stop", Repeat.IF_NOT_SENT)
SANDBOX_RESUME = _work("sandboxes.resume", "POST", _BOX + "/resume")
SANDBOX_TRACE = Operation("sandboxes.trace", "GET", _BOX + "/trace")

RUNTIME_COMMAND = _box("runtime.command", _BOX + "/runtime/terminals/commands")
# Not repeated: an agent may have written the file in between.
RUNTIME_WRITE = _box("runtime.write_file", _BOX + "/runtime/files/write")
RUNTIME_READ = replace(
    _box("runtime.read_file", _BOX + "/runtime/files/read", Repeat.ALWAYS), urgency=Urgency.READ
)
RUNTIME_CAPABILITIES = Operation("runtime.capabilities", "GET", _BOX + "/runtime/capabilities")

# A turn has its turnId as key, but its attempts belong on the row where the operator sees them:
# the driver repeats it, the client only what certainly never left.
TURN_DISPATCH = _box("sessions.dispatch", _AGENTS + "/run/stream")
TURN_STREAM = replace(_box("sessions.stream", _AGENTS + "/run/stream"), stream=True)
TURN_RUN = _box("sessions.run", _AGENTS + "/run")
SESSION_LIST = Operation("sessions.list", "GET", _AGENTS + "/sessions")
SESSION_STATE = Operation("sessions.state", "GET", _SESSION)
SESSION_RESULT = Operation("sessions.result", "GET", _SESSION + "/result")
SESSION_TURN = Operation("sessions.turn", "GET", _SESSION + "/turns/{turn_id}")
SESSION_EVENTS = Operation("sessions.events", "GET", _SESSION + "/events", stream=True)
SESSION_MESSAGES = Operation("sessions.messages", "GET", _SESSION + "/messages")
SESSION_EXECUTIONS = Operation("sessions.executions", "GET", _SESSION + "/executions")
SESSION_INTERACTIONS = Operation("sessions.interactions", "GET", _SESSION + "/interactions")
# Whether a second answer is taken for the first is a capability that a box may lack (3.6).
SESSION_ANSWER = _box("sessions.answer", _SESSION + "/interactions")
# A second abort answers `cancelled: false`, so a silent repeat would falsify the first one.
SESSION_ABORT = _stop("sessions.abort", "POST", _SESSION + "/abort", Repeat.IF_NOT_SENT)

PROFILE_LIST = Operation("profiles.list", "GET", "/v1/profiles")
PROFILE_GET = Operation("profiles.get", "GET", _PROFILE)
# A repeat of a put that was done is refused as stale, which would hide that it was done.
PROFILE_PUT = _work("profiles.put", "PUT", _PROFILE)
PROFILE_DELETE = _work("profiles.delete", "DELETE", _PROFILE, Repeat.ALWAYS)

# Joined or replayed by its key, never by the client itself: the caller holds the stream.
BATCH_RUN = replace(_box("batches.run", "/v1/sandboxes/batch/run"), stream=True)
BATCH_CANCEL = _stop("batches.cancel", "DELETE", "/v1/sandboxes/batch/{batch_id}", Repeat.ALWAYS)

ACCOUNT_USAGE = Operation("account.usage", "GET", "/v1/usage")
ACCOUNT_SUBSCRIPTION = Operation("account.subscription", "GET", "/v1/usage/subscription")
CATALOG_SHAPES = Operation("catalog.shapes", "GET", "/v1/shapes")
CATALOG_BACKENDS = Operation("catalog.backends", "GET", "/v1/backends")
SECRET_LIST = Operation("secrets.list", "GET", "/v1/secrets")

ALL: tuple[Operation, ...] = (
    KEY_MINT, KEY_GET, KEY_LIST_CHILDREN, KEY_PATCH, KEY_REVOKE, KEY_ROTATE,
    BILLING_BALANCE, BILLING_TRANSACTIONS,
    FLEET_CREATE, FLEET_GET, FLEET_LIST, FLEET_DELETE, FLEET_USAGE, FLEET_COST,
    FLEET_CAPABILITIES, FLEET_EXEC, FLEET_EXEC_READ,
    SANDBOX_CREATE, SANDBOX_GET, SANDBOX_LIST, SANDBOX_KEEP_ALIVE, SANDBOX_DELETE, SANDBOX_STOP,
    SANDBOX_RESUME, SANDBOX_TRACE,
    RUNTIME_COMMAND, RUNTIME_WRITE, RUNTIME_READ, RUNTIME_CAPABILITIES,
    TURN_DISPATCH, TURN_STREAM, TURN_RUN, SESSION_LIST, SESSION_STATE, SESSION_RESULT,
    SESSION_TURN, SESSION_EVENTS, SESSION_MESSAGES, SESSION_EXECUTIONS, SESSION_INTERACTIONS,
    SESSION_ANSWER, SESSION_ABORT,
    PROFILE_LIST, PROFILE_GET, PROFILE_PUT, PROFILE_DELETE,
    BATCH_RUN, BATCH_CANCEL,
    ACCOUNT_USAGE, ACCOUNT_SUBSCRIPTION, CATALOG_SHAPES, CATALOG_BACKENDS, SECRET_LIST,
)  # fmt: skip
