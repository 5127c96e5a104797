"""Agents of a fleet: count tabs, the table (failed first), and the grid by machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, F, IntegerField, Q, QuerySet, Value

from fleets.domain.status import Pattern, TaskState
from fleets.models import Agent, Fleet, Machine

MOST_ROWS: Final = 200
ROWS_BESIDE_GRID: Final = 50
ROWS_BELOW_GRID: Final = 25
GRID_LEADS_ABOVE: Final = 200
BARS_ABOVE: Final = 2_000
CELLS_PER_PAGE: Final = 500

# What the count tabs call a state, in the order that hurts most first. Rows are sorted by it.
GROUPS: Final[Mapping[str, tuple[TaskState, ...]]] = {
    "failed": (TaskState.FAILED, TaskState.TIMED_OUT),
    "budget": (TaskState.BUDGET_EXHAUSTED,),
    "unknown": (TaskState.UNKNOWN,),
    "waiting": (
        TaskState.WAITING_APPROVAL,
        TaskState.WAITING_QUESTION,
        TaskState.WAITING_PLAN,
    ),
    "running": (TaskState.RUNNING,),
    "queued": (TaskState.QUEUED,),
    "not-started": (TaskState.NOT_STARTED,),
    "cancelled": (TaskState.CANCELLED,),
    "finished": (TaskState.COMPLETED,),
}
_LABELS: Final = {
    "failed": "Failed",
    "budget": "Budget out",
    "unknown": "Unknown",
    "waiting": "Waiting",
    "running": "Running",
    "queued": "Queued",
    "not-started": "Not started",
    "cancelled": "Cancelled",
    "finished": "Completed",
}
_ORDER: Final[tuple[TaskState, ...]] = tuple(s for group in GROUPS.values() for s in group)
# A search needs at most this many letters of an agent's or a machine's id.
MOST_SEARCH_CHARS: Final = 63


@dataclass(frozen=True, slots=True)
class CountTab:
    """One count tab: its word in the URL, what people read, the word of state for its colour."""

    key: str
    label: str
    count: int
    state: str

    @property
    def shown(self) -> str:
        """The count as people read it."""
        return f"{self.count:,}"


@dataclass(frozen=True, slots=True)
class AgentRow:
    """One row of the table. Money in nanodollars; None is unknown."""

    pk: int
    agent_id: str
    state: str
    reason: str
    machine_id: str
    harness: str
    effective_harness: str
    model: str
    effective_model: str
    turns: int
    input_tokens: int | None
    output_tokens: int | None
    cost_nusd: int | None
    last_event: str
    last_event_at: datetime | None


@dataclass(frozen=True, slots=True)
class AgentTable:
    """One page of rows; `after` is the cursor of the next page, None on the last."""

    rows: Sequence[AgentRow]
    after: str | None

    @property
    def count(self) -> int:
        """Rows on this page."""
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Cell:
    """One agent of the grid."""

    agent_id: str
    state: str


@dataclass(frozen=True, slots=True)
class MachineCells:
    """One machine's agents, drawn as one picture."""

    pk: int
    machine_id: str
    memory_planned_mib: int
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class Grid:
    """A page of machines; `after` is the position to go on from, None on the last page."""

    machines: Sequence[MachineCells]
    after: int | None


def count_tabs(fleet: Fleet) -> list[CountTab]:
    """Count tabs out of the fleet's own counters: no query. A live page fills the empty ones."""
    counted = {
        "failed": fleet.tasks_failed + fleet.tasks_timed_out,
        "budget": fleet.tasks_budget,
        "unknown": fleet.tasks_unknown,
        "waiting": fleet.tasks_waiting,
        "running": fleet.tasks_running,
        "queued": fleet.tasks_queued,
        "not-started": fleet.tasks_not_started,
        "cancelled": fleet.tasks_cancelled,
        "finished": fleet.tasks_completed,
    }
    return [
        CountTab(key, _LABELS[key], count, GROUPS[key][0].value) for key, count in counted.items()
    ]


def agent_tabs(fleet: Fleet) -> list[CountTab]:
    """Count tabs of the agents: of a pool by their own states, as tasks are more. One query."""
    if fleet.pattern != Pattern.POOL:
        return count_tabs(fleet)
    states = Agent.objects.filter(fleet=fleet).order_by().values_list("state")
    counted = dict(states.annotate(n=Count("pk")))
    return [
        CountTab(key, _LABELS[key], sum(counted.get(state, 0) for state in group), group[0].value)
        for key, group in GROUPS.items()
    ]


def agent_table(
    fleet: Fleet, *, group: str = "", search: str = "", after: str = "", limit: int = MOST_ROWS
) -> AgentTable:
    """A page of agents, what hurts first. One query, whatever the fleet's size.

    `group` is a key of `GROUPS` ("" for all; an unknown one finds nothing), `after` the cursor of
    the page before. Every state is read by its own index range and the ranges are put together,
    so that ten thousand agents are never sorted.
    """
    limit = min(limit, MOST_ROWS)
    states = _ORDER if not group else GROUPS.get(group, ())
    rank, position = _cursor(after)
    parts = [
        _rows_of(fleet, state, search=search, after=position if here == rank else None, limit=limit)
        for here, state in enumerate(_ORDER)
        if state in states and here >= rank
    ]
    if not parts:
        return AgentTable((), None)
    head, *rest = parts
    # A single range is sorted and cut already; Django does not sort a cut one again.
    together = head.union(*rest, all=True).order_by("rank", "position") if rest else head
    found = list(together[: limit + 1])
    shown = found[:limit]
    rows = [_row(values) for values in shown]
    following = f"{shown[-1]['rank']}.{shown[-1]['position']}" if len(found) > limit else None
    return AgentTable(rows, following)


def agent_rows(fleet: Fleet, pks: Sequence[int]) -> list[AgentRow]:
    """These agents' rows, for a live patch; none of another fleet. One query."""
    found = _values(Agent.objects.filter(fleet=fleet, pk__in=pks)).order_by("position")
    return [_row(values) for values in found]


def grid(fleet: Fleet, *, after: int = -1) -> Grid:
    """A page of the grid: whole machines until `CELLS_PER_PAGE` agents are drawn. Two queries."""
    per_machine = max(1, fleet.agents_total // max(1, fleet.machines_total))
    machines = list(
        Machine.objects.filter(fleet=fleet, position__gt=after)
        .order_by("position")
        .values_list("pk", "position", "machine_id", "memory_planned_mib")[
            : CELLS_PER_PAGE // per_machine + 1
        ]
    )
    more = len(machines) > CELLS_PER_PAGE // per_machine
    shown = machines[:-1] if more and len(machines) > 1 else machines
    cells = _cells_of([pk for pk, *_ in shown])
    return Grid(
        [
            MachineCells(pk, machine_id, planned, cells.get(pk, ()))
            for pk, _, machine_id, planned in shown
        ],
        shown[-1][1] if more and shown else None,
    )


def machine_cells(fleet: Fleet, agent_pks: Sequence[int]) -> list[MachineCells]:
    """The machines of these agents with all their cells, for a live patch. Two queries."""
    machines = list(
        Machine.objects.filter(fleet=fleet, agents__in=agent_pks)
        .distinct()
        .order_by("position")
        .values_list("pk", "machine_id", "memory_planned_mib")
    )
    cells = _cells_of([pk for pk, *_ in machines])
    return [MachineCells(pk, name, planned, cells.get(pk, ())) for pk, name, planned in machines]


def _cells_of(machine_pks: Sequence[int]) -> dict[int, list[Cell]]:
    cells: dict[int, list[Cell]] = {}
    found = (
        Agent.objects.filter(machine_id__in=machine_pks)
        .order_by("position")
        .values_list("machine_id", "agent_id", "state")
    )
    for machine_pk, agent_id, state in found:
        cells.setdefault(machine_pk, []).append(Cell(agent_id, state))
    return cells


def _cursor(after: str) -> tuple[int, int | None]:
    """Rank and position of a cursor; a broken one begins at the start."""
    rank, dot, position = after.partition(".")
    if not (dot and rank.isdecimal() and position.isdecimal() and len(after) <= MOST_SEARCH_CHARS):
        return 0, None
    return int(rank), int(position)


def _rows_of(
    fleet: Fleet, state: TaskState, *, search: str, after: int | None, limit: int
) -> "QuerySet[Any, Any]":
    agents = Agent.objects.filter(fleet=fleet, state=state)
    if after is not None:
        agents = agents.filter(position__gt=after)
    if search:
        word = search[:MOST_SEARCH_CHARS]
        agents = agents.filter(Q(agent_id__icontains=word) | Q(machine__machine_id=word))
    return _values(agents, rank=_ORDER.index(state)).order_by("position")[: limit + 1]


def _values(agents: "QuerySet[Agent]", *, rank: int = 0) -> "QuerySet[Any, Any]":
    return agents.annotate(
        rank=Value(rank, IntegerField()),
        machine_name=F("machine__machine_id"),
    ).values(
        "rank",
        "position",
        "pk",
        "agent_id",
        "state",
        "state_reason",
        "machine_name",
        "harness",
        "effective_harness",
        "model",
        "effective_model",
        "turns",
        "input_tokens",
        "output_tokens",
        "cost_nusd",
        "running_input_tokens",
        "running_output_tokens",
        "last_event",
        "last_event_at",
    )


def _row(values: Mapping[str, Any]) -> AgentRow:
    return AgentRow(
        pk=values["pk"],
        agent_id=values["agent_id"],
        state=values["state"],
        reason=values["state_reason"],
        machine_id=values["machine_name"],
        harness=values["harness"],
        effective_harness=values["effective_harness"],
        model=values["model"],
        effective_model=values["effective_model"],
        turns=values["turns"],
        input_tokens=with_running(values["input_tokens"], values["running_input_tokens"]),
        output_tokens=with_running(values["output_tokens"], values["running_output_tokens"]),
        cost_nusd=values["cost_nusd"],
        last_event=values["last_event"],
        last_event_at=values["last_event_at"],
    )


def with_running(ended: int | None, running: int | None) -> int | None:
    """Tokens of ended turns and of the one under way, as far as either is known."""
    return ended if running is None else (ended or 0) + running
