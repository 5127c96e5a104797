"""Fleets of machines without agents (contract 4.1, 4.2): workers, and a coordinator beside them.

People and programs use such machines from elsewhere, so nothing here knows when they are done with
them. What becomes of them is counted from the moment all are made.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from fleets.domain.errors import InvalidInput, Problem, Repair
from fleets.domain.placement import IDLE_MIB, MachinePlan, Placement
from fleets.domain.prices import MachineSize
from fleets.domain.spec_fields import read_whole, shorten

PLACE: Final = "machines"
COORDINATOR: Final = "coordinator"
MAX_MACHINES: Final = 1_000
_YES: Final = frozenset({"1", "yes", "true", "on"})
_NO: Final = frozenset({"", "0", "no", "false", "off"})
# What is asked of agents, and how it is called.
_OF_AGENTS: Final = {
    "prompt": "prompt",
    "agents": "file of agents",
    "tasks": "list of tasks",
    "profile": "profile",
}


@dataclass(frozen=True, slots=True)
class OnlyMachines:
    """So many workers, `worker-1` to `worker-<workers>`, and perhaps a `coordinator` first."""

    workers: int
    has_coordinator: bool = False

    @property
    def count(self) -> int:
        """All machines."""
        return self.workers + self.has_coordinator

    @property
    def machine_ids(self) -> tuple[str, ...]:
        """Their ids, the coordinator first."""
        workers = tuple(f"worker-{number}" for number in range(1, self.workers + 1))
        return (COORDINATOR, *workers) if self.has_coordinator else workers


def read_only_machines(raw: Mapping[str, str]) -> OnlyMachines | None:
    """The machines that the fields `machines` and `coordinator` ask for; None without a number.

    Raises InvalidInput at them, and at fields that only agents could make something of.
    """
    text = raw.get(PLACE, "").strip()
    if not text:
        return None
    workers = read_whole(
        text, place=PLACE, what="The number of machines", least=1, most=MAX_MACHINES
    )
    typed = raw.get(COORDINATOR, "").strip().lower()
    if typed not in _YES | _NO:
        words = f"“{shorten(typed)}” is neither yes nor no: whether there is one."
        raise InvalidInput.at(COORDINATOR, words)
    found = [
        Problem(
            name,
            f"Machines only: nobody would read this {what}. Leave it empty, or ask for agents.",
            Repair("Leave it empty", name, ""),
        )
        for name, what in _OF_AGENTS.items()
        if raw.get(name, "").strip()
    ]
    if found:
        raise InvalidInput(found)
    return OnlyMachines(workers, has_coordinator=typed in _YES)


def place_machines(asked: OnlyMachines, *, size: MachineSize) -> Placement:
    """The machines, with nothing planned on them."""
    return Placement(
        tuple(
            MachinePlan(machine_id, (), used_mib=IDLE_MIB, total_mib=size.memory_mib)
            for machine_id in asked.machine_ids
        )
    )
