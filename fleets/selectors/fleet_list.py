"""The fleet list: count tabs, one keyset page of rows in their tree, and what came since."""

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.db.models import BigIntegerField, Case, Count, F, Max, Q, QuerySet, Sum, Value, When
from django.db.models.functions import Coalesce, Lower
from django.urls import reverse

from fleets.domain.prices import MEMORY_NUSD_PER_GIB_S, VCPU_NUSD_PER_S
from fleets.models import Connection, Fleet, User
from fleets.selectors.fleet_filter import BURNING, CALLING, FleetFilter
from fleets.selectors.fleet_rows import FleetRow, for_rows, row_of

MOST_ROWS: Final = 50

# Tabs by meaning: word in the URL, label, word of state that colours the count ("" stays quiet).
TABS: Final = (
    ("", "All", ""),
    ("attention", "Needs attention", "failed"),
    ("running", "Running", "running"),
    ("waiting", "Waiting", "waiting"),
    ("finished", "Finished", ""),
    ("failed", "Failed", "failed"),
    ("budget", "Budget out", "budget"),
    ("cancelled", "Cancelled", ""),
    ("deleted", "Deleted", ""),
)


@dataclass(frozen=True, slots=True)
class Tab:
    """One count tab."""

    key: str
    label: str
    state: str
    count: int
    query: str
    is_current: bool

    @property
    def is_quiet(self) -> bool:
        """Whether it is left out while it counts nothing."""
        return self.key in ("failed", "budget", "deleted")


@dataclass(frozen=True, slots=True)
class Overview:
    """What stands above the rows. `known` is the newest fleet counted; `new_count` came after.

    `total` counts the chosen tab's fleets. Money is nanodollars per minute and per hour.
    """

    tabs: tuple[Tab, ...]
    total: int
    attention: int
    running: int
    burn_nusd_per_min: int | None
    idle_nusd_per_hour: int
    known: int
    new_count: int


@dataclass(frozen=True, slots=True)
class ListedRow:
    """A row and its place: how many ancestors are above it on this page, and what to draw."""

    row: FleetRow
    depth: int
    has_line_through: bool
    parent_name: str
    parent_url: str
    peek_query: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class FleetPage:
    """At most `MOST_ROWS` rows; the cursors are None where there is nothing further."""

    rows: Sequence[ListedRow]
    after: str | None
    before: str | None


def overview(
    chosen: FleetFilter, user: User, *, now: datetime, known: int | None = None
) -> Overview:
    """Counts of every tab and what the filter's fleets cost now. One query.

    `known` is the newest fleet that the viewer's page has already counted (None: all of them).
    """
    seen = Q() if known is None else Q(pk__gt=known)
    idle = Sum(_IDLE_NUSD_PER_HOUR, filter=~CALLING)
    figures: dict[str, Any] = chosen.fleets(user, now=now).aggregate(
        **{
            f"in_{key or 'all'}": Count("pk", filter=replace(chosen, state=key).in_state(now=now))
            for key, _, _ in TABS
        },
        chosen=Count("pk", filter=chosen.in_state(now=now)),
        burn=Sum("burn_nusd_per_min", filter=CALLING),
        burning=Count("pk", filter=Q(state__in=BURNING)),
        idle=idle,
        newest=Max("pk"),
        fresh=Count("pk", filter=chosen.in_state(now=now) & seen),
    )
    return Overview(
        tabs=tuple(
            Tab(
                key=key,
                label=label,
                state=state,
                count=figures[f"in_{key or 'all'}"],
                query=chosen.query(state=key),
                is_current=chosen.state == key,
            )
            for key, label, state in TABS
        ),
        total=figures["chosen"],
        attention=figures["in_attention"],
        running=figures["in_running"],
        burn_nusd_per_min=figures["burn"] if figures["burning"] else 0,
        idle_nusd_per_hour=figures["idle"] or 0,
        known=known if known is not None else figures["newest"] or 0,
        new_count=0 if known is None else figures["fresh"],
    )


def fleet_page(
    chosen: FleetFilter,
    user: User,
    *,
    now: datetime,
    after: str = "",
    before: str = "",
    known: int | None = None,
    peek: str = "",
) -> FleetPage:
    """One page of the filter. One query.

    `after` and `before` are cursors of another page; one that does not fit is taken as the first
    page. `known` leaves out fleets that are newer. `peek` marks the row that is open.
    """
    found = for_rows(chosen.fleets(user, now=now).filter(chosen.in_state(now=now)))
    if known is not None:
        found = found.filter(pk__lte=known)
    found, is_backward, cursor = _after_cursor(sorted_by(found, chosen.sort), chosen, after, before)
    fleets = list(found[: MOST_ROWS + 1])
    has_more = len(fleets) > MOST_ROWS
    fleets = fleets[:MOST_ROWS]
    if is_backward:
        fleets.reverse()
    is_last = not has_more and not is_backward
    is_first = cursor is None or (is_backward and not has_more)
    return FleetPage(
        rows=_in_tree(fleets, chosen, peek=peek),
        after=None if is_last or not fleets else _cursor(fleets[-1]),
        before=None if is_first or not fleets else _cursor(fleets[0]),
    )


def sorted_by(fleets: QuerySet[Fleet], sort: str) -> QuerySet[Fleet]:
    """The filter's fleets in its order, the sort value annotated as `sort_value`."""
    value = _SORT_VALUES[sort.removeprefix("-")]
    sign = "-" if sort.startswith("-") else ""
    return fleets.annotate(sort_value=value).order_by(f"{sign}sort_value", f"{sign}pk")


def has_connection() -> bool:
    """Whether any platform account is connected. One query."""
    return Connection.objects.exists()


_SECONDS_PER_HOUR: Final = 3_600
_IDLE_NUSD_PER_HOUR: Final = F("machines_running") * (
    F("cpu_cores") * VCPU_NUSD_PER_S * _SECONDS_PER_HOUR
    + F("memory_mib") * (MEMORY_NUSD_PER_GIB_S * _SECONDS_PER_HOUR // 1_024)
)
_SORT_VALUES: Final[dict[str, Any]] = {
    "started": F("created_at"),
    "name": Lower("name"),
    "spend": Coalesce(F("spent_nusd"), Value(-1), output_field=BigIntegerField()),
    "cost": Case(
        When(
            CALLING,
            then=Coalesce(F("burn_nusd_per_min") * 60, Value(-1), output_field=BigIntegerField()),
        ),
        default=_IDLE_NUSD_PER_HOUR,
        output_field=BigIntegerField(),
    ),
}


def _after_cursor(
    fleets: QuerySet[Fleet], chosen: FleetFilter, after: str, before: str
) -> tuple[QuerySet[Fleet], bool, tuple[Any, int] | None]:
    cursor = _read_cursor(after or before, chosen.sort)
    if cursor is None:
        return fleets, False, None
    is_backward = not after
    if is_backward:
        fleets = fleets.reverse()
    is_descending = chosen.sort.startswith("-") != is_backward
    value, pk = cursor
    side = "lt" if is_descending else "gt"
    beyond = Q(**{f"sort_value__{side}": value}) | Q(sort_value=value, **{f"pk__{side}": pk})
    return fleets.filter(beyond), is_backward, cursor


def _cursor(fleet: Fleet) -> str:
    value = getattr(fleet, "sort_value")  # noqa: B009  # annotated, unknown to the type checker
    text = value.isoformat() if isinstance(value, datetime) else value
    packed = json.dumps([text, fleet.pk], separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def _read_cursor(text: str, sort: str) -> tuple[Any, int] | None:
    try:
        value, pk = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        column = sort.removeprefix("-")
        if column == "started":
            return datetime.fromisoformat(value), int(pk)
        return (str(value) if column == "name" else int(value)), int(pk)
    except (ValueError, TypeError, binascii.Error):
        return None


def _in_tree(fleets: Sequence[Fleet], chosen: FleetFilter, *, peek: str) -> list[ListedRow]:
    """Children go under the nearest ancestor that is on the page; the order is kept otherwise."""
    on_page = {fleet.pk for fleet in fleets}
    under: dict[int, list[Fleet]] = {}
    tops: list[Fleet] = []
    for fleet in fleets:
        above = next((pk for pk in reversed(fleet.path[:-1]) if pk in on_page), None)
        (tops if above is None else under.setdefault(above, [])).append(fleet)
    # What is still to be placed, the next one last: (fleet, depth, whether the line runs on).
    pending = [(fleet, 0, False) for fleet in reversed(tops)]
    rows: list[ListedRow] = []
    while pending:
        fleet, depth, is_followed = pending.pop()
        rows.append(_listed(fleet, chosen, depth=depth, is_followed=is_followed, peek=peek))
        children = under.get(fleet.pk, [])
        for number in range(len(children), 0, -1):
            # The line of the first level runs on beside deeper rows while a sibling follows.
            follows = number < len(children) if depth == 0 else is_followed
            pending.append((children[number - 1], depth + 1, follows))
    return rows


def _listed(
    fleet: Fleet, chosen: FleetFilter, *, depth: int, is_followed: bool, peek: str
) -> ListedRow:
    parent = fleet.parent if depth == 0 else None
    return ListedRow(
        row=row_of(fleet),
        depth=min(depth, 2),
        has_line_through=depth > 1 and is_followed,
        parent_name=parent.name if parent else "",
        parent_url=reverse("fleets:fleet_detail", args=[parent.public_id]) if parent else "",
        peek_query=chosen.query(peek=fleet.public_id),
        is_open=fleet.public_id == peek,
    )
