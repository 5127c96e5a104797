"""Every call the client makes: where it goes, which 5xx is temporary, what may be repeated."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal

Base = Literal["sandbox", "id"]

# Contract 1.3: what consumers treat as temporary on lifecycle and read calls.
TEMPORARY = frozenset({500, 502, 503, 504})
# A 500 from a live box is the run's own failure (contract 1.3), so it is no reason to repeat.
TEMPORARY_TURN = frozenset({502, 503, 504})


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


def _stop(name: str, method: str, path: str, repeat: Repeat, base: Base = "sandbox") -> Operation:
    return Operation(name, method, path, base=base, urgency=Urgency.STOP, repeat=repeat)


_BOX = "/v1/sandboxes/{sandbox_id}"
_AGENTS = _BOX + "/runtime/agents"
_SESSION = _AGENTS + "/sessions/{session_id}"

# A mint is paid for by the parent's budget and has no key of its own (contract 5): after an
# unknown outcome the caller looks for the name among the children before it mints again.
KEY_MINT = Operation(
    "keys.mint", "POST", "/v1/keys", base="id", urgency=Urgency.WORK, repeat=Repeat.IF_NOT_SENT
)
KEY_GET = Operation("keys.get", "GET", "/v1/keys/{key_id}", base="id")
KEY_LIST_CHILDREN = Operation("keys.list_children", "GET", "/v1/keys", base="id")
KEY_PATCH = _stop("keys.patch", "PATCH", "/v1/keys/{key_id}", Repeat.ALWAYS, "id")
KEY_REVOKE = _stop("keys.revoke", "DELETE", "/v1/keys/{key_id}", Repeat.ALWAYS, "id")

FLEET_CREATE = Operation(
    "fleets.create", "POST", "/v1/fleets", urgency=Urgency.WORK, repeat=Repeat.IF_KEYED
)
FLEET_GET = Operation("fleets.get", "GET", "/v1/fleets/{fleet_id}")
FLEET_LIST = Operation("fleets.list", "GET", "/v1/fleets")
FLEET_DELETE = _stop("fleets.delete", "DELETE", "/v1/fleets/{fleet_id}", Repeat.ALWAYS)

SANDBOX_GET = Operation("sandboxes.get", "GET", _BOX)
SANDBOX_LIST = Operation("sandboxes.list", "GET", "/v1/sandboxes")
SANDBOX_DELETE = _stop("sandboxes.delete", "DELETE", _BOX, Repeat.ALWAYS)
SANDBOX_STOP = _stop("sandboxes.stop", "POST", _BOX + "/stop", Repeat.IF_NOT_SENT)
SANDBOX_RESUME = Operation(
    "sandboxes.resume", "POST", _BOX + "/resume", urgency=Urgency.WORK, repeat=Repeat.IF_NOT_SENT
)

# A turn has its turnId as key, but its attempts belong on the row where the operator sees them:
# the driver repeats it, the client only what certainly never left.
TURN_DISPATCH = Operation(
    "sessions.dispatch",
    "POST",
    _AGENTS + "/run/stream",
    urgency=Urgency.WORK,
    repeat=Repeat.IF_NOT_SENT,
    temporary=TEMPORARY_TURN,
)
SESSION_LIST = Operation("sessions.list", "GET", _AGENTS + "/sessions")
SESSION_STATE = Operation("sessions.state", "GET", _SESSION)
SESSION_RESULT = Operation("sessions.result", "GET", _SESSION + "/result")
SESSION_TURN = Operation("sessions.turn", "GET", _SESSION + "/turns/{turn_id}")
SESSION_EVENTS = Operation("sessions.events", "GET", _SESSION + "/events", stream=True)
# A second abort answers `cancelled: false`, so a silent repeat would falsify the first one.
SESSION_ABORT = _stop("sessions.abort", "POST", _SESSION + "/abort", Repeat.IF_NOT_SENT)

ALL: tuple[Operation, ...] = (
    KEY_MINT, KEY_GET, KEY_LIST_CHILDREN, KEY_PATCH, KEY_REVOKE,
    FLEET_CREATE, FLEET_GET, FLEET_LIST, FLEET_DELETE,
    SANDBOX_GET, SANDBOX_LIST, SANDBOX_DELETE, SANDBOX_STOP, SANDBOX_RESUME,
    TURN_DISPATCH, SESSION_LIST, SESSION_STATE, SESSION_RESULT, SESSION_TURN, SESSION_EVENTS,
    SESSION_ABORT,
)  # fmt: skip
