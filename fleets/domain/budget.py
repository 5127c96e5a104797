"""What a budget can hold: worst cases, how many agents at once, how much would be needed.

The router holds each call's worst case until the call has ended, and refuses a call whose worst
case no longer fits (contract section 5, rows 19 and 34). So what stops a fleet early is not what it
has spent but what its calls hold at the same moment.
"""

from dataclasses import dataclass
from typing import Final

from fleets.domain.prices import ModelPrice

# Our estimate of the input of a late call of a task; the real hold follows the input so far.
ASSUMED_INPUT_TOKENS: Final = 20_000
# Compute that `auto` keeps free: what the machines cost in this time.
COMPUTE_RESERVE_S: Final = 300


def worst_call_nusd(
    price: ModelPrice | None,
    *,
    input_tokens: int = ASSUMED_INPUT_TOKENS,
    answer_cap_tokens: int | None = None,
) -> int | None:
    """What one call holds: its input and the longest answer allowed; None without a price."""
    if price is None:
        return None
    answer = price.largest_output_tokens
    if answer_cap_tokens is not None:
        answer = min(answer, answer_cap_tokens)
    return input_tokens * price.input_nusd + answer * max(price.output_nusd, price.reasoning_nusd)


def compute_reserve_nusd(machines_nusd_per_s: int, *, lifetime_left_s: int) -> int:
    """Compute to keep free while calls are running, for machines of that cost per second."""
    return machines_nusd_per_s * max(0, min(lifetime_left_s, COMPUTE_RESERVE_S))


@dataclass(frozen=True, slots=True)
class Purse:
    """What is known of a fleet's money at a moment.

    `budget_nusd` None: no budget. `spent_nusd`: the larger of what the key last said and the sum of
    what we saw charged, as a reading that lags would let too many begin. `task_rest_nusd`: what a
    task in flight may still cost. `worst_call_nusd` None: the model has no price.
    """

    budget_nusd: int | None
    spent_nusd: int = 0
    reserved_nusd: int = 0
    worst_call_nusd: int | None = None
    task_rest_nusd: int = 0
    compute_reserve_nusd: int = 0

    @property
    def free_nusd(self) -> int | None:
        """What calls may hold and cost from here on; may be negative; None without a budget."""
        if self.budget_nusd is None:
            return None
        return self.budget_nusd - self.spent_nusd - self.reserved_nusd


def at_once_limit(purse: Purse, *, asked: int | None, open_tasks: int) -> int:
    """How many tasks may be in flight in all, those already in flight included.

    `asked` None is `auto`: as many as the purse holds even when each of them still costs its rest
    and makes one more call of the largest size; at least 1 while one such call fits, else 0. A
    number that was asked for is honoured. Without a price `auto` goes one by one, as nothing can be
    foreseen.
    """
    if asked is not None:
        return min(asked, open_tasks)
    free = purse.free_nusd
    if free is None:
        return open_tasks
    if purse.worst_call_nusd is None:
        return min(1, open_tasks) if free > 0 else 0
    if free < purse.worst_call_nusd:
        return 0
    each = max(1, purse.worst_call_nusd + purse.task_rest_nusd)
    many = max(0, free - purse.compute_reserve_nusd) // each
    return min(max(1, many), open_tasks)


@dataclass(frozen=True, slots=True)
class Plan:
    """A launch as the budget sees it: `tasks` of `task_nusd` each, whose calls hold at most
    `worst_call_nusd`, and `compute_nusd` for the machines while they work."""

    tasks: int
    task_nusd: int
    worst_call_nusd: int
    compute_nusd: int


def needed_budget(plan: Plan, *, at_once: int) -> int:
    """The budget that lets all tasks run with `at_once` in flight until the last, in nusd."""
    in_flight = min(at_once, plan.tasks)
    return plan.tasks * plan.task_nusd + in_flight * plan.worst_call_nusd + plan.compute_nusd


def fit_at_start(plan: Plan, *, budget_nusd: int) -> int:
    """How many calls of the largest size the budget holds while nothing is spent on calls yet."""
    return _calls_within(budget_nusd - plan.compute_nusd, plan)


def fit_at_end(plan: Plan, *, budget_nusd: int) -> int:
    """How many it still holds when the tasks have cost what is expected of them."""
    return _calls_within(budget_nusd - plan.compute_nusd - plan.tasks * plan.task_nusd, plan)


def _calls_within(nusd: int, plan: Plan) -> int:
    return min(plan.tasks, max(0, nusd) // max(1, plan.worst_call_nusd))
