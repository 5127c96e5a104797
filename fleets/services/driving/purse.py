"""How many turns the fleet's budget can hold right now."""

from django.db.models import Max, Sum

from fleets.domain.budget import Purse, at_once_limit, compute_reserve_nusd
from fleets.domain.estimate import TaskCost, average_cost, task_cost
from fleets.domain.prices import MACHINE_SIZES, model_price
from fleets.models import Agent, Fleet, Run, Turn

# What a task may still cost is guarded by this much over the dearest seen so far.
DEAREST_PERCENT = 150


def slots(run: Run, fleet: Fleet, *, open_tasks: int) -> int:
    """How many turns of the run may be in flight in all."""
    return at_once_limit(purse_of(fleet), asked=run.at_once, open_tasks=open_tasks)


def purse_of(fleet: Fleet) -> Purse:
    """The fleet's money as the rules of `domain.budget` see it."""
    guess = _dearest(fleet)
    seen = Turn.objects.filter(run__fleet=fleet).aggregate(
        total=Sum("cost_nusd"), dearest=Max("cost_nusd")
    )
    likely = guess.likely_most_nusd if guess else 0
    rest = max(likely, (seen["dearest"] or 0) * DEAREST_PERCENT // 100)
    size = MACHINE_SIZES.get(fleet.size)
    per_s = (size.nusd_per_s if size else 0) * fleet.machines_running
    return Purse(
        budget_nusd=fleet.budget_nusd,
        spent_nusd=max(fleet.spent_nusd or 0, seen["total"] or 0),
        reserved_nusd=fleet.reserved_nusd or 0,
        worst_call_nusd=guess.worst_call_nusd if guess else None,
        task_rest_nusd=rest,
        compute_reserve_nusd=compute_reserve_nusd(per_s, lifetime_left_s=fleet.lifetime_s),
    )


def _dearest(fleet: Fleet) -> TaskCost | None:
    """A task of the fleet's model; where agents are each their own, of the dearest among them."""
    if not fleet.has_own_agents:
        return task_cost(model_price(fleet.model))
    kinds = Agent.objects.filter(fleet=fleet).order_by().values_list("model", "output_limit")
    return average_cost(
        [task_cost(model_price(model), answer_cap_tokens=cap) for model, cap in kinds.distinct()]
    )
