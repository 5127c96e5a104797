"""A trial's launch: an agent for each example and side, each with its own check and profile."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from fleets.domain.answer_check import AnswerCheck, CheckKind
from fleets.domain.canonical_json import profile_digest
from fleets.domain.errors import InvalidInput
from fleets.domain.money import NUSD_PER_USD, usd_string
from fleets.domain.money_input import parse_usd
from fleets.domain.placement import plan_machines
from fleets.domain.preflight import agents_of
from fleets.domain.profile_examples import Example
from fleets.domain.profile_trial import (
    Side,
    TrialPlan,
    holding_budget,
    place_of,
    read_trial,
    trial_refusal,
)
from fleets.domain.status import Afterwards

OLD = {"name": "reviewer", "harness": "opencode", "model": {"default": "gpt-4.1-nano"}}
NEW = {"name": "reviewer", "harness": "opencode", "model": {"default": "gpt-4.1-mini"}}
EXAMPLES = (Example("First", AnswerCheck(kind=CheckKind.NOT_EMPTY)), Example("Second {x}"))
TYPED = {"team": "review", "budget": "1.00"}


@dataclass(frozen=True)
class Kept:
    body: Mapping[str, Any]
    revision_id: int


def side(number: int, body: Mapping[str, Any]) -> Side:
    return Side(number, profile_digest(body), Kept(body, 100 + number))


def plan(new: Mapping[str, Any] = NEW, examples: tuple[Example, ...] = EXAMPLES) -> TrialPlan:
    return TrialPlan("reviewer", side(13, new), side(12, OLD), examples)


def test_each_example_has_an_agent_of_each_side_with_its_own_check() -> None:
    agents = plan().agents
    assert [one.agent_id for one in agents] == ["r12-1", "r13-1", "r12-2", "r13-2"]
    assert [one.task for one in agents] == ["First", "First", "Second {x}", "Second {x}"]
    assert [one.model for one in agents] == ["gpt-4.1-nano", "gpt-4.1-mini"] * 2
    assert [one.saved for one in agents] == [112, 113] * 2
    assert agents[0].answer == AnswerCheck(kind=CheckKind.NOT_EMPTY)
    assert agents[2].answer == AnswerCheck()
    places = [place_of(position) for position in range(1, 5)]
    assert places == [(1, False), (1, True), (2, False), (2, True)]


def test_two_profiles_of_one_harness_never_share_a_machine() -> None:
    spec = read_trial(TYPED, plan())
    placed = plan_machines(agents_of(spec), size=spec.machine_size, placement=spec.placement)
    machines = [set(machine.agent_ids) for machine in placed.machines]
    assert machines == [{"r12-1", "r12-2"}, {"r13-1", "r13-2"}]
    other = read_trial(TYPED, plan({**NEW, "harness": "codex"}))
    placed = plan_machines(agents_of(other), size=other.machine_size, placement=other.placement)
    assert len(placed.machines) == 1


def test_the_launch_is_small_budgeted_and_cleans_up_at_once() -> None:
    spec = read_trial(TYPED, plan())
    assert (spec.count, spec.prompt, spec.name) == (4, "", "reviewer r13 against r12")
    assert (spec.after, spec.after_delay_s, spec.lifetime_s) == (Afterwards.DELETE, 0, 1800)
    assert (spec.budget_nusd, spec.tags) == (NUSD_PER_USD, ("trial",))
    assert read_trial({**TYPED, "after_delay": "5 min"}, plan()).after_delay_s == 300


def test_everything_that_is_wrong_with_the_settings_is_told_at_its_place() -> None:
    with pytest.raises(InvalidInput) as refused:
        read_trial({"team": "", "budget": " ", "lifetime": "ages"}, plan())
    assert set(refused.value.by_place) == {"team", "budget", "lifetime"}


def test_the_name_fits_however_long_the_profiles_is() -> None:
    long = TrialPlan("x" * 63, side(1300, NEW), side(1299, OLD), EXAMPLES)
    assert len(read_trial(TYPED, long).name) <= 80
    assert long.name.endswith(" r1300 against r1299")


def test_the_budget_holds_all_turns_at_once_or_stays_within_the_limit() -> None:
    spec = read_trial(TYPED, plan())
    free = parse_usd(holding_budget(spec, limit_nusd=None), place="budget")
    one_by_one = free // 2
    assert holding_budget(spec, limit_nusd=one_by_one) == usd_string(one_by_one)
    # Over what even one by one needs, the limit is not hidden: the launch is refused with it.
    assert parse_usd(holding_budget(spec, limit_nusd=1), place="budget") == free
    unpriced = read_trial(TYPED, plan({**NEW, "model": {"default": "nobody/knows"}}))
    assert holding_budget(unpriced, limit_nusd=None) == "1.00"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"examples": ()}, "no examples yet"),
        ({"is_archived": True}, "bring it back first"),
        ({"tried": side(12, NEW)}, "cannot be compared with itself"),
        ({"tried": side(13, OLD)}, "say the same"),
        ({}, ""),
    ],
)
def test_what_cannot_be_tried_is_refused_with_the_reason(
    changes: dict[str, Any], words: str
) -> None:
    asked = {"examples": EXAMPLES, "tried": side(13, NEW), "is_archived": False}
    refusal = trial_refusal(slug="reviewer", against=side(12, OLD), **{**asked, **changes})
    assert words in refusal
    assert bool(words) == bool(refusal)
