"""A trial: two revisions of a profile over the same examples, in one small fleet.

Every revision has an agent of its own for each example, so no conversation is shared, neither
between the sides nor between the examples. The agents of both sides take turns in the fleet's
order, the revision that it is compared with first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from fleets.domain.agent_plan import AgentPlan, SavedProfile, alike
from fleets.domain.agent_settling import provider_problems
from fleets.domain.budget import compute_reserve_nusd
from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.harnesses import DEFAULT_HARNESS
from fleets.domain.launch_checks import budget_repair
from fleets.domain.money import usd_string
from fleets.domain.numbers import show_duration_s
from fleets.domain.preflight import preflight, task_of
from fleets.domain.profile_examples import Example
from fleets.domain.spec import DEFAULT_MODEL, MAX_NAME_CHARS, LaunchSpec, parse_launch

TAG: Final = "trial"
LIFETIME_S: Final = 30 * 60
# What may become of the machines after the last turn: gone at once, or in time to look at them.
AFTER_S: Final = (0, 5 * 60)
_DEFAULTS: Final[Mapping[str, str]] = {
    "lifetime": show_duration_s(LIFETIME_S),
    "after_delay": show_duration_s(AFTER_S[0]),
}
_UNPRICED_BUDGET_USD: Final = "1.00"
# Money does not depend on when.
_ANY_TIME: Final = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two revisions, with what it says."""

    number: int
    digest: str
    saved: SavedProfile


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """What runs. `against` is the one that `tried` is compared with."""

    slug: str
    tried: Side
    against: Side
    examples: tuple[Example, ...]

    @property
    def name(self) -> str:
        """What the fleet is called."""
        tail = f" r{self.tried.number} against r{self.against.number}"
        return f"{self.slug[: MAX_NAME_CHARS - len(tail)]}{tail}"

    @property
    def turns(self) -> int:
        """How many turns it takes."""
        return 2 * len(self.examples)

    @property
    def agents(self) -> tuple[AgentPlan, ...]:
        """An agent for each example and side: r12-1, r13-1, r12-2, …"""
        sides = [(side.number, agent_of(side)) for side in (self.against, self.tried)]
        return tuple(
            replace(plan, agent_id=f"r{number}-{at}", task=example.prompt, answer=example.check)
            for at, example in enumerate(self.examples, start=1)
            for number, plan in sides
        )


def agent_of(side: Side) -> AgentPlan:
    """What an agent of this revision runs with; what it leaves open takes our defaults."""
    (plan,) = alike(("agent",), side.saved, harness=DEFAULT_HARNESS, model=DEFAULT_MODEL)
    return plan


def place_of(position: int) -> tuple[int, bool]:
    """Which example an agent at this position (from 1) ran, and whether for the tried revision."""
    return (position + 1) // 2, position % 2 == 0


def trial_refusal(
    *, slug: str, examples: Sequence[Example], tried: Side, against: Side, is_archived: bool
) -> str:
    """Why nothing can be tried, "" when it can."""
    if is_archived:
        return f"{slug} is archived: bring it back first."
    if not examples:
        return f"{slug} has no examples yet: write 3 to 10 tasks to try it on."
    if tried.number == against.number:
        return (
            f"r{tried.number} cannot be compared with itself: choose another revision, or save a"
            " draft first."
        )
    if tried.digest == against.digest:
        return (
            f"r{tried.number} and r{against.number} say the same: whatever differed between their"
            " answers would be chance."
        )
    return ""


def read_trial(raw: Mapping[str, str], plan: TrialPlan) -> LaunchSpec:
    """The launch of a trial from fields as typed: team, budget (needed), lifetime, task_timeout and
    after_delay (durations). Raises InvalidInput with the problems of all of them.
    """
    fields = {
        **_DEFAULTS,
        **{name: text for name, text in raw.items() if text.strip()},
        "name": plan.name,
        "tags": TAG,
        # What every launch needs and this one has from its agents.
        "count": "1",
        "prompt": "-",
    }
    problems: list[Problem] = []
    spec = None
    try:
        spec = parse_launch(fields)
    except InvalidInput as error:
        problems += error.problems
    if not raw.get("budget", "").strip():
        problems.append(Problem("budget", "A trial has a budget: what it may cost at most."))
    agents = plan.agents
    problems += [Problem("", words) for _, words in provider_problems(agents[:2])]
    if problems or spec is None:
        raise InvalidInput(problems)
    return replace(spec, prompt="", agents=agents, count=len(agents))


def holding_budget(spec: LaunchSpec, *, limit_nusd: int | None) -> str:
    """The budget in dollars that holds a trial with all its turns at once; within a person's limit
    as long as they can still run one by one.
    """
    at_once = replace(spec, budget_nusd=None, at_once=spec.count)
    most = _needed(at_once)
    if most is None:
        return _UNPRICED_BUDGET_USD
    budget = budget_repair(most).value
    if limit_nusd is None or most <= limit_nusd:
        return budget
    least = _needed(replace(spec, budget_nusd=None, at_once=1))
    return usd_string(limit_nusd) if least is not None and least <= limit_nusd else budget


def _needed(spec: LaunchSpec) -> int | None:
    """What holds so many at once, and what `auto` needs to begin as many."""
    flight = preflight(spec, now=_ANY_TIME)
    task = task_of(spec)
    if flight.holds is None or task is None:
        return None
    per_s = len(flight.machines) * spec.machine_size.nusd_per_s
    each = task.worst_call_nusd + task.likely_most_nusd
    begin = (spec.at_once or 1) * each + compute_reserve_nusd(
        per_s, lifetime_left_s=spec.lifetime_s
    )
    return max(flight.holds.needed_nusd, flight.forecast.compute.worst, begin)
