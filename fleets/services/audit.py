"""Writes the audit: one row per act, with what was before and after."""

from typing import Any

from django.utils import timezone

from fleets.models import AuditEvent
from fleets.services.actor import Actor


def record(
    act: str,
    *,
    actor: Actor,
    object_type: str,
    object_id: str,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    reason: str = "",
) -> AuditEvent:
    """Write one row in the caller's transaction. `before` and `after` never hold a secret."""
    event = row(
        act,
        actor=actor,
        object_type=object_type,
        object_id=object_id,
        before=before,
        after=after,
        reason=reason,
    )
    event.save()
    return event


def row(
    act: str,
    *,
    actor: Actor,
    object_type: str,
    object_id: str,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    reason: str = "",
) -> AuditEvent:
    """The same row, not yet written: an act over many things writes theirs together."""
    return AuditEvent(
        at=timezone.now(),
        actor=actor.user,
        act=act,
        object_type=object_type,
        object_id=object_id,
        before=before or {},
        after=after or {},
        reason=reason[:300],
        door=actor.door,
        request_id=actor.request_id,
    )
