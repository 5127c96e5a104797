"""Whether an agent can be sent another prompt now, and what that may cost."""

from dataclasses import dataclass
from typing import Final

from fleets.domain.budget import worst_call_nusd
from fleets.domain.estimate import task_cost
from fleets.domain.prices import model_price
from fleets.domain.status import Origin, TaskState, TurnState
from fleets.models import Agent, Fleet, Operation, Task, Turn

OPEN_TASKS: Final = (TaskState.QUEUED, TaskState.RUNNING)


@dataclass(frozen=True, slots=True)
class PromptOffer:
    """What the form shows. `refusal` "" means that it can be sent; money in nanodollars.

    `expected_nusd` is our estimate, `worst_nusd` its ceiling; None without a price.
    """

    refusal: str
    expected_nusd: int | None
    worst_nusd: int | None
    remaining_nusd: int | None
    has_budget: bool


NO_BUDGET: Final = (
    "A fleet without a budget is run by admins only: nothing would stop its spending."
)


def prompt_offer(fleet: Fleet, agent: Agent, *, is_admin: bool) -> PromptOffer:
    """The offer for one agent. At most three queries."""
    cost = task_cost(model_price(agent.model))
    return PromptOffer(
        refusal=NO_BUDGET
        if fleet.budget_nusd is None and not is_admin
        else prompt_refusal(fleet, agent),
        expected_nusd=cost.cost.expected if cost else None,
        worst_nusd=cost.cost.worst if cost else None,
        remaining_nusd=fleet.remaining_nusd,
        has_budget=fleet.budget_nusd is not None,
    )


def prompt_refusal(fleet: Fleet, agent: Agent) -> str:
    """Why the agent cannot be sent a prompt now, with what would help; "" when it can."""
    return (
        _refused_by_fleet(fleet)
        or _refused_by_machine(agent)
        or _refused_by_work(fleet, agent)
        or _refused_by_budget(fleet, agent)
    )


def _refused_by_fleet(fleet: Fleet) -> str:
    if fleet.deleted_at is not None:
        return "This fleet is deleted: its machines and its key are gone. Launch one like it."
    if fleet.delete_requested_at is not None:
        return "This fleet is being deleted. Launch one like it."
    if fleet.origin != Origin.OURS:
        return "The key of this fleet is held elsewhere, so nothing can be sent from here."
    if fleet.key_revoked_at is not None:
        return "The key of this fleet is revoked: nothing is paid any more. Launch one like it."
    if fleet.cut_off_requested_at is not None:
        return "This fleet is cut off: the platform refuses every call. Reopen it first."
    if fleet.held_at is not None:
        return "This fleet is held: no new turns. Release it first."
    if fleet.cancel_requested_at is not None and fleet.cancel_confirmed_at is None:
        return "This fleet is being cancelled. Wait until that is confirmed."
    if fleet.created_on_platform_at is None:
        return "This fleet is still being made."
    return ""


def _refused_by_machine(agent: Agent) -> str:
    machine = agent.machine
    if machine.gone_at is not None:
        return f"Machine {machine} is gone, and the conversation with it."
    if machine.status != "running":
        return f"Machine {machine} is {machine.status or 'not made yet'}, not running."
    return ""


def _refused_by_work(fleet: Fleet, agent: Agent) -> str:
    if Operation.objects.filter(
        fleet=fleet, kind__in=["cancel", "delete", "stop_machines"], ended_at__isnull=True
    ).exists():
        return "An order to stop is being carried out. Wait until it has ended."
    has_turn = Turn.objects.filter(agent=agent).exclude(state=TurnState.ENDED).exists()
    if has_turn or Task.objects.filter(agent=agent, state__in=OPEN_TASKS).exists():
        return f"{agent} is at work. A prompt can be sent when its turn has ended."
    return ""


def _refused_by_budget(fleet: Fleet, agent: Agent) -> str:
    worst = worst_call_nusd(model_price(agent.model))
    if fleet.budget_nusd is None or fleet.remaining_nusd is None or worst is None:
        return ""
    if fleet.remaining_nusd >= worst:
        return ""
    return "The budget does not hold one more call of the largest size: the platform would refuse."
