"""A router that holds worst cases, and fleets that begin as many tasks as `auto` lets them."""

import random
from dataclasses import dataclass, field

from fleets.domain.budget import (
    Plan,
    Purse,
    at_once_limit,
    compute_reserve_nusd,
    needed_budget,
    worst_call_nusd,
)
from fleets.domain.estimate import task_cost
from fleets.domain.prices import MACHINE_SIZES, MODEL_PRICES

MINI = MODEL_PRICES["gpt-4.1-mini"]
USD = 1_000_000_000
MACHINES_NUSD_PER_S = 2 * MACHINE_SIZES["small"].nusd_per_s
STEP_S = 1
WORST = worst_call_nusd(MINI) or 0


@dataclass
class Router:
    """Refuses a call whose worst case does not fit; settles what it really cost."""

    budget: int
    spent: int = 0
    held: int = 0
    refusals: int = 0

    def admit(self, hold: int) -> bool:
        fits = self.spent + self.held + hold <= self.budget
        self.held += hold if fits else 0
        self.refusals += 0 if fits else 1
        return fits

    def settle(self, *, hold: int, cost: int) -> None:
        self.held -= hold
        self.spent += cost


@dataclass
class Work:
    """A task: the costs of its calls, and the call in flight with the seconds it still takes."""

    calls: list[int]
    cost: int = 0
    hold: int = 0
    left_s: int = 0


@dataclass
class Fleet:
    router: Router
    queued: list[Work]
    draw: random.Random
    asked: int | None = None
    running: list[Work] = field(default_factory=list)
    ended: list[Work] = field(default_factory=list)
    refused: list[Work] = field(default_factory=list)
    most_at_once: int = 0
    seconds: int = 0

    def limit(self) -> int:
        estimate = task_cost(MINI)
        assert estimate is not None
        purse = Purse(
            budget_nusd=self.router.budget,
            spent_nusd=self.router.spent,
            worst_call_nusd=WORST,
            task_rest_nusd=max([estimate.likely_most_nusd, *(work.cost for work in self.ended)]),
            compute_reserve_nusd=compute_reserve_nusd(MACHINES_NUSD_PER_S, lifetime_left_s=3_600),
        )
        open_tasks = len(self.queued) + len(self.running)
        return at_once_limit(purse, asked=self.asked, open_tasks=open_tasks)

    def call(self, work: Work) -> None:
        work.hold = self.draw.randint(WORST * 8 // 10, WORST)
        work.left_s = self.draw.randint(1, 6)
        if not self.router.admit(work.hold):
            work.hold = 0
            self.running.remove(work)
            self.refused.append(work)

    def step(self) -> None:
        self.router.spent += MACHINES_NUSD_PER_S * STEP_S
        self.seconds += STEP_S
        for work in list(self.running):
            work.left_s -= STEP_S
            if work.left_s > 0:
                continue
            cost = work.calls.pop(0)
            self.router.settle(hold=work.hold, cost=cost)
            work.cost += cost
            if work.calls:
                self.call(work)
            else:
                self.running.remove(work)
                self.ended.append(work)

    def run(self) -> None:
        while self.running or (self.queued and not self.refused):
            while self.queued and not self.refused and len(self.running) < self.limit():
                self.running.append(self.queued.pop(0))
                self.call(self.running[-1])
            if not self.running:
                break
            self.most_at_once = max(self.most_at_once, len(self.running))
            self.step()


def fleet_of(seed: int, *, tasks: int, budget: int, asked: int | None = None) -> Fleet:
    draw = random.Random(seed)
    queued = [
        Work([draw.randint(2_000_000, 4_000_000) for _ in range(draw.randint(3, 6))])
        for _ in range(tasks)
    ]
    return Fleet(Router(budget), queued, draw, asked=asked)


def really_needed(fleet: Fleet, *, at_once: int) -> int:
    """The budget by the rule of the preflight, with what it can only estimate known exactly."""
    every = fleet.ended + fleet.running + fleet.queued + fleet.refused
    cost = sum(work.cost + sum(work.calls) for work in every)
    compute = MACHINES_NUSD_PER_S * fleet.seconds
    return needed_budget(Plan(1, cost, WORST, compute), at_once=at_once)


def runs(
    seeds: int, *, tasks: int = 12, budget: int = USD // 4, asked: int | None = None
) -> list[Fleet]:
    fleets = [fleet_of(seed, tasks=tasks, budget=budget, asked=asked) for seed in range(seeds)]
    for fleet in fleets:
        fleet.run()
    return fleets


def test_under_a_quarter_dollar_auto_finishes_or_the_needed_budget_says_why_not() -> None:
    short = [fleet for fleet in runs(400) if len(fleet.ended) < 12]
    assert all(fleet.refused or fleet.queued for fleet in short)
    assert all(really_needed(fleet, at_once=1) > USD // 4 for fleet in short)


def test_under_a_quarter_dollar_auto_nearly_always_finishes_two_at_a_time() -> None:
    finished = [fleet for fleet in runs(300) if len(fleet.ended) == 12]
    assert len(finished) >= 285
    assert not any(fleet.router.refusals for fleet in finished)
    assert all(fleet.most_at_once == 2 for fleet in finished)


def test_with_the_budget_that_the_dearest_tasks_need_auto_is_never_refused() -> None:
    dearest = Plan(12, 24_000_000, WORST, MACHINES_NUSD_PER_S * 600)
    fleets = runs(200, budget=needed_budget(dearest, at_once=1))
    assert {(fleet.router.refusals, len(fleet.ended)) for fleet in fleets} == {(0, 12)}


def test_three_dollars_carry_fifty_agents_many_at_a_time_without_a_refusal() -> None:
    fleets = runs(60, tasks=50, budget=3 * USD)
    assert {(fleet.router.refusals, len(fleet.ended)) for fleet in fleets} == {(0, 50)}
    assert all(fleet.most_at_once >= 25 for fleet in fleets)


def test_four_at_once_under_a_quarter_dollar_stop_early() -> None:
    fleets = runs(50, asked=4)
    assert all(fleet.refused and fleet.router.spent < USD // 5 for fleet in fleets)
