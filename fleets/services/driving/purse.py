"""How many turns the fleet's budget can hold right now."""

from django.db.models import Max, Sum

from fleets.domain.budget import Purse, at_once_limit, compute_reserve_nusd, worst_call_nusd
from fleets.domain.estimate import task_cost
from fleets.domain.prices import MACHINE_SIZES, model_price
from fleets.models import Fleet, Run, Turn

# What a task may still cost is guarded by this much over the dearest seen so far.
DEAREST_PERCENT = 150


def slots(run: Run, fleet: Fleet, *, open_tasks: int) -> int:
    """How many turns of the run may be in flight in all."""
    return at_once_limit(purse_of(fleet), asked=run.at_once, open_tasks=open_tasks)


def purse_of(fleet: Fleet) -> Purse:
    """The fleet's money as the rules of `domain.budget` see it."""
    price = model_price(fleet.model)
    seen = Turn.objects.filter(run__fleet=fleet).aggregate(
        total=Sum("cost_nusd"), dearest=Max("cost_nusd")
    )
    guess = task_cost(price)
    likely = guess.likely_most_nusd if guess else 0
    rest = max(likely, (seen["dearest"] or 0) * DEAREST_PERCENT // 100)
    size = MACHINE_SIZES.get(fleet.size)
    per_s = (size.nusd_per_s if size else 0) * fleet.machines_running
    return Purse(
        budget_nusd=fleet.budget_nusd,
        spent_nusd=max(fleet.spent_nusd or 0, seen["total"] or 0),
        reserved_nusd=fleet.reserved_nusd or 0,
        worst_call_nusd=worst_call_nusd(price),
        task_rest_nusd=rest,
        compute_reserve_nusd=compute_reserve_nusd(per_s, lifetime_left_s=fleet.lifetime_s),
    )
