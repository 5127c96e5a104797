"""What is wrong or risky about a launch, each with the repairs that we know."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from fleets.domain.agent_risks import agent_risks
from fleets.domain.budget import Plan, fit_at_end, fit_at_start, needed_budget
from fleets.domain.child_budget import Above, check_child
from fleets.domain.errors import Advice, InvalidInput, Repair
from fleets.domain.estimate import Range
from fleets.domain.harnesses import harness_named
from fleets.domain.money import (
    NUSD_PER_USD,
    nusd_to_usd,
    show,
    show_limit,
    show_used,
    usd_string,
)
from fleets.domain.numbers import counted, show_duration_s
from fleets.domain.placement import agents_that_fit
from fleets.domain.prices import model_price
from fleets.domain.spec import AUTO, MIN_LIFETIME_S, LaunchSpec
from fleets.domain.status import Afterwards

_MINUTE_S: Final = 60
_HOUR_S: Final = 3_600
_CENT: Final = NUSD_PER_USD // 100
_NAMES_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class Account:
    """What is known of the platform account and of who launches; None is unknown or no limit.

    `machines_allowed` 0 means no ceiling, as the platform says it (contract 2.1).
    """

    machines_in_use: int | None = None
    machines_allowed: int | None = None
    credit_nusd: int | None = None
    requests_per_minute: int | None = None
    spend_limit_nusd: int | None = None


def compute_check(spec: LaunchSpec, *, machines: int, compute_worst_nusd: int) -> Iterator[Advice]:
    """The platform refuses a create whose compute over the lifetime is over the budget (4.2)."""
    budget = spec.budget_nusd
    if budget is None or compute_worst_nusd <= budget:
        return
    per_s = machines * spec.machine_size.nusd_per_s
    repairs = []
    shorter_s = _rounded_down_s(budget // per_s)
    if shorter_s >= MIN_LIFETIME_S:
        shown = show_duration_s(shorter_s)
        repairs.append(Repair(f"Shorten to {shown}", "lifetime", shown))
    fewer = budget // (spec.machine_size.nusd_per_s * spec.lifetime_s)
    if 0 < fewer < machines and spec.only_machines is not None:
        repairs += _fewer_machines(spec, most=fewer)
    elif 0 < fewer < machines and not spec.agents:
        count = fewer * agents_that_fit(spec.machine_size, spec.harness)
        label = f"{counted(fewer, 'machine')}, {counted(count, 'agent')}"
        repairs.append(Repair(label, "count", str(count)))
    repairs.append(budget_repair(compute_worst_nusd))
    yield Advice(
        "budget",
        f"Machines over the whole lifetime ({machines} × {show_duration_s(spec.lifetime_s)}) may"
        f" cost {show_used(compute_worst_nusd)}, over the budget of {show_limit(budget)}:"
        " the platform would refuse that.",
        tuple(repairs),
    )


def one_call_check(spec: LaunchSpec, *, worst_call_nusd: int | None) -> Iterator[Advice]:
    """A budget below one worst case lets nothing begin."""
    budget = spec.budget_nusd
    if budget is None or worst_call_nusd is None or worst_call_nusd <= budget:
        return
    yield Advice(
        "budget",
        f"One call may hold {show_used(worst_call_nusd)}, more than the budget of"
        f" {show_limit(budget)}: every call would be refused.",
        (budget_repair(worst_call_nusd),),
    )


def child_check(spec: LaunchSpec, *, above: Above | None) -> Iterator[Advice]:
    """A child's budget comes out of what its parent has left."""
    if above is None:
        return
    try:
        check_child(above, asked_nusd=spec.budget_nusd)
    except InvalidInput as error:
        yield from (Advice(one.place, one.message, one.repairs) for one in error.problems)


def holds_check(spec: LaunchSpec, *, plan: Plan) -> Iterator[Advice]:
    """Calls that cannot all be held at once stop a fleet early."""
    budget = spec.budget_nusd
    if budget is None or plan.worst_call_nusd > budget:
        return
    if spec.at_once is None:
        yield from _auto_check(plan, budget_nusd=budget)
        return
    at_once = min(spec.at_once, spec.most_at_once)
    start = min(at_once, fit_at_start(plan, budget_nusd=budget))
    end = min(at_once, fit_at_end(plan, budget_nusd=budget))
    if end == at_once:
        return
    held = show_used(at_once * plan.worst_call_nusd)
    repairs = [Repair(f"{end} at once", "at_once", str(end))] if end else []
    repairs.append(Repair("As many as fit", "at_once", AUTO))
    repairs.append(budget_repair(needed_budget(plan, at_once=at_once)))
    yield Advice(
        "at_once",
        f"{at_once:,} agents × one worst-case call ({show_used(plan.worst_call_nusd)}) = {held}"
        f" held at once: {start:,} fit at the start, {end:,} at the end; the rest would stop.",
        tuple(repairs),
    )


def _auto_check(plan: Plan, *, budget_nusd: int) -> Iterator[Advice]:
    needed = needed_budget(plan, at_once=1)
    if needed <= budget_nusd:
        return
    cost = plan.tasks * plan.task_nusd + plan.compute_nusd
    yield Advice(
        "budget",
        f"{plan.tasks:,} tasks may cost ~ {show(cost)}, and a last call must still fit"
        f" ({show_used(plan.worst_call_nusd)}): under {show_limit(budget_nusd)} some may not be"
        " started.",
        (budget_repair(needed),),
    )


def limit_check(spec: LaunchSpec, *, total: Range | None, account: Account) -> Iterator[Advice]:
    """The largest budget that this person may launch with."""
    limit = account.spend_limit_nusd
    if limit is None:
        return
    within = _within(limit, worst_nusd=total.worst if total else None)
    if spec.budget_nusd is None:
        worst = f" It may cost {show_used(total.worst)}." if total else ""
        yield Advice(
            "budget",
            f"You may launch up to {show_limit(limit)}, so this launch needs a budget.{worst}",
            (within,) if limit else (),
        )
    elif spec.budget_nusd > limit:
        yield Advice(
            "budget",
            f"Over your limit of {show_limit(limit)} for one launch; an admin can raise it.",
            (within,) if limit else (),
        )


def _within(limit_nusd: int, *, worst_nusd: int | None) -> Repair:
    """A budget that the person may give: what it may cost, or all of the limit."""
    needed = worst_nusd or limit_nusd
    repair = budget_repair(needed)
    if needed >= limit_nusd or Decimal(repair.value) > nusd_to_usd(limit_nusd):
        return Repair(f"Budget {show_limit(limit_nusd)}", "budget", usd_string(limit_nusd))
    return repair


def machines_check(spec: LaunchSpec, *, machines: int, account: Account) -> Iterator[Advice]:
    """The account's ceiling on machines that run at the same time."""
    allowed, used = account.machines_allowed, account.machines_in_use or 0
    if not allowed or used + machines <= allowed:
        return
    room = max(0, allowed - used)
    bare = spec.only_machines is not None
    count = room * agents_that_fit(spec.machine_size, spec.harness)
    offers = count and not spec.agents
    repairs = (Repair(counted(count, "agent"), "count", str(count)),) if offers else ()
    yield Advice(
        "machines" if bare else "count",
        f"{counted(machines, 'machine')} {'is' if machines == 1 else 'are'} needed,"
        f" {room:,} {'is' if room == 1 else 'are'} free: {used:,} of {allowed:,} in use.",
        tuple(_fewer_machines(spec, most=room)) if bare else repairs,
    )


def _fewer_machines(spec: LaunchSpec, *, most: int) -> list[Repair]:
    """The button for as many machines as fit, the coordinator among them."""
    has_coordinator = spec.only_machines is not None and spec.only_machines.has_coordinator
    workers = most - has_coordinator
    return [Repair(counted(most, "machine"), "machines", str(workers))] if workers > 0 else []


def risks(
    spec: LaunchSpec, *, has_price: bool, ceiling_nusd: int | None, account: Account
) -> Iterator[Advice]:
    """What may be right and should be known all the same."""
    if not has_price and spec.only_machines is None:
        unknown = sorted({plan.model for plan in spec.plans if model_price(plan.model) is None})
        yield Advice(
            "model",
            f"No price is known for {', '.join(unknown[:_NAMES_SHOWN])}: model calls cannot be"
            " forecast, and at once “auto” goes one by one under a budget.",
        )
    if spec.budget_nusd is None:
        yield Advice("budget", "Without a budget only this check guards what the fleet spends.")
    for name in sorted({plan.harness for plan in spec.plans}):
        harness = harness_named(name)
        if harness and not harness.has_model_choice:
            yield Advice("model", f"{harness.name} takes its own model, whatever is chosen here.")
    yield from agent_risks(spec)
    credit = account.credit_nusd
    if credit is not None and ceiling_nusd is not None and credit < ceiling_nusd:
        yield Advice(
            "budget",
            f"The account has {show(credit)} of credit, less than the {show_used(ceiling_nusd)}"
            " that this may cost.",
        )
    if spec.after is Afterwards.KEEP:
        yield Advice(
            "after",
            f"The machines {'stay' if spec.only_machines else 'stay after the work'} and cost until"
            f" their lifetime ends ({show_duration_s(spec.lifetime_s)} after their start).",
            (Repair("Delete after 30 min", "after", Afterwards.DELETE.value),),
        )
    idle = spec.count - spec.task_count
    if idle > 0:
        yield Advice(
            "count",
            f"{counted(spec.count, 'agent')} for {counted(spec.task_count, 'task')}: {idle:,} would"
            " have nothing to do.",
            ()
            if spec.agents
            else (Repair(counted(spec.task_count, "agent"), "count", str(spec.task_count)),),
        )
    if spec.count > 1 and spec.prompt and not spec.template.fields:
        yield Advice(
            "prompt",
            f"All {spec.count:,} agents get the same prompt: it has neither {{agent_id}} nor"
            " {index} in it.",
        )


def budget_repair(needed_nusd: int) -> Repair:
    """The button that raises the budget to what is needed, to a round amount."""
    step = _CENT if needed_nusd < NUSD_PER_USD else 10 * _CENT
    step = NUSD_PER_USD if needed_nusd >= 10 * NUSD_PER_USD else step
    amount = -(-needed_nusd // step) * step
    return Repair(f"Budget {show_limit(amount)}", "budget", usd_string(amount))


def _rounded_down_s(duration_s: int) -> int:
    """A lifetime that people would write: quarters of an hour, five minutes, minutes."""
    step = _MINUTE_S
    if duration_s >= _HOUR_S:
        step = 15 * _MINUTE_S
    elif duration_s >= 10 * _MINUTE_S:
        step = 5 * _MINUTE_S
    return duration_s // step * step
