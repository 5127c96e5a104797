"""What the launch page says before anything happens."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.errors import Advice
from fleets.domain.launch_checks import Account
from fleets.domain.money import usd_to_nusd
from fleets.domain.preflight import MachineGroup, Preflight, preflight
from fleets.domain.prices import MACHINE_SIZES, OFFERED_MODELS
from fleets.domain.spec import LaunchSpec, parse_launch
from fleets.domain.status import Afterwards

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
NIGHTLY = LaunchSpec(
    name="nightly-review",
    team_slug="review",
    count=50,
    prompt="Review shard {index}",
    budget_nusd=3_000_000_000,
)
SPECS = st.builds(
    replace,
    st.just(NIGHTLY),
    count=st.integers(1, 300),
    model=st.sampled_from([*OFFERED_MODELS, "no/price"]),
    size=st.sampled_from(list(MACHINE_SIZES)),
    budget_nusd=st.none() | st.integers(1, 10**11),
    at_once=st.none() | st.integers(1, 400),
    after=st.sampled_from(list(Afterwards)),
    lifetime_s=st.integers(60, 86_400),
)


def nusd(usd: str) -> int:
    return usd_to_nusd(Decimal(usd))


def looked_at(spec: LaunchSpec, **account: int) -> Preflight:
    return preflight(spec, now=NOW, account=Account(**account))


def about(advices: tuple[Advice, ...], place: str) -> Advice:
    return next(advice for advice in advices if advice.place == place)


def applied(spec: LaunchSpec, advice: Advice, *, label: str) -> LaunchSpec:
    """The launch after one of the repair buttons, through the form like the button itself."""
    raw = {
        "name": spec.name,
        "team": spec.team_slug,
        "count": str(spec.count),
        "prompt": spec.prompt,
        "budget": str(Decimal(spec.budget_nusd or 0).scaleb(-9)),
        "at_once": str(spec.at_once or "auto"),
        "lifetime": f"{spec.lifetime_s} s",
        "after": spec.after.value,
    }
    repair = next(repair for repair in advice.repairs if label in repair.label)
    raw[repair.field] = repair.value
    return parse_launch(raw)


def test_fifty_agents_under_three_dollars_can_go() -> None:
    result = looked_at(NIGHTLY)
    assert result.can_launch
    assert result.warnings == ()
    assert result.machine_groups == (
        MachineGroup(machines=8, agents_each=6, used_mib=3_600, total_mib=4_096),
        MachineGroup(machines=1, agents_each=2, used_mib=1_320, total_mib=4_096),
    )
    assert result.ceiling_nusd == nusd("3")
    assert result.running_nusd_per_hour == 9 * nusd("0.0864")
    assert result.forecast.compute.worst == 9 * nusd("0.0864")
    assert result.after_label == "delete after 30 min"
    assert result.after_cost_nusd == 9 * nusd("0.0432")
    assert result.first_prompt == "Review shard 1"


def test_auto_says_how_many_the_budget_holds_from_start_to_end() -> None:
    holds = looked_at(NIGHTLY).holds
    assert holds is not None
    assert holds.worst_call_nusd == nusd("0.0604288")
    assert (holds.at_once_start, holds.at_once_end) == (35, 28)
    assert holds.fit_start is not None
    assert holds.fit_start >= holds.at_once_start
    assert holds.needed_nusd < nusd("1")


def test_fifty_at_once_hold_more_than_three_dollars_and_every_repair_mends_it() -> None:
    spec = replace(NIGHTLY, at_once=50)
    result = looked_at(spec)
    advice = about(result.warnings, "at_once")
    assert result.can_launch
    assert advice.message == (
        "50 agents × one worst-case call ($0.0605) = $3.03 held at once: 49 fit at the start,"
        " 40 at the end; the rest would stop."
    )
    for label in ("40 at once", "As many as fit", "Budget"):
        assert looked_at(applied(spec, advice, label=label)).warnings == ()


def test_compute_over_the_budget_stops_the_launch_and_every_repair_mends_it() -> None:
    spec = replace(NIGHTLY, lifetime_s=8 * 3_600)
    advice = about(looked_at(spec).problems, "budget")
    assert [repair.label for repair in advice.repairs] == [
        "Shorten to 3 h 45 m",
        "4 machines, 24 agents",
        "Budget $6.30",
    ]
    for repair in advice.repairs:
        assert looked_at(applied(spec, advice, label=repair.label)).can_launch


def test_a_budget_below_one_call_stops_the_launch() -> None:
    spec = replace(NIGHTLY, count=1, budget_nusd=nusd("0.05"), lifetime_s=600)
    result = looked_at(spec)
    assert [problem.repairs[0].label for problem in result.problems] == ["Budget $0.07"]
    assert result.holds is not None
    assert result.holds.at_once_start == 0


def test_twelve_tasks_under_a_quarter_dollar_go_or_are_told_what_they_need() -> None:
    spec = replace(NIGHTLY, count=12, budget_nusd=nusd("0.25"))
    result = looked_at(spec)
    assert result.can_launch
    assert result.holds is not None
    assert result.warnings == ()
    assert result.holds.needed_nusd < nusd("0.25")
    tight = looked_at(replace(spec, budget_nusd=nusd("0.18")))
    advice = about(tight.warnings, "budget")
    assert "some may not be started" in advice.message
    assert advice.repairs[0].label == "Budget $0.22"


def test_four_at_once_under_a_quarter_dollar_are_warned_about() -> None:
    spec = replace(NIGHTLY, count=12, budget_nusd=nusd("0.25"), at_once=4)
    advice = about(looked_at(spec).warnings, "at_once")
    assert advice.message.startswith("4 agents × one worst-case call ($0.0605) = $0.2418 held")
    assert [repair.label for repair in advice.repairs][:2] == ["1 at once", "As many as fit"]


def test_a_model_without_a_price_has_no_figures_and_a_warning() -> None:
    result = looked_at(replace(NIGHTLY, model="no/price"))
    assert (result.forecast.model, result.forecast.total, result.holds) == (None, None, None)
    assert "No price is known" in about(result.warnings, "model").message


def test_without_a_budget_the_ceiling_is_the_worst_case() -> None:
    result = looked_at(replace(NIGHTLY, budget_nusd=None))
    assert result.forecast.total is not None
    assert result.ceiling_nusd == result.forecast.total.worst
    assert "Without a budget" in about(result.warnings, "budget").message


def test_a_launch_over_the_persons_limit_is_refused_with_the_limit() -> None:
    over = looked_at(NIGHTLY, spend_limit_nusd=nusd("2"))
    assert over.problems[0].repairs[0].value == "2.00"
    without = looked_at(replace(NIGHTLY, budget_nusd=None), spend_limit_nusd=nusd("2"))
    assert "needs a budget" in without.problems[0].message
    assert looked_at(NIGHTLY, spend_limit_nusd=nusd("3")).can_launch


def test_machines_that_the_account_has_no_room_for_stop_the_launch() -> None:
    advice = about(looked_at(NIGHTLY, machines_in_use=97, machines_allowed=100).problems, "count")
    assert advice.message == "9 machines are needed, 3 are free: 97 of 100 in use."
    assert advice.repairs[0].value == "18"
    assert looked_at(NIGHTLY, machines_in_use=97, machines_allowed=0).can_launch


def test_credit_below_the_ceiling_is_a_warning() -> None:
    result = looked_at(NIGHTLY, credit_nusd=nusd("1"))
    assert result.can_launch
    assert "$1.00 of credit" in about(result.warnings, "budget").message


def test_machines_that_are_kept_and_equal_prompts_are_warned_about() -> None:
    result = looked_at(replace(NIGHTLY, after=Afterwards.KEEP, prompt="Same"))
    assert about(result.warnings, "after").repairs[0].value == "delete"
    assert "the same prompt" in about(result.warnings, "prompt").message


def test_a_slow_account_begins_later() -> None:
    quick = looked_at(NIGHTLY).timeline
    slow = looked_at(NIGHTLY, requests_per_minute=10).timeline
    assert quick.all_at < slow.all_at
    assert slow.all_at - NOW > timedelta(minutes=5)


@given(SPECS)
def test_every_preflight_adds_up_and_is_in_order(spec: LaunchSpec) -> None:
    result = looked_at(spec)
    assert sum(group.machines for group in result.machine_groups) == len(result.machines)
    placed = sum(group.machines * group.agents_each for group in result.machine_groups)
    assert placed == spec.count
    assert NOW < result.timeline.first_at <= result.timeline.all_at <= result.timeline.done_at
    compute = result.forecast.compute
    assert compute.low <= compute.expected <= compute.worst
    if result.holds is not None:
        assert 0 <= result.holds.at_once_end <= result.holds.at_once_start <= spec.count
    if spec.budget_nusd is not None:
        assert result.ceiling_nusd == spec.budget_nusd


@given(SPECS)
def test_every_repair_is_a_value_its_field_takes(spec: LaunchSpec) -> None:
    result = looked_at(spec, machines_allowed=20, machines_in_use=5, spend_limit_nusd=10**10)
    base = {"name": "n", "team": "t", "count": "1", "prompt": "{index}"}
    for advice in (*result.problems, *result.warnings):
        for repair in advice.repairs:
            # A lifetime alone may be shorter than the usual time of a task; that follows it.
            parse_launch({**base, repair.field: repair.value})


def test_a_budget_is_advised_for_what_the_job_may_cost_not_for_all_one_may_give() -> None:
    without = looked_at(replace(NIGHTLY, budget_nusd=None), spend_limit_nusd=nusd("50"))
    total = without.forecast.total
    assert total is not None
    repair = without.problems[0].repairs[0]
    assert total.worst <= nusd(repair.value) < total.worst + nusd("1.01")
