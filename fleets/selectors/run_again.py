"""Who of a fleet could run again, and why it may be refused now."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from fleets.domain.answer_check import Verdict
from fleets.domain.budget import worst_call_nusd
from fleets.domain.money import show_remaining, show_used
from fleets.domain.numbers import show_count
from fleets.domain.prices import model_price
from fleets.domain.status import OperationKind, Origin, Pattern, TaskState
from fleets.models import Agent, Fleet, Operation, Run, Task
from fleets.selectors.newest_tasks import newest_tasks
from fleets.selectors.run_list_again import chosen_tasks
from fleets.selectors.task_states import NOT_COMPLETED

OPEN_TASKS: Final = (TaskState.QUEUED, TaskState.RUNNING)
_READY: Final = Q(machine__status="running", machine__gone_at__isnull=True)
_NAMES_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class RunAgainOffer:
    """What the sheet shows. `refusal` "" means that it can be ordered; `can_reopen`: the remedy is
    to reopen the fleet. Counts are of agents whose machine runs, or (`noun` "task") of a pool's
    tasks; `ready` and `total` are of agents, with a machine that runs and of all."""

    noun: str
    refusal: str
    can_reopen: bool
    all_count: int
    not_completed_count: int
    ready: int
    total: int
    next_number: int

    @property
    def is_pool(self) -> bool:
        """Whether tasks are chosen, not agents."""
        return self.noun == "task"


def run_again_offer(fleet: Fleet) -> RunAgainOffer:
    """The offer for a fleet. At most eight queries."""
    ready = ready_agents(fleet)
    is_pool = fleet.pattern == Pattern.POOL
    everything = chosen_tasks(fleet, only=(), not_completed=False) if is_pool else ready
    newest = Run.objects.filter(fleet=fleet).order_by("-number").values_list("number").first()
    return RunAgainOffer(
        noun="task" if is_pool else "agent",
        refusal=run_again_refusal(fleet),
        can_reopen=is_cut(fleet) and fleet.key_revoked_at is None and fleet.deleted_at is None,
        all_count=everything.count(),
        not_completed_count=_not_completed(fleet, is_pool=is_pool),
        ready=ready.count(),
        total=fleet.agents_total,
        next_number=(newest[0] if newest else 0) + 1,
    )


def run_again_refusal(fleet: Fleet) -> str:
    """Why no agent of the fleet can run again now, with what would help; "" when some can."""
    return (
        _refused_by_fleet(fleet)
        or _refused_by_work(fleet)
        or _refused_by_machines(fleet)
        or _refused_by_budget(fleet)
    )


def is_cut(fleet: Fleet) -> bool:
    """Whether the key's cap is below the budget: ordered, or left behind by a cancel."""
    if fleet.cut_off_requested_at is not None:
        return True
    cap, budget = fleet.key_cap_nusd, fleet.budget_nusd
    return cap is not None and budget is not None and cap < budget


def ready_agents(fleet: Fleet) -> "QuerySet[Agent]":
    """Agents whose machine runs, in order."""
    return Agent.objects.filter(_READY, fleet=fleet).order_by("position")


def _not_completed(fleet: Fleet, *, is_pool: bool) -> int:
    if is_pool:
        return chosen_tasks(fleet, only=(), not_completed=True).count()
    return chosen_agents(fleet, only=(), not_completed=True).count()


def _refused(fleet: Fleet) -> "QuerySet[Task]":
    """An agent's last answer, where it was refused."""
    return newest_tasks(fleet).filter(agent=OuterRef("pk"), verdict=Verdict.REFUSED)


def chosen_agents(fleet: Fleet, *, only: Collection[str], not_completed: bool) -> "QuerySet[Agent]":
    """Agents that run, in order: these by id (none: all), or only those without a
    good answer.
    """
    agents = ready_agents(fleet)
    if not_completed:
        agents = agents.filter(Q(state__in=NOT_COMPLETED) | Exists(_refused(fleet)))
    return agents.filter(agent_id__in=only) if only else agents


def left_out(fleet: Fleet, only: Collection[str]) -> str:
    """What is wrong with a list of ids: unknown, or on machines that do not run; "" if nothing."""
    rows = Agent.objects.filter(fleet=fleet, agent_id__in=only).select_related("machine")
    known = {agent.agent_id: agent.machine for agent in rows}
    unknown = [name for name in dict.fromkeys(only) if name not in known]
    if unknown:
        return f"There is no agent {_names(unknown)} in this fleet."
    resting = [
        f"{name} (machine {machine} is {machine.status if machine.gone_at is None else 'gone'})"
        for name, machine in known.items()
        if machine.gone_at is not None or machine.status != "running"
    ]
    return f"{_names(resting)} cannot run: choose the others." if resting else ""


def _names(names: Collection[str]) -> str:
    shown = ", ".join(list(names)[:_NAMES_SHOWN])
    more = len(names) - _NAMES_SHOWN
    return f"{shown} and {more:,} more" if more > 0 else shown


def _refused_by_fleet(fleet: Fleet) -> str:
    if fleet.pattern == Pattern.MACHINES:
        return "It has machines only: no agent is there that could run."
    in_order = (
        (fleet.deleted_at, "This fleet is deleted: its machines and key are gone. Launch one"
         " like it."),
        (fleet.delete_requested_at, "This fleet is being deleted. Launch one like it."),
        (
            fleet.origin != Origin.OURS
            or (fleet.budget_nusd is not None and bool(fleet.key_id) and not fleet.key_secret),
            "The key of this fleet is held elsewhere: from here it can be read, cancelled and"
            " deleted, not run.",
        ),
        (fleet.key_revoked_at, "The key of this fleet is revoked: nothing is paid any more. Launch"
         " one like it."),
        (fleet.created_on_platform_at is None, "The platform has no such fleet yet, so there is"
         " nothing to run again."),
    )  # fmt: skip
    return next((words for applies, words in in_order if applies), "")


def _refused_by_work(fleet: Fleet) -> str:
    stopping = Operation.objects.filter(fleet=fleet, ended_at__isnull=True).exclude(
        kind__in=[OperationKind.LAUNCH, OperationKind.HOLD, OperationKind.RELEASE]
    )
    if stopping.exists():
        return "An order of this fleet is still being carried out. Wait until it has ended."
    run = Run.objects.filter(fleet=fleet).order_by("-number").first()
    if run is not None and run.ended_at is None:
        count = Task.objects.filter(run=run, state__in=OPEN_TASKS).count()
        return f"Work is still open: {show_count(count)} of its tasks have not ended."
    if fleet.held_at is not None:
        return "This fleet is held: no new turns. Release it first."
    if is_cut(fleet):
        return (
            "This fleet is cut off: its key's cap is below its budget, so the platform refuses"
            " every call. Reopen it first."
        )
    return ""


def _refused_by_machines(fleet: Fleet) -> str:
    if Agent.objects.filter(_READY, fleet=fleet).exists():
        return ""
    if fleet.machines.filter(gone_at__isnull=True, status="stopped").exists():
        return "The machines of this fleet are stopped. Launch one like it."
    return (
        "The machines of this fleet are gone, and the conversations with them. Launch one like it."
    )


def _refused_by_budget(fleet: Fleet) -> str:
    """Where not even the cheapest agent's call fits, a run would only undo what has completed."""
    if fleet.budget_nusd is None or fleet.remaining_nusd is None:
        return ""
    kinds = Agent.objects.filter(fleet=fleet).order_by().values_list("model", "output_limit")
    worst = [
        worst_call_nusd(model_price(model), answer_cap_tokens=cap)
        for model, cap in kinds.distinct()
    ]
    known = [call for call in worst if call is not None]
    if len(known) < len(worst) or not known or min(known) <= fleet.remaining_nusd:
        return ""
    return (
        f"{show_remaining(fleet.remaining_nusd)} of the budget is left, and one call may hold"
        f" {show_used(min(known))}: the platform would refuse it."
    )
