"""Machines without agents: what a launch and a definition may say of them, what they cost."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from fleets.domain.definition import check_definition, read_definition
from fleets.domain.definition_facts import shape_of
from fleets.domain.definition_form import from_fields, to_fields
from fleets.domain.errors import InvalidInput
from fleets.domain.expansion import expand
from fleets.domain.launch_checks import Account
from fleets.domain.only_machines import OnlyMachines
from fleets.domain.preflight import preflight
from fleets.domain.spec import LaunchSpec, parse_launch
from fleets.domain.status import Afterwards, FleetFacts, FleetState, StateCounts, fleet_state

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
TYPED = {"name": "bench", "team": "main", "machines": "8", "coordinator": "yes"}
BODY: dict[str, Any] = {"name": "Bench", "agents": {"machines": 8, "coordinator": True}}


def problems(**typed: str) -> dict[str, str]:
    with pytest.raises(InvalidInput) as caught:
        parse_launch({**TYPED, **typed})
    return {one.place: one.message for one in caught.value.problems}


def test_they_are_asked_for_without_a_prompt_and_go_with_their_lifetime() -> None:
    spec = parse_launch({**TYPED, "lifetime": "3 h", "machine": '{"image": "node:22"}'})
    assert spec.only_machines == OnlyMachines(8, has_coordinator=True)
    assert (spec.count, spec.task_count, spec.plans) == (0, 0, ())
    assert (spec.after, spec.after_delay_s) == (Afterwards.DELETE, 3 * 3_600)
    assert spec.machine.image == "node:22"
    assert parse_launch({**TYPED, "after_delay": "30 min"}).after_delay_s == 1_800


def test_what_only_agents_could_use_is_refused_at_its_place() -> None:
    found = problems(prompt="Do it", tasks="one\ntwo")
    assert set(found) == {"prompt", "tasks"}
    assert "Leave it empty" in found["prompt"]


@pytest.mark.parametrize("typed", ["0", "1,001", "many"])
def test_the_number_of_machines_has_its_bounds(typed: str) -> None:
    assert list(problems(machines=typed, prompt="Do it", count="1")) == ["machines"]


def test_what_machines_get_is_refused_by_its_path() -> None:
    found = problems(machine='{"git": {"url": "https://user:pass@example.org/a.git"}}')
    assert "user or password" in found["machine.git.url"]


def test_the_preflight_counts_machines_and_nothing_else() -> None:
    flight = preflight(parse_launch(TYPED), now=NOW)
    assert len(flight.machines) == 9
    assert flight.holds is None
    assert flight.forecast.model is not None
    assert flight.forecast.model.worst == 0
    assert flight.forecast.total == flight.forecast.compute
    assert flight.running_nusd_per_hour * 1 == flight.forecast.compute.worst
    assert flight.warnings[0].place == "budget"
    assert all("price" not in one.message for one in flight.warnings)
    assert flight.timeline.first_at < flight.timeline.all_at <= flight.timeline.done_at


def test_too_many_for_budget_or_account_offer_how_many_fit() -> None:
    spec = replace(parse_launch(TYPED), budget_nusd=10_000_000)
    (advice,) = (one for one in preflight(spec, now=NOW).problems if one.place == "budget")
    assert "machines" not in {repair.field for repair in advice.repairs}
    full = preflight(spec, now=NOW, account=Account(machines_in_use=5, machines_allowed=10))
    (fewer,) = (one for one in full.problems if one.place == "machines")
    assert [(one.label, one.value) for one in fewer.repairs] == [("5 machines", "4")]


def test_a_definition_of_machines_launches_them() -> None:
    recipe = read_definition({**BODY, "lifetime": "2 h", "budgetUsd": "5.00"})
    spec: LaunchSpec = expand(recipe).spec
    assert spec.only_machines == OnlyMachines(8, has_coordinator=True)
    assert (spec.count, spec.after_delay_s, spec.prompt) == (0, 7_200, "")
    assert shape_of(recipe, rows=None) == "9 machines only, one a coordinator"


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"message": "Do it"}, "message"),
        ({"answer": {"shape": "json"}}, "answer"),
        ({"agents": {"machines": 0}}, "agents.machines"),
        ({"agents": {"machines": 2, "count": 3}}, "agents"),
        ({"agents": {"count": 3, "coordinator": True}, "message": "x"}, "agents.coordinator"),
    ],
)
def test_a_definition_says_what_does_not_go_with_machines_only(
    changes: dict[str, Any], place: str
) -> None:
    read = check_definition({**BODY, **changes})
    assert [one.place for one in read.problems] == [place]


def test_the_form_says_the_same() -> None:
    before = to_fields({"name": "Bench", "agents": {"count": 10}})
    typed = {**before, "kind": "machines", "machines": "8", "coordinator": "yes"}
    assert from_fields({"name": "Bench", "agents": {"count": 10}}, typed) == BODY
    assert from_fields(BODY, to_fields(BODY)) == BODY


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        (FleetFacts(only_machines=True, creating=True), FleetState.CREATING),
        (FleetFacts(only_machines=True, machines_running=2), FleetState.RUNNING),
        (FleetFacts(only_machines=True), FleetState.FINISHED),
        (FleetFacts(only_machines=True, none_made=True), FleetState.FAILED),
        (FleetFacts(only_machines=True, cancelled=True, machines_running=2), FleetState.CANCELLED),
        (FleetFacts(counts=StateCounts()), FleetState.FAILED),
    ],
)
def test_its_machines_say_how_it_stands(facts: FleetFacts, state: FleetState) -> None:
    assert fleet_state(facts) is state
