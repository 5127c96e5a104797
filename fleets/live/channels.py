"""The names of things on the wire: the one Redis stream, its positions, topics and changes.

Everything that changes goes through one trimmed stream. A position is `<epoch>-<stream id>`: the
epoch is a random word that lives beside the stream, so a Redis that was emptied is noticed.
"""

import json
import secrets
from dataclasses import dataclass
from typing import Any, Final

STREAM_KEY: Final = "fleetdash:live"
EPOCH_KEY: Final = "fleetdash:live:epoch"
# About ten minutes of a very busy house. A position older than the oldest entry means: resync.
MAX_ENTRIES: Final = 20_000

FLEETS: Final = "fleets"

Change = dict[str, Any]


def fleet_topic(public_id: str) -> str:
    """Topic of one fleet's page."""
    return f"fleet:{public_id}"


def tree_topic(root_pk: int) -> str:
    """Topic of the pages of all fleets in one tree."""
    return f"tree:{root_pk}"


def session_topic(agent_pk: int) -> str:
    """Topic of one agent's session page."""
    return f"session:{agent_pk}"


def operation_topic(public_id: str) -> str:
    """Topic of one operation's page."""
    return f"operation:{public_id}"


def rights_topic(user_id: int) -> str:
    """Topic that ends the streams of a user whose rights changed."""
    return f"rights:{user_id}"


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the stream."""

    epoch: str
    entry: str

    def __str__(self) -> str:
        return f"{self.epoch}-{self.entry}"

    @property
    def order(self) -> tuple[int, int]:
        """Comparable within one epoch."""
        return entry_order(self.entry)


def entry_order(entry: str) -> tuple[int, int]:
    """The two numbers of a Redis stream id. Raises ValueError."""
    milliseconds, _, sequence = entry.partition("-")
    return int(milliseconds), int(sequence or 0)


def parse_position(text: str) -> Position | None:
    """Read `<epoch>-<ms>-<seq>`; None for anything else."""
    epoch, _, entry = text.partition("-")
    try:
        entry_order(entry)
    except ValueError:
        return None
    return Position(epoch, entry) if epoch else None


def new_epoch() -> str:
    """A word that no earlier stream had."""
    return secrets.token_hex(5)


def encode(topic: str, changes: tuple[Change, ...]) -> dict[str, str]:
    """The fields of one stream entry."""
    return {"topic": topic, "changes": json.dumps(changes, separators=(",", ":"))}


def decode(fields: dict[bytes, bytes]) -> tuple[str, list[Change]]:
    """Topic and changes of one stream entry."""
    changes: list[Change] = json.loads(fields[b"changes"])
    return fields[b"topic"].decode(), changes
