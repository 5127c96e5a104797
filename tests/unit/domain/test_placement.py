"""Which agents share which machine."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.harnesses import HARNESSES
from fleets.domain.numbers import natural_key
from fleets.domain.placement import (
    AgentSpec,
    Auto,
    Dedicated,
    PerMachine,
    Placement,
    PlacementRule,
    agents_that_fit,
    memory_of,
    plan_machines,
    safe_mib,
)
from fleets.domain.prices import MACHINE_SIZES, MachineSize

SMALL = MACHINE_SIZES["small"]
SIZES = st.sampled_from(list(MACHINE_SIZES.values()))
RULES: st.SearchStrategy[PlacementRule] = st.one_of(
    st.just(Auto()), st.just(Dedicated()), st.builds(PerMachine, st.integers(1, 9))
)


@st.composite
def fleets_of_agents(draw: st.DrawFn) -> list[AgentSpec]:
    count = draw(st.integers(0, 20))
    harnesses = st.sampled_from(["opencode", "codex", "claude-code", "nanoclaw", "mystery"])
    return [
        AgentSpec(
            f"agent-{number}",
            draw(harnesses),
            draw(st.none() | st.sampled_from(["d1", "d2"])),
            draw(st.sampled_from([None, None, None, Dedicated(), Auto(), PerMachine(2)])),
        )
        for number in range(1, count + 1)
    ]


def opencode(count: int) -> list[AgentSpec]:
    return [AgentSpec(f"agent-{number}", "opencode") for number in range(1, count + 1)]


def sizes_of(placement: Placement) -> list[int]:
    return [len(plan.agent_ids) for plan in placement.machines]


def test_fifty_opencode_agents_need_nine_small_machines() -> None:
    placement = plan_machines(opencode(50), size=SMALL, placement=Auto())
    assert sizes_of(placement) == [6] * 8 + [2]
    assert placement.machines[0].agent_ids == tuple(f"agent-{n}" for n in range(1, 7))
    assert (placement.machines[0].used_mib, placement.machines[0].total_mib) == (3_600, 4_096)
    assert placement.warnings == ()


def test_four_gib_carry_six_heavy_agents() -> None:
    assert agents_that_fit(SMALL, "opencode") == 6


@given(fleets_of_agents(), SIZES, RULES)
def test_no_agent_is_lost_or_doubled(
    agents: list[AgentSpec], size: MachineSize, rule: PlacementRule
) -> None:
    placement = plan_machines(agents, size=size, placement=rule)
    placed = Counter(agent for plan in placement.machines for agent in plan.agent_ids)
    assert placed == Counter(agent.agent_id for agent in agents)


@given(fleets_of_agents(), st.sampled_from(list(MACHINE_SIZES)))
def test_no_machine_is_planned_past_its_safe_memory(agents: list[AgentSpec], name: str) -> None:
    size = MACHINE_SIZES[name]
    by_id = {agent.agent_id: agent for agent in agents}
    for plan in plan_machines(agents, size=size, placement=Auto()).machines:
        there = [by_id[agent_id] for agent_id in plan.agent_ids]
        assert plan.used_mib == 180 + sum(memory_of(agent.harness) for agent in there)
        at_own_risk = any(isinstance(agent.placement, PerMachine) for agent in there)
        assert at_own_risk or plan.used_mib <= safe_mib(size.memory_mib)


@given(fleets_of_agents(), RULES, st.randoms(use_true_random=False))
def test_the_plan_does_not_depend_on_the_order_given(
    agents: list[AgentSpec], rule: PlacementRule, shuffler: random.Random
) -> None:
    shuffled = list(agents)
    shuffler.shuffle(shuffled)
    assert plan_machines(agents, size=SMALL, placement=rule) == plan_machines(
        shuffled, size=SMALL, placement=rule
    )


@given(fleets_of_agents(), RULES)
def test_dedicated_and_unknown_agents_never_share(
    agents: list[AgentSpec], rule: PlacementRule
) -> None:
    by_id = {agent.agent_id: agent for agent in agents}
    for plan in plan_machines(agents, size=SMALL, placement=rule).machines:
        for agent in (by_id[agent_id] for agent_id in plan.agent_ids):
            if isinstance(agent.placement or rule, Dedicated) or agent.harness == "mystery":
                assert len(plan.agent_ids) == 1
                assert plan.reason


@given(fleets_of_agents(), RULES)
def test_a_rule_of_its_own_is_kept_whatever_the_fleets_is(
    agents: list[AgentSpec], rule: PlacementRule
) -> None:
    by_id = {agent.agent_id: agent for agent in agents}
    for plan in plan_machines(agents, size=SMALL, placement=rule).machines:
        rules = {by_id[agent_id].placement or rule for agent_id in plan.agent_ids}
        assert len(rules) == 1
        (own,) = rules
        assert not isinstance(own, PerMachine) or len(plan.agent_ids) <= own.agents


@given(fleets_of_agents(), RULES)
def test_one_family_shares_only_with_the_same_profile(
    agents: list[AgentSpec], rule: PlacementRule
) -> None:
    by_id = {agent.agent_id: agent for agent in agents}
    for plan in plan_machines(agents, size=SMALL, placement=rule).machines:
        if not plan.is_shared:
            continue
        profiles: dict[str, set[str | None]] = {}
        for agent in (by_id[agent_id] for agent_id in plan.agent_ids):
            family = HARNESSES[agent.harness].family
            profiles.setdefault(family, set()).add(agent.profile_digest)
        assert all(len(digests) == 1 for digests in profiles.values())


@given(fleets_of_agents(), RULES)
def test_machines_and_their_agents_are_numbered_naturally(
    agents: list[AgentSpec], rule: PlacementRule
) -> None:
    machines = plan_machines(agents, size=SMALL, placement=rule).machines
    assert [plan.machine_id for plan in machines] == [f"m{n + 1}" for n in range(len(machines))]
    firsts = [plan.agent_ids[0] for plan in machines]
    assert firsts == sorted(firsts, key=natural_key)


def test_two_families_share_freely() -> None:
    agents = [AgentSpec("a", "opencode", "d1"), AgentSpec("b", "codex", "d2")]
    assert len(plan_machines(agents, size=SMALL, placement=Auto()).machines) == 1


def test_one_family_with_two_profiles_is_explained() -> None:
    agents = [AgentSpec("writer", "opencode", "d1"), AgentSpec("reviewer", "opencode", "d2")]
    placement = plan_machines(agents, size=SMALL, placement=Auto())
    assert len(placement.machines) == 2
    (warning,) = placement.warnings
    assert "reviewer and writer share a harness" in warning


def test_more_agents_than_is_safe_are_placed_as_told_and_warned_about() -> None:
    placement = plan_machines(opencode(12), size=SMALL, placement=PerMachine(12))
    assert sizes_of(placement) == [12]
    assert placement.machines[0].is_past_safe
    (warning,) = placement.warnings
    assert warning.startswith("m1 may run out of memory: 6.9 / 4.0 GiB planned, 3.6 GiB is safe")


def test_fewer_agents_per_machine_than_fit_is_safe_and_silent() -> None:
    placement = plan_machines(opencode(12), size=SMALL, placement=PerMachine(4))
    assert sizes_of(placement) == [4, 4, 4]
    assert placement.warnings == ()


def test_an_unknown_harness_is_named() -> None:
    placement = plan_machines([AgentSpec("a", "mystery")], size=SMALL, placement=Auto())
    assert "mystery" in placement.warnings[0]
    assert placement.machines[0].is_dedicated


def test_two_agents_of_one_id_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="same id"):
        plan_machines([AgentSpec("a", "codex")] * 2, size=SMALL, placement=Auto())


def test_a_machine_carries_at_least_one_agent() -> None:
    with pytest.raises(ValueError, match="at least one"):
        PerMachine(0)


def test_ten_thousand_agents_of_as_many_profiles_get_their_machines() -> None:
    agents = [AgentSpec(f"agent-{n}", "opencode", f"d{n}") for n in range(10_000)]
    assert len(plan_machines(agents, size=SMALL, placement=Auto()).machines) == 10_000
