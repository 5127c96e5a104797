"""Which agents share which machine: by memory, and by what their harness writes into the home.

Contract 4.4 and row 20: an idle machine takes 180 MiB, a tenth of its memory stays free for safety,
and two agents of one harness family share only with identical profiles; two families share freely.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from fleets.domain.harnesses import HEAVY_MIB, harness_named
from fleets.domain.ids import machine_id
from fleets.domain.numbers import natural_key, show_memory, show_memory_use
from fleets.domain.prices import MachineSize

IDLE_MIB: Final = 180
SAFETY_PERCENT: Final = 10
_NAMES_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class Auto:
    """As many agents on a machine as its memory carries."""


@dataclass(frozen=True, slots=True)
class Dedicated:
    """A machine for each agent."""


@dataclass(frozen=True, slots=True)
class PerMachine:
    """That many agents on a machine, whatever its memory: the operator's own risk."""

    agents: int

    def __post_init__(self) -> None:
        if self.agents < 1:
            raise ValueError("at least one agent on a machine")


PlacementRule = Auto | Dedicated | PerMachine


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """What placement has to know of an agent. `profile_digest` None: no profile, which is one of
    its own; `placement` None: the fleet's. Agents share machines with those of the same rule."""

    agent_id: str
    harness: str
    profile_digest: str | None = None
    placement: "PlacementRule | None" = None


@dataclass(frozen=True, slots=True)
class MachinePlan:
    """One machine to ask for, its agents in natural order. `reason` says why it is not shared."""

    machine_id: str
    agent_ids: tuple[str, ...]
    used_mib: int
    total_mib: int
    is_dedicated: bool = False
    reason: str = ""

    @property
    def is_shared(self) -> bool:
        """Whether agents on it can read each other's files."""
        return len(self.agent_ids) > 1

    @property
    def is_past_safe(self) -> bool:
        """Whether it may run out of memory."""
        return self.used_mib > safe_mib(self.total_mib)


@dataclass(frozen=True, slots=True)
class Placement:
    """All machines and what the operator should know about them."""

    machines: tuple[MachinePlan, ...]
    warnings: tuple[str, ...] = ()


def safe_mib(total_mib: int) -> int:
    """Memory a machine can use in all, idle part included, with the safety kept free."""
    return total_mib * (100 - SAFETY_PERCENT) // 100


def agents_that_fit(size: MachineSize, harness: str) -> int:
    """How many agents of one harness and one profile such a machine carries; at least 1."""
    return max(1, (safe_mib(size.memory_mib) - IDLE_MIB) // memory_of(harness))


def memory_of(harness: str) -> int:
    """Memory of one agent in MiB; an unknown harness counts as a heavy one."""
    known = harness_named(harness)
    return known.memory_mib if known else HEAVY_MIB


@dataclass(slots=True)
class _Machine:
    room_mib: int
    room_agents: int | None
    agents: list[AgentSpec] = field(default_factory=list)
    used_mib: int = IDLE_MIB
    is_dedicated: bool = False
    reason: str = ""

    def fits(self, agent: AgentSpec) -> bool:
        if self.room_agents is not None:
            return len(self.agents) < self.room_agents
        return not self.agents or self.used_mib + memory_of(agent.harness) <= self.room_mib

    def put(self, agent: AgentSpec) -> None:
        self.agents.append(agent)
        self.used_mib += memory_of(agent.harness)


def plan_machines(
    agents: Sequence[AgentSpec], *, size: MachineSize, placement: PlacementRule
) -> Placement:
    """Every agent on exactly one machine; the same plan whatever the order given.

    Raises ValueError when two agents have the same id.
    """
    ordered = sorted(agents, key=lambda agent: natural_key(agent.agent_id))
    if len({agent.agent_id for agent in ordered}) != len(ordered):
        raise ValueError("two agents have the same id")
    alone = [(agent, _why_alone(agent, placement)) for agent in ordered]
    machines = [_alone(agent, reason=why, size=size) for agent, why in alone if why]
    sharing = [agent for agent, why in alone if not why]
    for rule, group in _by_rule(sharing, placement).items():
        machines += _shared(group, size=size, placement=rule)
    machines.sort(key=lambda machine: natural_key(machine.agents[0].agent_id))
    plans = tuple(
        _plan(machine, number=number, size=size) for number, machine in enumerate(machines, start=1)
    )
    return Placement(plans, tuple(_warnings(ordered, sharing, plans=plans, size=size)))


def _by_rule(
    agents: Iterable[AgentSpec], placement: PlacementRule
) -> dict[PlacementRule, list[AgentSpec]]:
    groups: dict[PlacementRule, list[AgentSpec]] = {}
    for agent in agents:
        groups.setdefault(agent.placement or placement, []).append(agent)
    return groups


def _why_alone(agent: AgentSpec, placement: PlacementRule) -> str:
    if isinstance(agent.placement or placement, Dedicated):
        return "dedicated"
    if harness_named(agent.harness) is None:
        return f"unknown harness {agent.harness}: what it writes is not known, so it is alone"
    return ""


def _alone(agent: AgentSpec, *, reason: str, size: MachineSize) -> _Machine:
    machine = _Machine(safe_mib(size.memory_mib), 1, is_dedicated=True, reason=reason)
    machine.put(agent)
    return machine


def _shared(
    agents: Iterable[AgentSpec], *, size: MachineSize, placement: PlacementRule
) -> list[_Machine]:
    """Fill machines family by family: those of earlier families first, then new ones.

    Within a family each machine takes one profile only, so a machine is offered to a family once.
    """
    most = placement.agents if isinstance(placement, PerMachine) else None
    machines: list[_Machine] = []
    for groups in _families(agents).values():
        offered = iter(tuple(machines))
        for group in groups.values():
            machine: _Machine | None = None
            for agent in group:
                if machine is None or not machine.fits(agent):
                    machine = next((open_ for open_ in offered if open_.fits(agent)), None)
                if machine is None:
                    machine = _Machine(safe_mib(size.memory_mib), most)
                    machines.append(machine)
                machine.put(agent)
    for machine in machines:
        machine.agents.sort(key=lambda agent: natural_key(agent.agent_id))
    return machines


def _families(
    agents: Iterable[AgentSpec],
) -> dict[str, dict[str | None, list[AgentSpec]]]:
    families: dict[str, dict[str | None, list[AgentSpec]]] = {}
    for agent in agents:
        known = harness_named(agent.harness)
        family = known.family if known else agent.harness
        groups = families.setdefault(family, {})
        groups.setdefault(agent.profile_digest, []).append(agent)
    return families


def _plan(machine: _Machine, *, number: int, size: MachineSize) -> MachinePlan:
    return MachinePlan(
        machine_id=machine_id(number),
        agent_ids=tuple(agent.agent_id for agent in machine.agents),
        used_mib=machine.used_mib,
        total_mib=size.memory_mib,
        is_dedicated=machine.is_dedicated,
        reason=machine.reason,
    )


def _warnings(
    ordered: Sequence[AgentSpec],
    sharing: Sequence[AgentSpec],
    *,
    plans: Sequence[MachinePlan],
    size: MachineSize,
) -> Iterator[str]:
    unknown = sorted({a.harness for a in ordered if harness_named(a.harness) is None})
    if unknown:
        yield (
            f"Unknown harness {', '.join(unknown[:_NAMES_SHOWN])}: each of its agents gets a"
            " machine of its own."
        )
    for family, groups in _families(sharing).items():
        if len(groups) > 1:
            first = [group[0].agent_id for group in groups.values()]
            yield (
                f"{_names(first)} share a harness ({family}) with different profiles:"
                " they cannot share a machine."
            )
    risky = [plan for plan in plans if plan.is_past_safe]
    if risky:
        yield (
            f"{_names([plan.machine_id for plan in risky])} may run out of memory:"
            f" {show_memory_use(risky[0].used_mib, size.memory_mib)} planned,"
            f" {show_memory(safe_mib(size.memory_mib))} is safe."
        )


def _names(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    if len(names) <= _NAMES_SHOWN:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{', '.join(names[:_NAMES_SHOWN])} and {len(names) - _NAMES_SHOWN} more"
