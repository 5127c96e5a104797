"""What a tick knows before it asks the platform: the run, its machines, its open turns."""

from dataclasses import dataclass

from django.db.models import QuerySet

from fleets.domain.driving import FreeAgent, MachineView, QueuedTask
from fleets.domain.status import Pattern, TaskState
from fleets.models import Agent, Fleet, Machine, Run, Task, Turn
from fleets.services.driving.open_turns import TurnRow, load_rows, open_turns

READY = "running"


@dataclass(slots=True)
class RunView:
    """Rows of one run, loaded at one moment."""

    run: Run
    fleet: Fleet
    machines: list[Machine]
    open_turns: list[TurnRow]

    @property
    def machines_with_turns(self) -> list[Machine]:
        """Machines that hold at least one turn the platform may know of."""
        busy = {turn.machine_pk for turn in self.open_turns}
        return [machine for machine in self.machines if machine.pk in busy and machine.sandbox_id]


def load(run: Run) -> RunView:
    """Three queries, whatever the size of the run."""
    fleet = Fleet.objects.select_related("connection").get(pk=run.fleet_id)
    return RunView(
        run=run,
        fleet=fleet,
        machines=list(Machine.objects.filter(fleet=fleet).order_by("position")),
        open_turns=load_rows(run),
    )


def fleet_with_key(fleet: Fleet) -> Fleet:
    """The fleet as it stands now with its connection and sealed key, for building a client."""
    return Fleet.objects.select_related("connection", "parent__connection").get(pk=fleet.pk)


def load_open_turns(run: Run) -> list[Turn]:
    """Turns of the run that have not ended, oldest first, with their agents and tasks."""
    return list(open_turns(run).select_related("agent", "task"))


@dataclass(frozen=True, slots=True)
class Waiting:
    """Tasks of a run that wait for a turn, in order, and the agents that may take them.

    `total` counts them all; of those that are nobody's, `tasks` has as many as can be taken now.
    """

    tasks: list[QueuedTask]
    total: int
    free_agents: list[FreeAgent]


def load_waiting(run: Run, fleet: Fleet, busy: list[TurnRow]) -> Waiting:
    """What waits in a run: one query, four for a pool, whatever its size."""
    queued = Task.objects.filter(run=run, state=TaskState.QUEUED).order_by("position")
    if fleet.pattern != Pattern.POOL:
        tasks = _queued_tasks(queued)
        return Waiting(tasks, len(tasks), [])
    # Whoever has done least comes first, so that few at once are not always the same.
    agents = (
        Agent.objects.filter(fleet=fleet)
        .exclude(pk__in=[turn.agent_pk for turn in busy])
        .order_by("turns", "position")
    )
    free = [FreeAgent(pk, machine) for pk, machine in agents.values_list("pk", "machine_id")]
    tasks = _queued_tasks(queued.filter(agent__isnull=False))
    tasks += _queued_tasks(queued.filter(agent__isnull=True)[: len(free)])
    return Waiting(tasks, queued.count(), free)


def _queued_tasks(tasks: "QuerySet[Task]") -> list[QueuedTask]:
    rows = tasks.values_list("pk", "agent__machine_id", "agent_id")
    return [QueuedTask(task=task, machine=machine, agent=agent) for task, machine, agent in rows]


def machine_views(machines: list[Machine]) -> list[MachineView]:
    """The machines as the driving rules see them."""
    return [
        MachineView(
            machine=machine.pk,
            is_ready=machine.status == READY and machine.gone_at is None and machine.is_prepared,
            is_warm=machine.warm_at is not None,
        )
        for machine in machines
    ]
