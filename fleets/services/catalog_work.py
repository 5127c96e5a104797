"""Works on an order for a connection's catalog: one round of calls, then given back or ended.

Every round begins by reading, so that it may run twice: a publication whose answer was lost is
found there by its digest and not sent again (contract 6.2, 10 row 17).
"""

import asyncio
import json
from dataclasses import dataclass
from typing import Final

import structlog
from django.db import transaction
from django.utils import timezone

from fleets.domain.status import OperationState
from fleets.gateway import gateway
from fleets.models import CatalogAct, CatalogOrder, RemoteProfile
from fleets.platform_api.answers.profiles import ProfileListed, SavedProfile
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import (
    NotFound,
    PlatformError,
    PlatformRefused,
    PlatformUnavailable,
    RateLimited,
    WrongState,
)
from fleets.platform_api.resources.profiles import PAGE
from fleets.services import audit, catalog_orders
from fleets.services.actor import Actor
from fleets.services.performing.verdict import backoff_s
from fleets.services.remote_profiles import take_absent, take_saved

log = structlog.get_logger(__name__)

MOST_PROFILES: Final = 5_000
READ_AT_ONCE: Final = 40
_LONGEST_PAUSE_S: Final = 15.0
_SURPRISES: Final = 3


@dataclass(frozen=True, slots=True)
class _Done:
    state: OperationState
    sentence: str


def perform_catalog_order(public_id: str, *, owner: str) -> bool:
    """Work once on an order that is due and free. True when it was worked on."""
    order = catalog_orders.claim(public_id, owner=owner, now=timezone.now())
    if order is None:
        return False
    structlog.contextvars.bind_contextvars(catalog_order=public_id)
    try:
        done = _publish(order) if order.act == CatalogAct.PUBLISH else _read(order)
    except RateLimited as error:
        pause_s = min(error.retry_after_s or 1.0, _LONGEST_PAUSE_S)
        catalog_orders.postpone(order, after_s=pause_s)
    except PlatformUnavailable as error:
        _try_again(order, f"The platform does not answer ({error.message}); trying again.")
    except PlatformRefused as error:
        words = f"The platform refused: {error.message}"
        catalog_orders.end(order, state=OperationState.FAILED, sentence=words)
    except PlatformError as error:
        _surprised(order, error)
    else:
        if done is None:
            catalog_orders.postpone(order, after_s=0)
        else:
            catalog_orders.end(order, state=done.state, sentence=done.sentence)
    return True


def _try_again(order: CatalogOrder, sentence: str) -> None:
    failures = order.failures + 1
    catalog_orders.postpone(
        order, after_s=backoff_s(failures), failures=failures, sentence=sentence
    )


def _surprised(order: CatalogOrder, error: PlatformError) -> None:
    words = f"The platform's answer was not understood: {error}"
    if order.failures < _SURPRISES:
        _try_again(order, words)
    else:
        catalog_orders.end(order, state=OperationState.FAILED, sentence=words)


def _read(order: CatalogOrder) -> _Done | None:
    """One round: the list, and at most so many profiles that changed; None when more are left."""
    connection = order.connection
    client = gateway().account(connection)
    listed = gateway().run(_list(client))
    known = dict(
        RemoteProfile.objects.filter(connection=connection).values_list("slug", "remote_revision")
    )
    changed = [one for one in listed if known.get(one.profile_id) != one.revision]
    saved = gateway().run(_get(client, changed[:READ_AT_ONCE]))
    now = timezone.now()
    with transaction.atomic():
        for one in saved:
            take_saved(connection, one, now=now)
        if len(changed) > READ_AT_ONCE:
            return None
        names = {one.profile_id for one in listed}
        connection.remote_profiles.filter(slug__in=names).update(seen_at=now)
        for slug in set(known) - names:
            take_absent(connection, slug, now=now)
        connection.catalog_read_at = now
        connection.save(update_fields=["catalog_read_at"])
    count = f"{len(listed)} profile{'' if len(listed) == 1 else 's'}"
    return _Done(OperationState.DONE, f"{count} on the platform, {len(changed)} changed.")


async def _list(client: PlatformClient) -> list[ProfileListed]:
    found: dict[str, ProfileListed] = {}
    for offset in range(0, MOST_PROFILES, PAGE):
        page = await client.profiles.list(limit=PAGE, offset=offset)
        found |= {one.profile_id: one for one in page.profiles}
        if len(page.profiles) < PAGE:
            break
    return list(found.values())


async def _get(client: PlatformClient, wanted: list[ProfileListed]) -> list[SavedProfile]:
    async def get(one: ProfileListed) -> SavedProfile | None:
        try:
            return await client.profiles.get(one.profile_id)
        except NotFound:
            return None

    found = await asyncio.gather(*(get(one) for one in wanted))
    return [one for one in found if one is not None]


def _publish(order: CatalogOrder) -> _Done:
    """Read what is there, and put ours on top of it if it is what the person saw."""
    profile, revision = order.profile, order.revision
    assert profile is not None
    assert revision is not None
    client = gateway().account(order.connection)
    there = gateway().run(_newest(client, profile.slug))
    digest = _take(order, there)
    if there is not None and digest == revision.digest:
        return _published(order, there.revision)
    if (there.revision if there else None) != order.base:
        return _moved(there)
    body = json.loads(revision.body)
    try:
        put = gateway().run(client.profiles.put(profile.slug, profile=body, base=order.base))
    except WrongState:
        there = gateway().run(_newest(client, profile.slug))
        digest = _take(order, there)
        if there is not None and digest == revision.digest:
            return _published(order, there.revision)
        return _moved(there)
    _take(order, SavedProfile(profile.slug, put.revision, body))
    return _published(order, put.revision)


async def _newest(client: PlatformClient, slug: str) -> SavedProfile | None:
    try:
        return await client.profiles.get(slug)
    except NotFound:
        return None


def _take(order: CatalogOrder, there: SavedProfile | None) -> str:
    """Write down what the platform has; the digest of it, "" for nothing."""
    assert order.profile is not None
    now = timezone.now()
    with transaction.atomic():
        if there is None:
            return take_absent(order.connection, order.profile.slug, now=now)
        return take_saved(order.connection, there, now=now)


def _moved(there: SavedProfile | None) -> _Done:
    has = f"has r{there.revision}" if there else "no longer has it"
    words = f"Not published: the platform {has} by now. Compare and choose."
    return _Done(OperationState.FAILED, words)


def _published(order: CatalogOrder, remote_revision: int) -> _Done:
    assert order.profile is not None
    assert order.revision is not None
    actor = Actor(user=order.requested_by, door=order.door)
    audit.record(
        "profile.published_to_platform",
        actor=actor,
        object_type="profile",
        object_id=order.profile.slug,
        before={"remote_revision": order.base},
        after={"revision": order.revision.number, "remote_revision": remote_revision},
    )
    words = f"r{order.revision.number} is r{remote_revision} on the platform."
    return _Done(OperationState.DONE, words)
