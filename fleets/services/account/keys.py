"""The money of found fleets: their keys' rows, as far as it can be told whose they are."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

import structlog
from django.db import transaction
from django.utils import timezone

from fleets.domain.key_pairing import FleetFact, KeyFact, Paired, pair
from fleets.gateway import gateway
from fleets.models import Connection, Fleet
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import PlatformError
from fleets.platform_api.types import KeyRow
from fleets.services.driving.key_row import take_key_row
from fleets.services.fleet_state import lock, recount

log = structlog.get_logger(__name__)
# Parents whose own key is asked for what is below it, in one pass.
_MOST_PARENTS: Final = 10


def read_keys(connection: Connection) -> int:
    """Read the keys below the account's and write those of found fleets; how many were written."""
    found = _found(connection)
    if not found:
        return 0
    told = {row.id: row for row in gateway().run(_all_rows(connection, found))}
    paired = _pair(found, list(told.values()))
    count = 0
    for fleet in found:
        say = paired.get(fleet.public_id)
        row = told.get(fleet.key_id or (say.key_id if say else ""))
        if row is not None or (say is not None and not say.key_id):
            count += _write(fleet.pk, say, row)
    return count


def _found(connection: Connection) -> list[Fleet]:
    living = Fleet.objects.filter(
        connection=connection,
        found_at__isnull=False,
        deleted_at__isnull=True,
        delete_requested_at__isnull=True,
    )
    return list(living.select_related("parent", "connection").order_by("created_at", "pk"))


async def _all_rows(connection: Connection, found: list[Fleet]) -> list[KeyRow]:
    """The keys below the account; where none of a parent's are among them, its own key is asked.

    Contract 5 does not say whether the list ends with the signing key's own children.
    """
    account = await gateway().account_on_loop(connection)
    rows = list(await account.keys.list_children())
    seen = {row.parent_key_id for row in rows}
    parents = {fleet.parent.pk: fleet.parent for fleet in found if fleet.parent is not None}
    silent = [fleet for fleet in parents.values() if fleet.key_secret and fleet.key_id not in seen]
    for parent in silent[:_MOST_PARENTS]:
        rows += await _below(gateway().with_key_of(parent, account))
    return rows


async def _below(client: PlatformClient) -> Iterable[KeyRow]:
    try:
        return await client.keys.list_children()
    except PlatformError as error:
        # A revoked key lists nothing; the account's own list stands.
        log.info("keys_not_listed", error=str(error))
        return ()


def _pair(found: list[Fleet], rows: list[KeyRow]) -> dict[str, Paired]:
    taken = Fleet.objects.filter(key_id__in=[row.id for row in rows], found_at__isnull=True)
    ours = [
        FleetFact(fleet.public_id, None, fleet.created_at, key_id=fleet.key_id)
        for fleet in taken.only("public_id", "created_at", "key_id")
    ]
    facts = [
        FleetFact(fleet.public_id, _parent_key(fleet), fleet.created_at, key_id=fleet.key_id)
        for fleet in found
        if fleet.key_id or not fleet.budget_is_known
    ]
    keys = [
        KeyFact(row.id, row.parent_key_id or "", row.name or "", row.created_at) for row in rows
    ]
    return pair([*ours, *facts], keys)


def _parent_key(fleet: Fleet) -> str | None:
    parent = fleet.parent
    if parent is None or (parent.budget_nusd is None and parent.budget_is_known):
        return ""  # minted under the account's own key
    return parent.key_id or None


@transaction.atomic
def _write(fleet_pk: int, say: Paired | None, row: KeyRow | None) -> bool:
    fleet = lock(fleet_pk)
    now = timezone.now()
    if fleet.deleted_at is not None or fleet.delete_requested_at is not None:
        return False
    if say is not None:
        fleet.budget_is_known = True
        fleet.key_known_by = say.known_by or ""
    if row is not None:
        _take(fleet, row, now=now)
    recount(fleet, now=now)
    return True


def _take(fleet: Fleet, row: KeyRow, *, now: datetime) -> None:
    is_new = not fleet.key_id
    fleet.key_id = row.id
    take_key_row(fleet, row, now=now)
    if is_new:
        # What it was given; a cap that somebody lowers later does not change that.
        fleet.budget_nusd = fleet.key_cap_nusd
