"""Ids that we choose: fleets, agents, machines, sessions, turns, and keys of repeatable calls.

All are derived from our own rows, so that a call repeated after a crash names the same thing.
"""

import re
from typing import Final

from fleets.domain.errors import InvalidInput
from fleets.domain.numbers import show_count

FLEET_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
OUR_FLEET_ID: Final = re.compile(r"fleet-[0-9a-f]{12}")
AGENT_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
MAX_AGENTS: Final = 10_000

_ID_BYTES: Final = 6
# `GET /v1/fleets/capabilities` is another resource (contract 4.1).
_RESERVED_FLEET_IDS: Final = frozenset({"capabilities"})


def new_fleet_id(random_bytes: bytes) -> str:
    """`fleet-` and 12 hex digits, from at least six bytes that the caller drew at random."""
    if len(random_bytes) < _ID_BYTES:
        raise ValueError(f"a fleet id needs {_ID_BYTES} random bytes")
    return f"fleet-{random_bytes[:_ID_BYTES].hex()}"


def is_fleet_id(text: str) -> bool:
    """Whether the platform would take this as the id of a fleet (contract row 4)."""
    return bool(FLEET_ID.fullmatch(text)) and text not in _RESERVED_FLEET_IDS


def check_fleet_id(text: str, *, place: str) -> str:
    """The id as given, or InvalidInput that says what an id looks like."""
    if is_fleet_id(text):
        return text
    if text in _RESERVED_FLEET_IDS:
        raise InvalidInput.at(place, f"“{text}” is a name the platform keeps for itself.")
    raise InvalidInput.at(
        place,
        "A fleet id has small letters, digits and hyphens, at most 63, and starts with a letter"
        " or digit, such as fleet-4b712b26c826.",
    )


def agent_ids(count: int) -> tuple[str, ...]:
    """`agent-1` to `agent-<count>`, as the platform numbers unnamed agents (contract 4.2)."""
    if not 1 <= count <= MAX_AGENTS:
        raise ValueError(f"1 to {show_count(MAX_AGENTS)} agents, not {count}")
    return tuple(f"agent-{number}" for number in range(1, count + 1))


def machine_id(number: int) -> str:
    """`m1`, `m2`, …: chosen by us and unique within the fleet."""
    return f"m{number}"


def session_id(fleet_id: str, agent_id: str, *, run: int = 1) -> str:
    """An agent's conversation, unique over all fleets: one for the whole life of its fleet, unless
    a later run began it afresh (no id of a fleet of ours begins like its prefix)."""
    if not AGENT_ID.fullmatch(agent_id):
        raise ValueError("not an agent id")
    prefix = f"r{run}-" if run > 1 else ""
    return f"{prefix}{fleet_id}-{agent_id}"


def task_session_id(fleet_id: str, *, run: int, position: int, attempt: int = 1) -> str:
    """The conversation of one task of a pool; another attempt of it begins another one."""
    again = f"a{attempt}" if attempt > 1 else ""
    return f"r{run}t{position}{again}-{fleet_id}"


def turn_id(turn: int, attempt: int) -> str:
    """`t<turn>-<attempt>`, both from 1: the platform admits at most one execution for it."""
    if turn < 1 or attempt < 1:
        raise ValueError("turns and attempts count from 1")
    return f"t{turn}-{attempt}"


def idempotency_key(kind: str, row_id: int | str, *, attempt: int = 1) -> str:
    """The key of a create: the same for the same row and attempt, however often it is sent."""
    return f"fleetdash-{kind}-{row_id}-{attempt}"
