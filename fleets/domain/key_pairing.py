"""Which of the account's keys is whose: no fleet tells the key that it was made with.

A key is minted first and its fleet is made with it (contract 4.4). So a key that bears a fleet's
id is that fleet's; and where exactly one unclaimed key was minted under the parent's key right
before a fleet was made, it is that one. Anything less is unknown, and is said to be.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from fleets.domain.status import KeyKnownBy

# A fleet is made with its key at once; slower ones cannot be told from keys of something else.
LONGEST_BETWEEN: Final = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class KeyFact:
    """A key: whom it was minted under, what it is called, when."""

    key_id: str
    parent_key_id: str
    name: str
    created_at: datetime | None


@dataclass(frozen=True, slots=True)
class FleetFact:
    """A fleet: the key that its own was minted under, and when it was made.

    `parent_key_id` "": the account's; None: nobody knows. `key_id` "": its own is not known yet.
    """

    fleet_id: str
    parent_key_id: str | None
    created_at: datetime | None
    key_id: str = ""


@dataclass(frozen=True, slots=True)
class Paired:
    """The key of a fleet, and how that is known; with `key_id` "" it certainly has none."""

    key_id: str
    known_by: KeyKnownBy | None = None


def pair(fleets: Sequence[FleetFact], keys: Sequence[KeyFact]) -> dict[str, Paired]:
    """What can be said of the fleets whose key is not known; one left out stays unknown."""
    taken = {fleet.key_id for fleet in fleets if fleet.key_id}
    free = [key for key in keys if key.key_id not in taken]
    found: dict[str, Paired] = {}
    for fleet in fleets:
        named = [key for key in free if _bears(key.name, fleet.fleet_id)]
        if not fleet.key_id and len(named) == 1:
            found[fleet.fleet_id] = Paired(named[0].key_id, KeyKnownBy.NAME)
    named_ids = {paired.key_id for paired in found.values()}
    free = [key for key in free if key.key_id not in named_ids]
    groups: dict[str, list[FleetFact]] = {}
    for fleet in fleets:
        if fleet.parent_key_id is not None:
            groups.setdefault(fleet.parent_key_id, []).append(fleet)
    owned = {fleet.key_id for fleet in fleets if fleet.key_id} | named_ids
    for parent_key_id, group in groups.items():
        own = [key for key in free if _is_under(key, parent_key_id, owned)]
        found |= _by_time(group, own, done=found)
    return found


def _bears(name: str, fleet_id: str) -> bool:
    return bool(re.search(rf"(?<![\w-]){re.escape(fleet_id)}(?![\w-])", name))


def _is_under(key: KeyFact, parent_key_id: str, owned: Collection[str]) -> bool:
    if parent_key_id:
        return key.parent_key_id == parent_key_id
    # Under the account: whatever no fleet's key was used to mint.
    return key.parent_key_id not in owned


def _by_time(
    group: Sequence[FleetFact], keys: Sequence[KeyFact], *, done: dict[str, Paired]
) -> dict[str, Paired]:
    found: dict[str, Paired] = {}
    dated = sorted((fleet for fleet in group if fleet.created_at), key=_made)
    before: datetime | None = None
    for fleet in dated:
        made = _made(fleet)
        if not fleet.key_id and fleet.fleet_id not in done:
            near = [key for key in keys if _fits(key, after=before, made=made)]
            if len(near) == 1:
                found[fleet.fleet_id] = Paired(near[0].key_id, KeyKnownBy.TIME)
            elif not any(key.created_at is None or key.created_at <= made for key in keys):
                found[fleet.fleet_id] = Paired("")
        before = made
    return found


def _made(fleet: FleetFact) -> datetime:
    assert fleet.created_at is not None
    return fleet.created_at


def _fits(key: KeyFact, *, after: datetime | None, made: datetime) -> bool:
    minted = key.created_at
    if minted is None or not made - LONGEST_BETWEEN <= minted <= made:
        return False
    return after is None or minted > after
