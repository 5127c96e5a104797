"""All that the launch page says about a launch before it happens, as values without any markup."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from fleets.domain import launch_checks
from fleets.domain.afterwards import afterwards_label
from fleets.domain.budget import (
    Plan,
    Purse,
    at_once_limit,
    compute_reserve_nusd,
    fit_at_end,
    fit_at_start,
    needed_budget,
)
from fleets.domain.child_budget import Above
from fleets.domain.errors import Advice
from fleets.domain.estimate import (
    MACHINE_BOOT_S,
    Duration,
    Forecast,
    TaskCost,
    average_cost,
    forecast,
    task_cost,
    work_duration,
)
from fleets.domain.launch_checks import Account
from fleets.domain.only_machines import place_machines
from fleets.domain.placement import AgentSpec, MachinePlan, Placement, plan_machines
from fleets.domain.pool import task_prompt
from fleets.domain.prices import model_price
from fleets.domain.spec import LaunchSpec, prompt_for
from fleets.domain.status import Afterwards

# Part of the account's rate that dispatches may take.
_RATE_SHARE_PERCENT: Final = 85


@dataclass(frozen=True, slots=True)
class MachineGroup:
    """Machines that are filled alike: 8 of them with 6 agents each."""

    machines: int
    agents_each: int
    used_mib: int
    total_mib: int


@dataclass(frozen=True, slots=True)
class Holds:
    """What calls may hold at once. `at_once_start` and `at_once_end`: tasks that go in flight.

    `fit_start`, `fit_end`: how many worst-case calls the budget holds then, None without one.
    `needed_nusd`: the budget that lets all run as asked (with `auto`: at least one at a time).
    """

    worst_call_nusd: int
    held_nusd: int
    at_once_start: int
    at_once_end: int
    fit_start: int | None
    fit_end: int | None
    needed_nusd: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """Estimated moments: the first agent at work, all tasks begun, all done."""

    first_at: datetime
    all_at: datetime
    done_at: datetime


@dataclass(frozen=True, slots=True)
class Preflight:
    """The figures of a launch. Problems stop it; warnings do not.

    `ceiling_nusd` is the most it can cost: the budget, else the worst case, None if unknown.
    `running_nusd_per_hour` is what all machines cost while they run, idle or not, and
    `after_cost_nusd` what they cost from the end of the work until they go.
    """

    spec: LaunchSpec
    placement: Placement
    machine_groups: tuple[MachineGroup, ...]
    forecast: Forecast
    duration: Duration
    holds: Holds | None
    ceiling_nusd: int | None
    running_nusd_per_hour: int
    after_label: str
    after_cost_nusd: int
    timeline: Timeline
    account: Account
    above: Above | None
    first_agent: str
    first_prompt: str
    problems: tuple[Advice, ...]
    warnings: tuple[Advice, ...]

    @property
    def machines(self) -> tuple[MachinePlan, ...]:
        """The machines to ask for."""
        return self.placement.machines

    @property
    def can_launch(self) -> bool:
        """Whether nothing stands against it."""
        return not self.problems


def agents_of(spec: LaunchSpec) -> tuple[AgentSpec, ...]:
    """The agents that a launch makes, in order."""
    return tuple(plan.for_placement for plan in spec.plans)


def placement_of(spec: LaunchSpec) -> Placement:
    """The machines that a launch makes, and who is on them."""
    if spec.only_machines is not None:
        return place_machines(spec.only_machines, size=spec.machine_size)
    return plan_machines(agents_of(spec), size=spec.machine_size, placement=spec.placement)


def task_of(spec: LaunchSpec) -> TaskCost | None:
    """What one task costs: by the fleet's model, or over the models and answers of its agents."""
    if spec.only_machines is not None:
        return None
    if not spec.agents:
        return task_cost(model_price(spec.model))
    kinds = Counter((plan.model, plan.output_limit) for plan in spec.agents)
    each = {kind: task_cost(model_price(kind[0]), answer_cap_tokens=kind[1]) for kind in kinds}
    return average_cost([each[plan.model, plan.output_limit] for plan in spec.agents])


def preflight(
    spec: LaunchSpec,
    *,
    now: datetime,
    account: Account | None = None,
    above: Above | None = None,
) -> Preflight:
    """Everything the launch page shows, recomputed on every change; `now` places its times.

    `above` is the money of the parent where a child is launched.
    """
    known = account or Account()
    placement = placement_of(spec)
    machines = len(placement.machines)
    per_s = machines * spec.machine_size.nusd_per_s
    task = task_of(spec)
    at_once = _at_once(spec, task=task, per_s=per_s, spent_nusd=0)
    duration = _duration(spec, at_once=at_once, machines=machines)
    costs = forecast(
        tasks=spec.task_count,
        task=task,
        machines_nusd_per_s=per_s,
        duration=duration,
        lifetime_s=spec.lifetime_s,
        after=spec.after,
        after_delay_s=spec.after_delay_s,
    )
    plan = _plan(spec, task=task, compute_nusd=per_s * duration.expected_s)
    worst = costs.total.worst if costs.total else None
    ceiling = worst if spec.budget_nusd is None else spec.budget_nusd
    problems = _problems(
        spec,
        machines=machines,
        worst_call_nusd=plan.worst_call_nusd if plan else None,
        costs=costs,
        account=known,
        above=above,
    )
    return Preflight(
        spec=spec,
        placement=placement,
        machine_groups=_groups(placement.machines),
        forecast=costs,
        duration=duration,
        holds=_holds(spec, plan=plan, task=task, per_s=per_s, at_once=at_once),
        ceiling_nusd=ceiling,
        running_nusd_per_hour=machines * spec.machine_size.nusd_per_hour,
        after_label=afterwards_label(spec.after, after_delay_s=spec.after_delay_s),
        after_cost_nusd=per_s * _idle_s(spec, duration=duration),
        timeline=_timeline(spec, duration=duration, account=known, at_once=at_once, now=now),
        account=known,
        above=above,
        first_agent=_first_agent(spec),
        first_prompt=_first_prompt(spec),
        problems=problems,
        warnings=tuple(_warnings(spec, placement, plan=plan, ceiling=ceiling, account=known)),
    )


def _duration(spec: LaunchSpec, *, at_once: int, machines: int) -> Duration:
    return work_duration(
        tasks=spec.task_count,
        at_once=at_once,
        machines=machines,
        task_timeout_s=spec.task_timeout_s,
        lifetime_s=spec.lifetime_s,
    )


def _first_agent(spec: LaunchSpec) -> str:
    if spec.only_machines is not None:
        return ""
    return f"Whoever takes {spec.tasks[0].task_id}" if spec.tasks else spec.plans[0].agent_id


def _first_prompt(spec: LaunchSpec) -> str:
    if spec.only_machines is not None:
        return ""
    if spec.tasks:
        return task_prompt(spec.tasks[0], index=1, template=spec.template)
    return prompt_for(spec.plans[0], index=1, template=spec.template)


def _problems(
    spec: LaunchSpec,
    *,
    machines: int,
    worst_call_nusd: int | None,
    costs: Forecast,
    account: Account,
    above: Above | None,
) -> tuple[Advice, ...]:
    """What the platform, or a limit, would refuse."""
    return (
        *launch_checks.compute_check(
            spec, machines=machines, compute_worst_nusd=costs.compute.worst
        ),
        *launch_checks.child_check(spec, above=above),
        *launch_checks.one_call_check(spec, worst_call_nusd=worst_call_nusd),
        *launch_checks.limit_check(spec, total=costs.total, account=account),
        *launch_checks.machines_check(spec, machines=machines, account=account),
    )


def _plan(spec: LaunchSpec, *, task: TaskCost | None, compute_nusd: int) -> Plan | None:
    if task is None:
        return None
    return Plan(spec.task_count, task.cost.expected, task.worst_call_nusd, compute_nusd)


def _at_once(spec: LaunchSpec, *, task: TaskCost | None, per_s: int, spent_nusd: int) -> int:
    purse = Purse(
        budget_nusd=spec.budget_nusd,
        spent_nusd=spent_nusd,
        worst_call_nusd=task.worst_call_nusd if task else None,
        task_rest_nusd=task.likely_most_nusd if task else 0,
        compute_reserve_nusd=compute_reserve_nusd(per_s, lifetime_left_s=spec.lifetime_s),
    )
    return at_once_limit(purse, asked=spec.at_once, open_tasks=spec.most_at_once)


def _holds(
    spec: LaunchSpec, *, plan: Plan | None, task: TaskCost | None, per_s: int, at_once: int
) -> Holds | None:
    if plan is None:
        return None
    budget = spec.budget_nusd
    nearly_all = (plan.tasks - 1) * plan.task_nusd + plan.compute_nusd
    return Holds(
        worst_call_nusd=plan.worst_call_nusd,
        held_nusd=at_once * plan.worst_call_nusd,
        at_once_start=at_once,
        at_once_end=_at_once(spec, task=task, per_s=per_s, spent_nusd=nearly_all),
        fit_start=None if budget is None else fit_at_start(plan, budget_nusd=budget),
        fit_end=None if budget is None else fit_at_end(plan, budget_nusd=budget),
        needed_nusd=needed_budget(plan, at_once=spec.at_once or 1),
    )


def _groups(machines: Sequence[MachinePlan]) -> tuple[MachineGroup, ...]:
    """Machines filled alike together, in the order in which each kind comes first."""
    kinds = Counter((len(plan.agent_ids), plan.used_mib, plan.total_mib) for plan in machines)
    return tuple(
        MachineGroup(count, agents, used, total) for (agents, used, total), count in kinds.items()
    )


def _idle_s(spec: LaunchSpec, *, duration: Duration) -> int:
    left = max(0, spec.lifetime_s - duration.expected_s)
    return left if spec.after is Afterwards.KEEP else min(left, spec.after_delay_s)


def _timeline(
    spec: LaunchSpec, *, duration: Duration, account: Account, at_once: int, now: datetime
) -> Timeline:
    waves = max(1, -(-spec.task_count // max(1, at_once)))
    last_wave_s = (duration.expected_s - duration.boot_s) // waves
    begin_s = max(duration.boot_s, duration.expected_s - last_wave_s)
    if account.requests_per_minute:
        by_rate = spec.task_count * 60 * 100 // (account.requests_per_minute * _RATE_SHARE_PERCENT)
        begin_s = max(begin_s, MACHINE_BOOT_S + by_rate)
    return Timeline(
        first_at=now + timedelta(seconds=min(MACHINE_BOOT_S, duration.boot_s)),
        all_at=now + timedelta(seconds=begin_s),
        done_at=now + timedelta(seconds=begin_s + last_wave_s),
    )


def _warnings(
    spec: LaunchSpec,
    placement: Placement,
    *,
    plan: Plan | None,
    ceiling: int | None,
    account: Account,
) -> Iterator[Advice]:
    if plan is not None:
        yield from launch_checks.holds_check(spec, plan=plan)
    yield from (Advice("placement", warning) for warning in placement.warnings)
    yield from launch_checks.risks(
        spec, has_price=plan is not None, ceiling_nusd=ceiling, account=account
    )
