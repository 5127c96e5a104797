"""A connection's own catalog beside ours: what is where, and what is under way."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F
from django.urls import reverse

from fleets.domain.changed_texts import ChangedText, changed_texts
from fleets.domain.profile_diff import FieldChange, count_fields, field_changes
from fleets.domain.profile_drift import WORDS, Drift, drift
from fleets.domain.status import OperationState
from fleets.models import (
    CatalogAct,
    CatalogOrder,
    Connection,
    Profile,
    ProfileRevision,
    RemoteProfile,
)

RECENT = timedelta(minutes=10)
# Three readings in a row that did not come: how things stand is not known any more.
STALE_AFTER = timedelta(minutes=15)
_TONES = {
    Drift.SAME: "finished",
    Drift.BEHIND: "waiting",
    Drift.CHANGED: "soft-limit",
    Drift.ELSEWHERE: "draft",
}


@dataclass(frozen=True, slots=True)
class PlatformRow:
    """One id: our head and what the platform was last seen to have."""

    slug: str
    name: str
    head: int | None
    remote_revision: int | None
    drift: Drift
    seen_at: datetime | None
    problem: str

    @property
    def url(self) -> str:
        """Our profile's page, "" where it is only on the platform."""
        is_ours = self.drift is not Drift.ELSEWHERE and bool(self.name)
        return reverse("fleets:profile_detail", args=[self.slug]) if is_ours else ""

    @property
    def words(self) -> str:
        """How it stands, for people; — where nobody knows."""
        return WORDS[self.drift]

    @property
    def tone(self) -> str:
        """The state whose colour its badge has, "" for none."""
        return _TONES.get(self.drift, "")

    @property
    def is_known(self) -> bool:
        """Whether it was seen lately enough to be told."""
        return self.drift is not Drift.UNKNOWN

    @property
    def may_publish(self) -> bool:
        """Whether publishing is one press: what is there is nothing, or was ours."""
        return self.head is not None and self.drift in (Drift.ABSENT, Drift.BEHIND)

    @property
    def may_compare(self) -> bool:
        """Whether both sides are there and differ."""
        return self.head is not None and self.drift in (Drift.BEHIND, Drift.CHANGED)

    @property
    def may_pull(self) -> bool:
        """Whether the platform has something that we have not."""
        return self.drift in (Drift.CHANGED, Drift.ELSEWHERE)


@dataclass(frozen=True, slots=True)
class PlatformCatalog:
    """Everything of both, by id; and what people ordered in the last minutes, newest first.

    `failure`: why the last reading brought nothing, "" for one that did or is on its first try.
    """

    connection: Connection
    rows: Sequence[PlatformRow]
    orders: Sequence[CatalogOrder]
    is_stale: bool
    failure: str

    @property
    def can_pull(self) -> bool:
        """Whether there is anything to pull."""
        return any(row.may_pull for row in self.rows)

    @property
    def is_busy(self) -> bool:
        """Whether an order is under way."""
        return any(order.ended_at is None for order in self.orders)


@dataclass(frozen=True, slots=True)
class PlatformSide:
    """The number that one side of a comparison has."""

    number: int | None


@dataclass(frozen=True, slots=True)
class PlatformComparison:
    """What the platform has (`before`) against our head (`after`)."""

    row: PlatformRow
    before: PlatformSide
    after: PlatformSide
    changes: Sequence[FieldChange]
    fields: int
    texts: Sequence[ChangedText]


def platform_catalog(connection: Connection, *, now: datetime) -> PlatformCatalog:
    """Both catalogs side by side: five queries."""
    recent = connection.catalog_orders.filter(requested_at__gte=now - RECENT)
    orders = recent.exclude(requested_by=None).select_related("profile", "requested_by")[:8]
    read_at = connection.catalog_read_at
    return PlatformCatalog(
        connection=connection,
        rows=platform_rows(connection, now=now),
        orders=list(orders),
        is_stale=read_at is not None and _is_stale(read_at, now=now),
        failure=_failure(connection),
    )


def _failure(connection: Connection) -> str:
    last = connection.catalog_orders.filter(act=CatalogAct.READ).first()
    if last is None or last.state == OperationState.DONE:
        return ""
    has_failed = last.state == OperationState.FAILED or last.failures > 0
    return last.sentence if has_failed else ""


def _is_stale(at: datetime, *, now: datetime) -> bool:
    return now - at > STALE_AFTER


def platform_rows(
    connection: Connection, slugs: Collection[str] | None = None, *, now: datetime
) -> list[PlatformRow]:
    """Every id of ours that is not archived and every one of theirs, or those of `slugs`. What was
    not seen for long is unknown. Three queries.
    """
    remotes = RemoteProfile.objects.filter(connection=connection).defer("body")
    profiles = Profile.objects.filter(archived_at=None)
    if slugs is not None:
        remotes = remotes.filter(slug__in=slugs)
        profiles = profiles.filter(slug__in=slugs)
    there = {row.slug: row for row in remotes}
    ours = {
        row["slug"]: row
        for row in profiles.values(
            "slug", "name", number=F("head__number"), digest=F("head__digest")
        )
    }
    digests: dict[str, set[str]] = defaultdict(set)
    known = ProfileRevision.objects.filter(profile__slug__in=there)
    for slug, digest in known.values_list("profile__slug", "digest"):
        digests[slug].add(digest)
    shown = set(ours) | {row.slug for row in there.values() if row.remote_revision is not None}
    return [
        _row(slug, ours.get(slug), there.get(slug), digests[slug], connection=connection, now=now)
        for slug in sorted(shown)
    ]


def drifts_of(heads: Mapping[str, str], *, now: datetime) -> dict[str, Drift]:
    """How profiles stand to the platform, by id, for those it was lately seen to have; `heads` are
    the digests of their heads. At most two queries.
    """
    found = RemoteProfile.objects.filter(
        slug__in=heads, remote_revision__isnull=False, seen_at__gte=now - STALE_AFTER
    )
    there = dict(found.order_by("-connection").values_list("slug", "remote_digest"))
    if not there:
        return {}
    known = ProfileRevision.objects.filter(profile__slug__in=there)
    digests: dict[str, set[str]] = defaultdict(set)
    for slug, digest in known.values_list("profile__slug", "digest"):
        digests[slug].add(digest)
    return {
        slug: drift(head=heads[slug], ours=digests[slug], remote=remote, is_there=True)
        for slug, remote in there.items()
    }


def platform_row(profile: Profile, *, now: datetime) -> PlatformRow | None:
    """How one profile stands to the first connection's catalog; None without a connection."""
    connection = Connection.objects.first()
    rows = platform_rows(connection, [profile.slug], now=now) if connection else []
    return rows[0] if rows else None


def compare_with_platform(
    profile: Profile, connection: Connection, *, now: datetime
) -> PlatformComparison | None:
    """The head against what the platform has; None when either is missing or was not kept."""
    rows = platform_rows(connection, [profile.slug], now=now)
    remote = connection.remote_profiles.filter(slug=profile.slug).first()
    head = profile.head
    if not rows or head is None or remote is None or not remote.body:
        return None
    body = json.loads(head.body)
    changes = field_changes(json.loads(remote.body), body)
    return PlatformComparison(
        row=rows[0],
        before=PlatformSide(remote.remote_revision),
        after=PlatformSide(head.number),
        changes=changes,
        fields=count_fields(body),
        texts=changed_texts(changes),
    )


def publication_of(profile: Profile, connection: Connection) -> CatalogOrder | None:
    """The last order to publish it there."""
    found = connection.catalog_orders.filter(act=CatalogAct.PUBLISH, profile=profile)
    return found.first()


def _row(
    slug: str,
    own: Mapping[str, Any] | None,
    there: RemoteProfile | None,
    digests: Collection[str],
    *,
    connection: Connection,
    now: datetime,
) -> PlatformRow:
    seen_at = there.seen_at if there else connection.catalog_read_at
    is_there: bool | None = there is not None and there.remote_revision is not None
    if seen_at is None or _is_stale(seen_at, now=now):
        is_there = None
    found = drift(
        head=str((own or {}).get("digest") or ""),
        ours=digests if own else (),
        remote=there.remote_digest if there else "",
        is_there=is_there,
    )
    number = (own or {}).get("number")
    return PlatformRow(
        slug=slug,
        name=str((own or {}).get("name") or ""),
        head=number if isinstance(number, int) else None,
        remote_revision=there.remote_revision if there else None,
        drift=found,
        seen_at=seen_at,
        problem=there.problem if there else "",
    )
