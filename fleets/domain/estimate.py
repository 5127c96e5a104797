"""What a launch may cost, before anything is known of it: low, expected, worst case.

The figures per task are our estimate of a short coding task (16,000 tokens of input at the first
call, most of it cached); they are there to be replaced by what earlier launches really took.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fleets.domain.budget import worst_call_nusd
from fleets.domain.prices import ModelPrice
from fleets.domain.status import Afterwards


@dataclass(frozen=True, slots=True)
class CallTokens:
    """Tokens of one model call."""

    fresh: int
    cached: int
    output: int

    def cost_nusd(self, price: ModelPrice) -> int:
        """What such a call costs."""
        return price.cost_nusd(
            fresh_tokens=self.fresh, cached_tokens=self.cached, output_tokens=self.output
        )


@dataclass(frozen=True, slots=True)
class TaskShape:
    """How many calls a task makes, how large they are and how long it takes."""

    calls_low: int = 3
    calls_expected: int = 4
    calls_most: int = 6
    low: CallTokens = CallTokens(fresh=1_000, cached=14_000, output=200)
    expected: CallTokens = CallTokens(fresh=1_500, cached=15_000, output=300)
    most: CallTokens = CallTokens(fresh=2_500, cached=18_000, output=600)
    seconds_low: int = 20
    seconds_expected: int = 60


TYPICAL_TASK: Final = TaskShape()
# A machine was measured to take 9 s; the service makes some at a time.
MACHINE_BOOT_S: Final = 10
CREATES_AT_ONCE: Final = 8


@dataclass(frozen=True, slots=True)
class Range:
    """Low and expected are estimates, worst is a ceiling; all in nusd."""

    low: int
    expected: int
    worst: int

    def __add__(self, other: "Range") -> "Range":
        return Range(self.low + other.low, self.expected + other.expected, self.worst + other.worst)

    def __mul__(self, times: int) -> "Range":
        return Range(self.low * times, self.expected * times, self.worst * times)


@dataclass(frozen=True, slots=True)
class TaskCost:
    """What one task costs. `likely_most_nusd` is what a dear one takes, far below its ceiling."""

    cost: Range
    likely_most_nusd: int
    worst_call_nusd: int


def task_cost(
    price: ModelPrice | None,
    *,
    answer_cap_tokens: int | None = None,
    shape: TaskShape = TYPICAL_TASK,
) -> TaskCost | None:
    """The cost of a task, None without a price. Worst: its most calls, each as large as allowed."""
    worst_call = worst_call_nusd(price, answer_cap_tokens=answer_cap_tokens)
    if price is None or worst_call is None:
        return None
    return TaskCost(
        cost=Range(
            low=shape.calls_low * shape.low.cost_nusd(price),
            expected=shape.calls_expected * shape.expected.cost_nusd(price),
            worst=shape.calls_most * worst_call,
        ),
        likely_most_nusd=shape.calls_most * shape.most.cost_nusd(price),
        worst_call_nusd=worst_call,
    )


def average_cost(costs: Sequence[TaskCost | None]) -> TaskCost | None:
    """One task's cost over a mixed fleet; its worst call is the dearest. None if one is unknown."""
    known = [cost for cost in costs if cost is not None]
    if not known or len(known) < len(costs):
        return None
    count = len(known)
    return TaskCost(
        cost=Range(
            low=sum(task.cost.low for task in known) // count,
            expected=-(-sum(task.cost.expected for task in known) // count),
            worst=-(-sum(task.cost.worst for task in known) // count),
        ),
        likely_most_nusd=max(task.likely_most_nusd for task in known),
        worst_call_nusd=max(task.worst_call_nusd for task in known),
    )


@dataclass(frozen=True, slots=True)
class Duration:
    """How long the work takes, in seconds; `boot_s` of it until every machine has started."""

    boot_s: int
    low_s: int
    expected_s: int
    worst_s: int


def work_duration(
    *,
    tasks: int,
    at_once: int,
    machines: int,
    task_timeout_s: int,
    lifetime_s: int,
    shape: TaskShape = TYPICAL_TASK,
) -> Duration:
    """Waves of `at_once` tasks after the machines have started, within the lifetime."""
    boot_s = min(lifetime_s, -(-machines // CREATES_AT_ONCE) * MACHINE_BOOT_S)
    waves = -(-tasks // max(1, at_once))
    most = task_timeout_s
    each = (min(shape.seconds_low, most), min(shape.seconds_expected, most), most)
    low, expected, worst = (min(lifetime_s, boot_s + waves * s) for s in each)
    return Duration(boot_s, low, expected, worst)


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a launch may cost. `model` and `total` are None when the model has no price; without
    tasks no model is called.
    """

    model: Range | None
    compute: Range
    total: Range | None


def forecast(
    *,
    tasks: int,
    task: TaskCost | None,
    machines_nusd_per_s: int,
    duration: Duration,
    lifetime_s: int,
    after: Afterwards,
    after_delay_s: int,
) -> Forecast:
    """Model calls of all tasks, and machines while they work and wait to be cleaned up.

    The worst case of compute is every machine over the whole lifetime.
    """
    wait_s = lifetime_s if after is Afterwards.KEEP else after_delay_s
    compute = Range(
        low=machines_nusd_per_s * min(lifetime_s, duration.low_s + wait_s),
        expected=machines_nusd_per_s * min(lifetime_s, duration.expected_s + wait_s),
        worst=machines_nusd_per_s * lifetime_s,
    )
    model = _model_calls(task, tasks=tasks)
    return Forecast(model=model, compute=compute, total=model + compute if model else None)


def _model_calls(task: TaskCost | None, *, tasks: int) -> Range | None:
    if tasks == 0:
        return Range(0, 0, 0)
    return task.cost * tasks if task else None
