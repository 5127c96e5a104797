"""Machines of a fleet: what the platform last said of each, its memory, and who shares it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, QuerySet

from fleets.domain.prices import MachineSize
from fleets.models import Fleet, Machine

MOST_ROWS: Final = 100
_AGENTS_NAMED: Final = 8
_AT_REST: Final = frozenset({"stopped", "failed", "deleted", "expired"})


@dataclass(frozen=True, slots=True)
class MachineRow:
    """One machine. `status` is the platform's raw word, `gone` when we know it is no more.

    `nusd_per_hour` is what it costs now: nothing once it stopped, None before it runs.
    """

    pk: int
    machine_id: str
    sandbox_id: str
    status: str
    status_seen_at: datetime | None
    cpu_cores: int
    memory_mib: int
    disk_gib: int
    memory_planned_mib: int
    planned_share: str
    is_dedicated: bool
    error: str
    running_since: datetime | None
    gone_at: datetime | None
    nusd_per_hour: int | None
    agents: int
    agents_named: tuple[str, ...]

    @property
    def agents_unnamed(self) -> int:
        """How many agents are on it beyond those named."""
        return self.agents - len(self.agents_named)

    @property
    def is_shared(self) -> bool:
        """Whether its agents can read each other's files."""
        return self.agents > 1


@dataclass(frozen=True, slots=True)
class MachineTable:
    """One page of machines; `after` is the position to go on from, None on the last."""

    rows: Sequence[MachineRow]
    after: int | None


def machine_table(fleet: Fleet, *, after: int = -1, limit: int = MOST_ROWS) -> MachineTable:
    """A page of machines, as placed. One query."""
    limit = min(limit, MOST_ROWS)
    machines = _with_agents(Machine.objects.filter(fleet=fleet, position__gt=after))
    found = list(machines.order_by("position")[: limit + 1])
    shown = found[:limit]
    return MachineTable(
        [_row(machine) for machine in shown],
        shown[-1].position if len(found) > limit else None,
    )


def machine_rows(fleet: Fleet, pks: Sequence[int]) -> list[MachineRow]:
    """These machines' rows, for a live patch. One query."""
    machines = _with_agents(Machine.objects.filter(fleet=fleet, pk__in=pks))
    return [_row(machine) for machine in machines.order_by("position")]


def _with_agents(machines: "QuerySet[Machine]") -> "QuerySet[Machine]":
    return machines.annotate(
        agent_count=Count("agents"),
        agent_names=ArrayAgg("agents__agent_id", order_by=["agents__position"]),
    )


def _costs_now(machine: Machine, size: MachineSize) -> int | None:
    if machine.gone_at is not None or machine.status in _AT_REST:
        return 0
    return size.nusd_per_hour if machine.status == "running" else None


def _row(machine: Machine) -> MachineRow:
    size = MachineSize("", machine.cpu_cores, machine.memory_mib, machine.disk_gib)
    names: list[str | None] = machine.agent_names  # type: ignore[attr-defined]  # annotated
    share = min(100, machine.memory_planned_mib * 100 // max(1, machine.memory_mib))
    return MachineRow(
        pk=machine.pk,
        machine_id=machine.machine_id,
        sandbox_id=machine.sandbox_id,
        status="gone" if machine.gone_at else machine.status or "queued",
        status_seen_at=machine.status_seen_at,
        cpu_cores=machine.cpu_cores,
        memory_mib=machine.memory_mib,
        disk_gib=machine.disk_gib,
        memory_planned_mib=machine.memory_planned_mib,
        planned_share=f"{share}%",
        is_dedicated=machine.is_dedicated,
        error=machine.preparation_error or machine.error,
        running_since=machine.running_since,
        gone_at=machine.gone_at,
        nusd_per_hour=_costs_now(machine, size),
        agents=machine.agent_count,  # type: ignore[attr-defined]  # annotated
        agents_named=tuple(name for name in names[:_AGENTS_NAMED] if name is not None),
    )
