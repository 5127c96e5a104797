"""Orders for a connection's catalog: written down, claimed by one worker, ended once."""

import secrets
from datetime import datetime, timedelta
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone

from fleets import dispatch
from fleets.domain.errors import AlreadySo, Conflict
from fleets.domain.status import OperationState
from fleets.models import CatalogAct, CatalogOrder, Connection, Profile, RemoteProfile
from fleets.services import audit
from fleets.services.actor import SYSTEM, Actor
from fleets.services.profiles import locked, must_edit

# Longer than any round of calls takes; a dead worker's order is free after so long.
LEASE_S: Final = 120


@transaction.atomic
def order_reading(connection: Connection, *, actor: Actor) -> CatalogOrder:
    """Read the connection's catalog; while it is being read, the order under way is returned."""
    actor.must_be_operator("read the platform's catalog")
    open_one = _open(connection, CatalogAct.READ)
    if open_one is not None:
        return open_one
    return _order(CatalogOrder(act=CatalogAct.READ, connection=connection), actor=actor)


@transaction.atomic
def order_publication(
    profile: Profile, connection: Connection, *, base: int | None, actor: Actor
) -> CatalogOrder:
    """Put the head into the connection's catalog, on top of the revision `base` that was seen.

    Raises Conflict when nothing is published here, when the platform's revision is another than
    `base` or one is under way, AlreadySo when it has this content, and NotAllowed.
    """
    profile = locked(profile)
    must_edit(actor, profile.catalog)
    head = profile.head
    if head is None or profile.archived_at is not None:
        raise Conflict("Only a published profile that is not archived goes to the platform.")
    seen = RemoteProfile.objects.filter(connection=connection, slug=profile.slug).first()
    known = seen.remote_revision if seen else None
    if known != base:
        raise Conflict(
            f"The platform has {f'r{known}' if known else 'none'} by now: compare and choose.",
            state=str(known or ""),
        )
    if seen and seen.remote_digest == head.digest:
        raise AlreadySo(f"The platform has r{head.number} of it already.")
    if _open(connection, CatalogAct.PUBLISH, profile) is not None:
        raise Conflict("It is being published already.")
    made = CatalogOrder(
        act=CatalogAct.PUBLISH, connection=connection, profile=profile, revision=head, base=base
    )
    made = _order(made, actor=actor)
    audit.record(
        "profile.publish_to_platform",
        actor=actor,
        object_type="profile",
        object_id=profile.slug,
        before={"remote_revision": base},
        after={"revision": head.number, "digest": head.digest, "connection": connection.name},
    )
    return made


def claim(public_id: str, *, owner: str, now: datetime) -> CatalogOrder | None:
    """Take an order that is due and not ended; None when another has it or it has ended."""
    free = Q(lease_until__isnull=True) | Q(lease_until__lt=now)
    taken = CatalogOrder.objects.filter(
        free, public_id=public_id, ended_at__isnull=True, next_attempt_at__lte=now
    ).update(
        state=OperationState.RUNNING,
        lease_owner=owner,
        lease_until=now + timedelta(seconds=LEASE_S),
        attempts=F("attempts") + 1,
    )
    if not taken:
        return None
    related = ("connection", "profile", "profile__catalog", "revision", "requested_by")
    return CatalogOrder.objects.select_related(*related).get(public_id=public_id)


def postpone(order: CatalogOrder, *, after_s: float, failures: int = 0, sentence: str = "") -> None:
    """Give it back; it is due again `after_s` seconds from now."""
    CatalogOrder.objects.filter(_held(order)).update(
        lease_owner="",
        lease_until=None,
        next_attempt_at=timezone.now() + timedelta(seconds=after_s),
        failures=failures,
        sentence=sentence[:400],
    )
    _wake(order.public_id, door=order.door, in_s=after_s)


def end(order: CatalogOrder, *, state: OperationState, sentence: str) -> bool:
    """End it once; False when it was ended or taken over meanwhile."""
    ended = CatalogOrder.objects.filter(_held(order)).update(
        state=state,
        sentence=sentence[:400],
        ended_at=timezone.now(),
        lease_owner="",
        lease_until=None,
        next_attempt_at=None,
    )
    return bool(ended)


def wake_overdue(*, now: datetime, limit: int = 20) -> list[str]:
    """Wake workers for orders that should have been worked on by now; their public ids."""
    free = Q(lease_until__isnull=True) | Q(lease_until__lt=now)
    due = CatalogOrder.objects.filter(free, ended_at__isnull=True, next_attempt_at__lte=now)
    rows = due.order_by("next_attempt_at").values_list("public_id", "door")[:limit]
    return [_wake(public_id, door=door) for public_id, door in rows]


def _wake(public_id: str, *, door: str, in_s: float = 0.0) -> str:
    queue = dispatch.HOUSEKEEPING if door == SYSTEM.door else dispatch.INTERACTIVE
    dispatch.catalog_ordered(public_id, queue=queue, in_s=in_s)
    return public_id


def _held(order: CatalogOrder) -> Q:
    return Q(pk=order.pk, ended_at__isnull=True, lease_owner=order.lease_owner)


def _open(
    connection: Connection, act: CatalogAct, profile: Profile | None = None
) -> CatalogOrder | None:
    found = CatalogOrder.objects.filter(connection=connection, act=act, ended_at__isnull=True)
    return found.filter(profile=profile).first()


def _order(order: CatalogOrder, *, actor: Actor) -> CatalogOrder:
    now = timezone.now()
    order.public_id = f"cat_{secrets.token_hex(8)}"
    order.requested_by, order.door = actor.user, actor.door
    order.requested_at = order.next_attempt_at = now
    try:
        with transaction.atomic():
            order.save()
    except IntegrityError:
        # Somebody ordered the same a moment ago: theirs stands for this one.
        found = _open(order.connection, CatalogAct(order.act), order.profile)
        if found is None:
            raise
        return found
    _wake(order.public_id, door=order.door)
    return order
