"""One row of the fleet list: what it shows, formatted, the same for every viewer."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.urls import reverse

from fleets.domain import money
from fleets.domain.numbers import counted
from fleets.domain.prices import MachineSize
from fleets.domain.status import FleetState, Origin, Pattern
from fleets.models import Fleet
from fleets.selectors.fleet_filter import BURNING
from fleets.selectors.fleet_spend import BarPart, SpendCard, spend_card
from fleets.selectors.freshness import read_at

# Patched rows must line up with those beside them: the column has one precision for everybody.
SPEND_DECIMALS: Final = 3
_CENT: Final = money.NUSD_PER_USD // 100
_STEP: Final = money.NUSD_PER_USD // 10**SPEND_DECIMALS

# Counter, `data-state` of its bar, the word beside a count of what hurts ("" says nothing).
_PARTS: Final = (
    ("tasks_completed", "finished", ""),
    ("tasks_failed", "failed", "failed"),
    ("tasks_timed_out", "timed-out", "timed out"),
    ("tasks_budget", "budget", "budget out"),
    ("tasks_unknown", "unknown", "unread"),
    ("tasks_cancelled", "cancelled", ""),
    ("tasks_waiting", "waiting", "asking"),
    ("tasks_running", "running", ""),
    ("tasks_not_started", "not-started", "not started"),
    ("tasks_queued", "queued", ""),
)
_STRUCK: Final = frozenset({FleetState.CANCELLED, FleetState.DELETING, FleetState.DELETED})


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a bar in percent of its width, as SVG attributes."""

    state: str
    x: str
    width: str


@dataclass(frozen=True, slots=True)
class Hurt:
    """A count that hurts: "3 failed"."""

    state: str
    text: str


@dataclass(frozen=True, slots=True)
class FleetRow:
    """A row of the list. Money is formatted: used parts rounded up, unknown as a dash."""

    pk: int
    public_id: str
    name: str
    url: str
    state: str
    state_label: str
    is_struck: bool
    agents: tuple[Segment, ...]
    agents_text: str
    below: str
    origin: str
    hurts: tuple[Hurt, ...]
    spend: tuple[BarPart, ...]
    spent: str
    spent_exact: str
    taken: str
    beside: str
    stop_sentence: str
    cost_now: str
    costs_nothing: bool
    machines: int
    key: str
    owner: str
    started_at: datetime
    read_at: datetime | None


_COLUMNS: Final = (
    "public_id",
    "name",
    "path",
    "is_demo",
    "origin",
    "state",
    "state_since",
    "stop_sentence",
    "created_at",
    "work_ended_at",
    "platform_seen_at",
    "budget_nusd",
    "budget_is_known",
    "found_at",
    "size",
    "cpu_cores",
    "memory_mib",
    "disk_gib",
    "pattern",
    "agents_total",
    "machines_total",
    "machines_running",
    "tasks_total",
    *(counter for counter, _, _ in _PARTS),
    "key_id",
    "key_cap_nusd",
    "key_revoked_at",
    "key_seen_at",
    "spent_nusd",
    "reserved_nusd",
    "remaining_nusd",
    "burn_nusd_per_min",
    "parent_agent",
    "tree_fleets",
    "tree_tasks",
    "tree_completed",
    "tree_worst",
    "owner__username",
    "parent__name",
    "parent__public_id",
    "team__name",
)


def for_rows(fleets: QuerySet[Fleet]) -> QuerySet[Fleet]:
    """Only the columns that a row and the peek need; the key's secret stays in the database."""
    holds = ExpressionWrapper(Q(key_secret__isnull=False), output_field=BooleanField())
    found = fleets.select_related("owner", "parent", "team").only(*_COLUMNS)
    return found.annotate(holds_key=holds)


def row_of(fleet: Fleet) -> FleetRow:
    """A fleet of `for_rows` as a row."""
    total = fleet.tasks_total or fleet.agents_total
    card = spend_card(fleet)
    cost = cost_now(fleet, burn_nusd_per_min=card.burn_nusd_per_min)
    return FleetRow(
        pk=fleet.pk,
        public_id=fleet.public_id,
        name=fleet.name,
        url=reverse("fleets:fleet_detail", args=[fleet.public_id]),
        state=fleet.state,
        state_label=_state_label(fleet),
        is_struck=fleet.state in _STRUCK,
        agents=_agents_bar(fleet, total),
        agents_text=_agents_text(fleet, total),
        below=_below(fleet),
        origin=_origin(fleet),
        hurts=_hurts(fleet),
        spend=card.bar,
        spent=_spent(fleet.spent_nusd),
        spent_exact=money.show_exact(fleet.spent_nusd),
        taken=_taken(card),
        beside=_beside(card),
        stop_sentence=fleet.stop_sentence,
        cost_now=cost,
        costs_nothing=cost == money.show(0),
        machines=fleet.machines_running,
        key=_key(fleet),
        owner=_owner(fleet),
        started_at=fleet.created_at,
        read_at=read_at(fleet),
    )


def _owner(fleet: Fleet) -> str:
    """Who made it: of a fleet that an agent spawned, that agent."""
    if fleet.origin == Origin.SPAWNED and fleet.parent_agent:
        return fleet.parent_agent
    return fleet.owner.get_username() if fleet.owner else fleet.parent_agent or money.UNKNOWN


def idle_nusd_per_hour(fleet: Fleet) -> int:
    """What the fleet's running machines cost each hour, whatever their agents do."""
    size = MachineSize(fleet.size, fleet.cpu_cores, fleet.memory_mib, fleet.disk_gib)
    return size.nusd_per_hour * fleet.machines_running


def cost_now(fleet: Fleet, *, burn_nusd_per_min: int | None) -> str:
    """What it costs at this moment: the measured burn while it works, else its machines."""
    if fleet.state == FleetState.DELETED:
        return money.show(0)
    if fleet.state in BURNING and fleet.pattern != Pattern.MACHINES:
        is_known = burn_nusd_per_min is not None
        return f"{show_rate(burn_nusd_per_min)}/min" if is_known else money.UNKNOWN
    return f"{show_rate(idle_nusd_per_hour(fleet))}/h" if fleet.machines_running else "$0"


def show_rate(nusd: int | None) -> str:
    """A rate to whole cents, rounded up; below a cent as exactly as any single cost."""
    if nusd is None or nusd < _CENT:
        return money.show(nusd)
    return money.show_at_precision(-(-nusd // _CENT) * _CENT, decimals=2)


def _segments(parts: tuple[tuple[str, int], ...], *, whole: int) -> tuple[Segment, ...]:
    segments, at = [], 0
    for state, amount in parts:
        amount = min(amount, whole - at)
        if amount > 0:
            segments.append(
                Segment(state, f"{at * 100 / whole:.2f}%", f"{amount * 100 / whole:.2f}%")
            )
            at += amount
    return tuple(segments)


def _agents_bar(fleet: Fleet, total: int) -> tuple[Segment, ...]:
    if not total:
        return ()
    if not fleet.tasks_total:
        return (Segment("queued", "0%", "100%"),)
    return _segments(
        tuple((state, getattr(fleet, counter)) for counter, state, _ in _PARTS), whole=total
    )


def _agents_text(fleet: Fleet, total: int) -> str:
    if fleet.pattern == Pattern.MACHINES:
        return "machines only"
    if not total and fleet.found_at is not None:
        return money.UNKNOWN  # its machines do not say who works there
    return f"{fleet.tasks_completed:,}/{total:,}"


def _below(fleet: Fleet) -> str:
    """What the tree below adds: "+3 fleets 23/40"; "" for a fleet without children."""
    if fleet.tree_fleets <= 1:
        return ""
    more = counted(fleet.tree_fleets - 1, "fleet")
    done = fleet.tree_completed - fleet.tasks_completed
    return f"+{more} {done:,}/{fleet.tree_tasks - fleet.tasks_total:,}"


def _origin(fleet: Fleet) -> str:
    """`spawned` by an agent, `foreign` (made elsewhere), or "" for one that was launched here."""
    return "" if fleet.origin == Origin.OURS else fleet.origin


def _hurts(fleet: Fleet) -> tuple[Hurt, ...]:
    counted = ((state, getattr(fleet, counter), word) for counter, state, word in _PARTS if word)
    return tuple(Hurt(state, f"{count:,} {word}") for state, count, word in counted if count)


def _state_label(fleet: Fleet) -> str:
    if fleet.state == FleetState.CREATING and fleet.machines_total:
        return f"Creating {fleet.machines_running}/{fleet.machines_total}"
    return ""


def _spent(nusd: int | None) -> str:
    if nusd is None:
        return money.UNKNOWN
    return money.show_at_precision(-(-nusd // _STEP) * _STEP, decimals=SPEND_DECIMALS)


def _taken(card: SpendCard) -> str:
    """What is held and reserved beside what is spent, without its dollar sign; "" for nothing."""
    taken = (card.held_nusd or 0) + (card.reserved_nusd or 0)
    return _spent(taken).removeprefix("$") if taken and card.budget_nusd is not None else ""


def _beside(card: SpendCard) -> str:
    return card.no_budget or f"of {money.show_limit(card.budget_nusd or 0)}"


def _key(fleet: Fleet) -> str:
    """`here`, `elsewhere` (its budget's key is in other hands) or "" (it has none)."""
    if fleet.key_revoked_at is not None or fleet.state == FleetState.DELETED:
        return ""
    if getattr(fleet, "holds_key", False):
        return "here"
    has_key = bool(fleet.key_id) or fleet.key_cap_nusd is not None
    return "elsewhere" if has_key and fleet.origin != Origin.OURS else ""
