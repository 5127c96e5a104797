"""Which fleets a list shows: everything the URL says, read strictly and written back the same."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q, QuerySet

from fleets.domain.errors import InvalidInput
from fleets.domain.money_input import parse_usd
from fleets.domain.status import FleetState, Pattern
from fleets.models import Fleet, User
from fleets.selectors.list_query import MOST_QUERY_CHARS, known_sort, query_string

# A deletion that takes longer has met something that it retries.
STUCK_AFTER: Final = timedelta(minutes=5)
# Without a word from the platform for so long, a fleet under way needs a look.
SILENT_AFTER: Final = timedelta(seconds=60)

MOVING: Final = (
    FleetState.CREATING,
    FleetState.RUNNING,
    FleetState.CANCELLING,
    FleetState.DELETING,
)
# While it works, what a fleet costs now is its measured burn; otherwise it is its machines.
BURNING: Final = (FleetState.RUNNING, FleetState.WAITING, FleetState.CANCELLING)
# Those of them whose agents call models: what machines alone cost is known by their number.
CALLING: Final = Q(state__in=BURNING) & ~Q(pattern=Pattern.MACHINES)
STATES: Final[Mapping[str, tuple[FleetState, ...]]] = {
    "running": MOVING,
    "waiting": (FleetState.WAITING, FleetState.HELD),
    "finished": (FleetState.FINISHED,),
    "failed": (FleetState.FAILED,),
    "budget": (FleetState.BUDGET_EXHAUSTED,),
    "cancelled": (FleetState.CANCELLED,),
    "deleted": (FleetState.DELETED,),
}
RANGES: Final[Mapping[str, timedelta]] = {
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
}
SORTS: Final = ("started", "name", "spend", "cost")
DEFAULT_SORT: Final = "-started"


def needs_attention(now: datetime) -> Q:
    """Failures, budgets that ran out, stops that got stuck, silence, and questions to a person."""
    hurt = Q(tasks_failed__gt=0) | Q(tasks_timed_out__gt=0) | Q(tasks_unknown__gt=0)
    asked = Q(tasks_waiting__gt=0) | Q(state=FleetState.WAITING)
    ended = Q(state__in=(FleetState.BUDGET_EXHAUSTED, FleetState.FAILED))
    stuck = Q(state=FleetState.DELETING, state_since__lt=now - STUCK_AFTER)
    silent = Q(state__in=MOVING, platform_seen_at__lt=now - SILENT_AFTER)
    # Machines without agents are looked at once a minute: nothing of them is under way.
    silent &= ~Q(
        pattern=Pattern.MACHINES,
        work_ended_at__isnull=False,
        platform_seen_at__gte=now - 3 * SILENT_AFTER,
    )
    return ~Q(state=FleetState.DELETED) & (hurt | asked | ended | stuck | silent)


@dataclass(frozen=True, slots=True)
class FleetFilter:
    """What the list is narrowed to. `state` is a tab's word or one raw word of state, "" for all.

    `problems` are sentences about what was asked and could not be understood; it is left out then.
    """

    state: str = ""
    q: str = ""
    owner: str = ""
    range: str = ""
    sort: str = DEFAULT_SORT
    problems: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, params: Mapping[str, str]) -> "FleetFilter":
        """Read a query string; unknown words are dropped and said."""
        problems = []
        state = params.get("state", "")
        if state not in ("", "attention", *STATES, *FleetState):
            problems.append(f"“{state[:40]}” is not a state of fleets.")
            state = ""
        span = params.get("range", "")
        if span not in ("", *RANGES):
            problems.append(f"“{span[:40]}” is not a time range: 24h, 7d or 30d.")
            span = ""
        sort, unsorted = known_sort(params.get("sort", ""), known=SORTS, default=DEFAULT_SORT)
        text = params.get("q", "").replace("\0", "").strip()[:MOST_QUERY_CHARS]
        owner = params.get("owner", "").replace("\0", "")[:150]
        _, wrong = _search(text)
        return cls(state, text, owner, span, sort, (*problems, *unsorted, *wrong))

    @property
    def words(self) -> list[tuple[str, str]]:
        """The active filters as (key, value), for people."""
        pairs = (
            ("state", self.state.replace("_", " ")),
            ("search", self.q),
            ("owner", self.owner),
            ("in the last", self.range),
        )
        return [(key, value) for key, value in pairs if value]

    def query(self, **changes: str) -> str:
        """The query string of this filter with some words changed; defaults are left out."""
        pairs = {key: getattr(self, key) for key in ("state", "q", "owner", "range", "sort")}
        return query_string(pairs | changes, default_sort=DEFAULT_SORT)

    def fleets(self, user: User, *, now: datetime) -> QuerySet[Fleet]:
        """All fleets of the filter in every state, for the tabs; unsorted."""
        found = Fleet.objects.order_by()
        if self.owner:
            name = user.get_username() if self.owner == "me" else self.owner
            found = found.filter(owner__username=name)
        if self.range:
            found = found.filter(created_at__gte=now - RANGES[self.range])
        for condition in _search(self.q)[0]:
            found = found.filter(condition)
        return found

    def in_state(self, *, now: datetime) -> Q:
        """The condition of the chosen tab. Deleted fleets are history: only their tab has them."""
        if not self.state:
            return ~Q(state=FleetState.DELETED)
        if self.state == "attention":
            return needs_attention(now)
        return Q(state__in=STATES.get(self.state, (self.state,)))


_FIELDS: Final = {
    "owner": "owner__username__iexact",
    "team": "team__slug__iexact",
    "model": "model__icontains",
    "harness": "harness__iexact",
    "state": "state",
}


def _search(text: str) -> tuple[list[Q], list[str]]:
    """Conditions of the search box, and what of it could not be understood."""
    found, wrong = [], []
    for word in text.split():
        key, colon, value = word.partition(":")
        if colon and value and key == "spend":
            condition = _spend(value)
            if condition is None:
                wrong.append(f"“{word}”: write spend:>1 or spend:<0.50.")
            else:
                found.append(condition)
        elif colon and value and key == "tag":
            found.append(Q(tags__contains=[value]))
        elif colon and value and key in _FIELDS:
            found.append(Q(**{_FIELDS[key]: value}))
        else:
            found.append(Q(name__icontains=word) | Q(public_id__istartswith=word))
    return found, wrong


def _spend(value: str) -> Q | None:
    lookups = {">": "spent_nusd__gt", "<": "spent_nusd__lt"}
    if value[0] not in lookups:
        return None
    try:
        return Q(**{lookups[value[0]]: parse_usd(value[1:], place="q")})
    except InvalidInput:
        return None
