"""One pass over an account: its fleets, their keys, what their agents do."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from fleets.domain.account_tree import ToldFleet, arrange
from fleets.domain.ids import is_fleet_id
from fleets.gateway import gateway
from fleets.models import Connection, Fleet
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import NotFound, PlatformError
from fleets.platform_api.types import FleetRow
from fleets.services.account import finding
from fleets.services.account.keys import read_keys
from fleets.services.account.sessions import read_sessions
from fleets.services.driving.settling import note_fleet_gone, take_fleet_row
from fleets.services.fleet_state import lock, recount
from fleets.services.late_children import reopen_stops
from fleets.services.tree_counts import recount_above

log = structlog.get_logger(__name__)

PAGE: Final = 200
MOST_PAGES: Final = 50
# In one pass; what is left comes with the next ones.
MOST_DETAILS: Final = 40
MOST_MACHINES: Final = 10
AT_ONCE: Final = 4
# A pass may take one request in thirty of the plan's pace where nothing is found.
_SHARE: Final = 30
SHORTEST_S: Final = 5.0
LONGEST_S: Final = 25.0


def read_accounts(*, now: datetime) -> int:
    """Read the accounts that are due; how many those were."""
    count = 0
    for connection in Connection.objects.select_related("default_team"):
        read_at = connection.account_read_at
        if read_at is not None and now - read_at < timedelta(seconds=every_s(connection)):
            continue
        try:
            read_account(connection)
            count += 1
        except PlatformError as error:
            log.warning("account_not_read", connection=connection.name, error=str(error))
        except Exception:
            # One account that cannot be read must not keep the others from being read.
            log.exception("account_reading_broke", connection=connection.name)
        Connection.objects.filter(pk=connection.pk).update(account_read_at=timezone.now())
    return count


def every_s(connection: Connection) -> float:
    """How often an account is read: seldom where a plan allows few requests."""
    return min(LONGEST_S, max(SHORTEST_S, 60.0 * _SHARE / connection.rate_per_minute))


def read_account(connection: Connection) -> list[Fleet]:
    """One pass; the fleets that were not known before. Raises PlatformError."""
    account = gateway().account(connection)
    told = gateway().run(list_all(account))
    new = take_told(connection, told)
    reopen_stops(new)
    _take_known(connection, told)
    _note_gone(connection, account, told)
    read_keys(connection)
    read_sessions(connection, most=MOST_MACHINES)
    _heal_trees(connection)
    return new


async def list_all(account: PlatformClient, *, below: str | None = None) -> list[FleetRow]:
    """Every fleet of the account (or below one), page by page. Raises PlatformError."""
    rows: dict[str, FleetRow] = {}
    for number in range(MOST_PAGES):
        page = await account.fleets.list(parent_fleet_id=below, limit=PAGE, offset=number * PAGE)
        rows |= {row.fleet_id: row for row in page.fleets}
        if len(page.fleets) < PAGE:
            break
    return list(rows.values())


def take_told(connection: Connection, told: Sequence[FleetRow]) -> list[Fleet]:
    """Write rows for the fleets of a list that are not known yet; those, parents first."""
    usable = [row for row in told if is_fleet_id(row.fleet_id)]
    ids = {row.fleet_id for row in usable} | {parent_id(row) for row in usable}
    known = set(Fleet.objects.filter(public_id__in=ids).values_list("public_id", flat=True))
    facts = [ToldFleet(row.fleet_id, parent_id(row)) for row in usable]
    arranged = arrange(facts, known=known)
    roots = _without_parent(connection, usable, arranged.without_parent)
    wanted = [*arranged.in_order, *roots][:MOST_DETAILS]
    account = gateway().account(connection)
    details = gateway().run(_details(account, wanted))
    found = [_find(connection, details[fleet_id]) for fleet_id in wanted if fleet_id in details]
    return [fleet for fleet in found if fleet is not None]


def parent_id(row: FleetRow) -> str:
    """The parent that the platform names, "" for none."""
    told = row.parent.get("fleetId") if row.parent else None
    return told if isinstance(told, str) else ""


def _without_parent(
    connection: Connection, rows: Sequence[FleetRow], orphans: Iterable[str]
) -> list[str]:
    """Of the fleets whose parent nobody told of, those whose parent is certainly gone."""
    parents = {row.fleet_id: parent_id(row) for row in rows}
    asked = sorted({parents[fleet_id] for fleet_id in orphans})[:MOST_DETAILS]
    there = gateway().run(_details(gateway().account(connection), asked))
    is_gone = set(asked) - set(there)
    return [fleet_id for fleet_id in orphans if parents[fleet_id] in is_gone]


async def _details(account: PlatformClient, fleet_ids: Sequence[str]) -> dict[str, FleetRow]:
    """Each fleet in full; one that is not there is left out. Raises PlatformError otherwise."""
    places = asyncio.Semaphore(AT_ONCE)

    async def get(fleet_id: str) -> FleetRow | None:
        async with places:
            try:
                return await account.fleets.get(fleet_id)
            except NotFound:
                return None

    rows = await asyncio.gather(*(get(fleet_id) for fleet_id in fleet_ids))
    return {row.fleet_id: row for row in rows if row is not None}


def _find(connection: Connection, row: FleetRow) -> Fleet | None:
    above = Fleet.objects.filter(public_id=parent_id(row), connection=connection)
    parent = above.select_related("root", "team", "owner").first() if row.parent else None
    return finding.write_found(connection, row, parent=parent)


def _take_known(connection: Connection, told: Sequence[FleetRow]) -> None:
    """Bring the found fleets up to date; our own are read by those who drive and watch them."""
    rows = {row.fleet_id: row for row in told}
    for pk, public_id in _living(connection):
        if public_id in rows:
            _take(pk, rows[public_id])


@transaction.atomic
def _take(fleet_pk: int, row: FleetRow) -> None:
    fleet = lock(fleet_pk)
    if fleet.deleted_at is not None:
        return
    now = timezone.now()
    finding.take_machines(fleet, row)
    take_fleet_row(fleet, row, now=now)
    recount(fleet, now=now)


def _note_gone(connection: Connection, account: PlatformClient, told: Sequence[FleetRow]) -> None:
    """Fleets that the list lacks are asked for by name: a list that shifts misses some."""
    listed = {row.fleet_id for row in told}
    missing = {public_id: pk for pk, public_id in _living(connection) if public_id not in listed}
    asked = list(missing)[:MOST_DETAILS]
    there = gateway().run(_details(account, asked))
    for public_id in asked:
        if public_id not in there:
            _gone(missing[public_id])


@transaction.atomic
def _gone(fleet_pk: int) -> None:
    fleet = lock(fleet_pk)
    if fleet.delete_requested_at is not None:
        return  # whoever deletes it reads that it is gone
    now = timezone.now()
    note_fleet_gone(fleet, now=now)
    recount(fleet, now=now)


def _living(connection: Connection) -> list[tuple[int, str]]:
    living = Fleet.objects.filter(
        connection=connection, found_at__isnull=False, deleted_at__isnull=True
    )
    return list(living.order_by("-pk").values_list("pk", "public_id"))


def _heal_trees(connection: Connection) -> None:
    """Sums of trees with something alive in them, taken anew."""
    tops = Fleet.objects.filter(connection=connection, tree_fleets__gt=1, parent__isnull=True)
    below = Fleet.objects.filter(root__in=tops, tree_fleets__gt=1, deleted_at__isnull=True)
    above: dict[int, list[int]] = {}
    for root_id, pk in below.annotate(r=F("root_id")).values_list("r", "pk"):
        above.setdefault(root_id, []).append(pk)
    for pks in above.values():
        with transaction.atomic():
            recount_above(pks)
