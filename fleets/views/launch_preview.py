"""What the preflight panel shows of a form: figures, bars, and what to repair."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from fleets.domain.answer_check import words_of
from fleets.domain.child_budget import Above
from fleets.domain.errors import Advice
from fleets.domain.estimate import Range
from fleets.domain.launch_checks import Account
from fleets.domain.money import (
    NUSD_PER_USD,
    UNKNOWN,
    column_precision,
    show_at_precision,
    show_ceiling,
)
from fleets.domain.numbers import counted, show_duration_s, show_memory_use
from fleets.domain.placement import IDLE_MIB, MachinePlan
from fleets.domain.preflight import MachineGroup, Preflight, preflight
from fleets.domain.spec import LaunchSpec
from fleets.forms.launch import LaunchForm
from fleets.models import User
from fleets.selectors.fleet_rows import show_rate
from fleets.selectors.launch_options import account_facts

_CENT: Final = NUSD_PER_USD // 100
_MOST_BARS: Final = 12
_MOST_PIECES: Final = 40
_NAMES_SHOWN: Final = 6
_PROMPT_SHOWN: Final = 600


@dataclass(frozen=True, slots=True)
class Bar:
    """Memory of one machine, or of `label` machines that are filled alike, as SVG attributes."""

    label: str
    text: str
    use: str
    pieces: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class CostRow:
    """A line of the cost table; estimates are marked ~, ceilings ≤, unknown is a dash."""

    label: str
    low: str
    expected: str
    worst: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The panel. `flight` None: a field cannot be read. Places are named by their labels."""

    checked_at: datetime
    launch_label: str
    flight: Preflight | None = None
    missing: Sequence[str] = ()
    problems: Sequence[tuple[str, Advice]] = ()
    costs: Sequence[CostRow] = ()
    rate: str = ""
    after_cost: str = ""
    bars: Sequence[Bar] = ()
    sharing: Sequence[tuple[str, str]] = ()
    first_prompt: str = ""
    pool: str = ""
    answer: str = ""
    machines_in_use: int | None = None
    warnings: Sequence[Advice] = field(default=())

    @property
    def can_launch(self) -> bool:
        """Whether nothing stands against it, as far as one can see."""
        return self.flight is not None and not self.problems and not self.missing

    @property
    def cost_parts(self) -> Sequence[CostRow]:
        """What the costs are made of."""
        return self.costs[:-1]

    @property
    def cost_sum(self) -> CostRow | None:
        """All of it together."""
        return self.costs[-1] if self.costs else None


def preview(form: LaunchForm, user: User, *, now: datetime) -> Preview:
    """Recomputed on every change; reads only what is known of the account (two queries)."""
    form.is_valid()
    typed = [
        problem.as_advice
        for problem in form.problems
        if form.typed(problem.place).strip() or problem.place not in form.fields
    ]
    return panel(
        form.spec or form.spec_so_far(),
        user,
        now=now,
        typed=typed,
        missing=form.missing,
        labels={name: str(field.label) for name, field in form.fields.items()},
        above=form.above,
        has_prompt=form.spec is not None,
    )


def panel(
    spec: LaunchSpec | None,
    user: User,
    *,
    now: datetime,
    typed: Sequence[Advice] = (),
    missing: Sequence[str] = (),
    labels: Mapping[str, str] | None = None,
    above: Above | None = None,
    fields: Collection[str] | None = None,
    has_prompt: bool = True,
) -> Preview:
    """What is shown of a launch, None while one of its fields cannot be read. Two queries.

    `typed` is what is wrong with the fields; `labels` names their places; `fields` are those that a
    repair may change, None for all.
    """
    named = labels or {}
    if spec is None:
        return Preview(now, "Launch", missing=missing, problems=_labelled(named, typed))
    account = account_of(user)
    flight = preflight(spec, now=now, account=account, above=above)
    prompt = flight.first_prompt if has_prompt else ""
    return Preview(
        checked_at=now,
        launch_label=launch_label(flight),
        flight=flight,
        missing=missing,
        problems=_labelled(named, _merged(typed, _reachable(flight.problems, fields))),
        warnings=[
            advice
            for advice in _reachable(flight.warnings, fields)
            if advice.place not in _places(typed)
        ],
        costs=_cost_rows(flight),
        after_cost=f"~ {show_rate(flight.after_cost_nusd)}" if flight.after_cost_nusd else "",
        rate=f"{show_rate(flight.running_nusd_per_hour)}/h",
        bars=_bars(flight),
        sharing=_sharing(flight),
        first_prompt=prompt if len(prompt) <= _PROMPT_SHOWN else f"{prompt[:_PROMPT_SHOWN]}…",
        machines_in_use=account.machines_in_use,
        pool=_pool_words(flight.spec),
        answer=words_of(flight.spec.answer),
    )


def account_of(user: User) -> Account:
    """The account and the person's own limit, as far as they are known."""
    facts = account_facts()
    limit_nusd = None if user.is_admin else user.spend_limit_nusd
    if facts is None:
        return Account(spend_limit_nusd=limit_nusd)
    return Account(
        machines_in_use=facts.machines_running,
        machines_allowed=facts.machines_allowed,
        credit_nusd=facts.credit_nusd,
        requests_per_minute=facts.requests_per_minute,
        spend_limit_nusd=limit_nusd,
    )


def launch_label(flight: Preflight) -> str:
    """The act with its count and its ceiling: "Launch 50 agents, ≤ $3.00"."""
    spec = flight.spec
    agents = counted(spec.count, "agent")
    if spec.only_machines is not None:
        agents = counted(spec.only_machines.count, "machine")
    if spec.tasks:
        agents = f"{agents} for {counted(spec.task_count, 'task')}"
    if flight.ceiling_nusd is None:
        return f"Launch {agents}, no ceiling known"
    return f"Launch {agents}, {show_ceiling(flight.ceiling_nusd)}"


def _pool_words(spec: LaunchSpec) -> str:
    """ "40 tasks over 8 agents, about 5 each", and where their conversations begin."""
    if not spec.tasks:
        return ""
    tasks, agents = counted(spec.task_count, "task"), counted(spec.count, "agent")
    each = spec.task_count / spec.count
    share = f"{'' if each.is_integer() else 'about '}{max(1, round(each)):,} each"
    session = "all in an agent's one session" if spec.is_same_session else "each in a new session"
    return f"{tasks} over {agents}, {share}, {session}"


def _places(advice: Sequence[Advice]) -> set[str]:
    return {one.place for one in advice}


def _labelled(labels: Mapping[str, str], found: Sequence[Advice]) -> list[tuple[str, Advice]]:
    """Each with the label of its field."""
    return [(labels.get(one.place, one.place), one) for one in found]


def _reachable(found: Sequence[Advice], fields: Collection[str] | None) -> list[Advice]:
    """The same advice, without repairs of fields that the form has not."""
    if fields is None:
        return list(found)
    return [
        replace(one, repairs=tuple(repair for repair in one.repairs if repair.field in fields))
        for one in found
    ]


def _merged(typed: Sequence[Advice], found: Sequence[Advice]) -> list[Advice]:
    """What the form says first; of the figures only what is said of other fields."""
    said = _places(typed)
    return [*typed, *(advice for advice in found if advice.place not in said)]


def _cost_rows(flight: Preflight) -> list[CostRow]:
    """Model calls, machines, and both together last; one precision for the whole table."""
    lifetime = show_duration_s(flight.spec.lifetime_s)
    calls = () if flight.spec.only_machines else (("model calls", flight.forecast.model),)
    lines = (
        *calls,
        (f"machines, {len(flight.machines):,} × {lifetime}", flight.forecast.compute),
        ("total", flight.forecast.total),
    )
    known = [cost.low for _, cost in lines if cost is not None]
    decimals = 2 if min(known) >= _CENT else column_precision(known)
    return [_cost_row(label, cost, decimals=decimals) for label, cost in lines]


def _cost_row(label: str, cost: Range | None, *, decimals: int) -> CostRow:
    if cost is None:
        return CostRow(label, UNKNOWN, UNKNOWN, UNKNOWN)
    step = NUSD_PER_USD // 10**decimals
    worst = -(-cost.worst // step) * step
    return CostRow(
        label,
        f"~ {show_at_precision(cost.low, decimals=decimals)}",
        f"~ {show_at_precision(cost.expected, decimals=decimals)}",
        f"≤ {show_at_precision(worst, decimals=decimals)}",
    )


def _bars(flight: Preflight) -> list[Bar]:
    if flight.spec.only_machines is not None:
        return []
    if len(flight.machines) <= _MOST_BARS:
        return [
            _bar(plan.machine_id, plan.used_mib, plan.total_mib, agents=len(plan.agent_ids))
            for plan in flight.machines
        ]
    return [_group_bar(group) for group in flight.machine_groups]


def _sharing(flight: Preflight) -> list[tuple[str, str]]:
    """Who is where, and why somebody is alone; only where agents differ, and only the first."""
    if not flight.spec.agents:
        return []
    return [(plan.machine_id, _who(plan)) for plan in flight.machines[:_MOST_BARS]]


def _who(plan: MachinePlan) -> str:
    names = ", ".join(plan.agent_ids[:_NAMES_SHOWN])
    more = len(plan.agent_ids) - _NAMES_SHOWN
    names += f" and {more:,} more" if more > 0 else ""
    return f"{names} ({plan.reason})" if plan.reason else names


def _group_bar(group: MachineGroup) -> Bar:
    label = f"{group.machines:,}×"
    return _bar(label, group.used_mib, group.total_mib, agents=group.agents_each)


def _bar(label: str, used_mib: int, total_mib: int, *, agents: int) -> Bar:
    idle = IDLE_MIB * 100 / total_mib
    width = max(0.0, min(100.0, used_mib * 100 / total_mib) - idle)
    parts = agents if agents <= _MOST_PIECES else 1
    each = width / max(1, parts)
    use = show_memory_use(used_mib, total_mib)
    return Bar(
        label=label,
        text=f"{label}: {agents} agent{'' if agents == 1 else 's'}, {use}",
        use=use.removesuffix(" GiB"),
        pieces=[(f"{idle + number * each:.2f}%", f"{each:.2f}%") for number in range(parts)],
    )
