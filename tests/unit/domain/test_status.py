"""Words of state: which fits first, and what may follow what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain import status
from fleets.domain.status import (
    FleetFacts,
    FleetState,
    StateCounts,
    TaskState,
    TurnOutcome,
    fleet_state,
)

COUNTS = st.builds(
    StateCounts,
    **{name: st.integers(0, 3) for name in StateCounts.__dataclass_fields__},
)
FACTS = st.builds(
    FleetFacts,
    counts=COUNTS,
    **{name: st.booleans() for name in FleetFacts.__dataclass_fields__ if name != "counts"},
)


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        (FleetFacts(counts=StateCounts(running=1), deleting=True, creating=True), "deleting"),
        (FleetFacts(counts=StateCounts(queued=1), creating=True, cancelling=True), "creating"),
        (FleetFacts(counts=StateCounts(running=1), cancelling=True, held=True), "cancelling"),
        (FleetFacts(counts=StateCounts(running=1, waiting=1), held=True), "held"),
        (FleetFacts(counts=StateCounts(running=1, waiting=1)), "waiting"),
        (FleetFacts(counts=StateCounts(running=1, completed=9)), "running"),
        (FleetFacts(counts=StateCounts(unknown=1, completed=9)), "running"),
        (FleetFacts(counts=StateCounts(unknown=1, completed=9), run_ended=True), "finished"),
        (FleetFacts(counts=StateCounts(completed=9), held=True), "finished"),
        (FleetFacts(counts=StateCounts(completed=1, cancelled=2), cancelled=True), "cancelled"),
        (FleetFacts(counts=StateCounts(completed=1, cancelled=2)), "finished"),
        (FleetFacts(counts=StateCounts(completed=4, budget_exhausted=1)), "budget_exhausted"),
        (FleetFacts(counts=StateCounts(not_started=4), budget_stopped=True), "budget_exhausted"),
        (FleetFacts(counts=StateCounts(failed=3, timed_out=1)), "failed"),
        (FleetFacts(counts=StateCounts(failed=3, completed=1)), "finished"),
        (FleetFacts(), "failed"),
        (FleetFacts(counts=StateCounts(completed=1), gone=True, deleting=True), "deleted"),
    ],
)
def test_the_first_state_that_fits_is_the_fleets(facts: FleetFacts, state: str) -> None:
    assert fleet_state(facts) == state


@given(FACTS)
def test_a_fleet_with_open_work_is_never_said_to_have_ended(facts: FleetFacts) -> None:
    state = fleet_state(facts)
    if facts.counts.open > 0 and not facts.gone and not facts.run_ended:
        assert state not in status.TERMINAL_FLEETS


@given(FACTS)
def test_nothing_looks_alive_once_the_platform_has_nothing_left(facts: FleetFacts) -> None:
    assert (fleet_state(facts) is FleetState.DELETED) == facts.gone


def test_an_unknown_outcome_may_still_become_known() -> None:
    assert TaskState.UNKNOWN not in status.TERMINAL_TASKS
    assert TurnOutcome.UNKNOWN not in status.TERMINAL_OUTCOMES


@pytest.mark.parametrize("outcome", list(TurnOutcome))
def test_a_task_takes_the_word_of_its_latest_turn(outcome: TurnOutcome) -> None:
    assert status.task_state_from(outcome).value == outcome.value


def test_a_task_whose_turn_is_under_way_runs() -> None:
    assert status.task_state_from(None) is TaskState.RUNNING


@given(st.lists(st.sampled_from(list(TaskState))))
def test_counts_hold_every_task_once(states: list[TaskState]) -> None:
    counts = StateCounts.of(states)
    assert counts.total == len(states)
    assert counts.open + counts.ended == counts.total
    assert counts.waiting == sum(state in status.WAITING_TASKS for state in states)
