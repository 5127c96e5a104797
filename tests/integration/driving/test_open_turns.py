"""What a tick knows of open turns without loading them, and how it writes that they go on."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from fleets.domain.status import TurnOutcome, TurnState
from fleets.models import Agent, Turn
from fleets.services.driving.open_turns import load_rows, lock_open, look
from fleets.services.driving.overdue import load_overdue
from fleets.services.driving.signs_of_life import write_signs
from tests.factories import AgentFactory, MachineFactory, RunFactory, TaskFactory, TurnFactory

NOW = timezone.now()
pytestmark = pytest.mark.django_db


@pytest.fixture
def turns() -> list[Turn]:
    """Three running turns on two machines, begun a minute apart, the last one just now."""
    run = RunFactory()
    machines = [MachineFactory(fleet=run.fleet) for _ in range(2)]
    made: list[Turn] = []
    for number in range(3):
        agent = AgentFactory(machine=machines[number % 2])
        begun_at = NOW - timedelta(minutes=2 - number)
        turn: Turn = TurnFactory(
            task=TaskFactory(run=run, agent=agent, started_at=begun_at),
            state=TurnState.RUNNING,
            admitted_at=begun_at,
            execution_id=f"execution-{number}",
        )
        made.append(turn)
    return made


def test_all_open_turns_are_known_by_one_query(
    turns: list[Turn], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    _end(turns[0])

    with django_assert_num_queries(1):
        rows = load_rows(turns[0].run)

    assert [row.pk for row in rows] == [turns[1].pk, turns[2].pk]
    assert rows[1].session == turns[2].agent.session_id
    assert rows[1].machine_pk == turns[2].agent.machine_id
    assert rows[1].begun_at == NOW


def test_a_look_tells_the_machines_and_the_youngest(turns: list[Turn]) -> None:
    assert look(turns[0].run).machines == 2
    assert look(turns[0].run).youngest_at == NOW
    for turn in turns:
        _end(turn)
    assert look(turns[0].run).machines == 0


def test_turns_are_locked_with_one_run_for_all_and_without_their_prompts(
    turns: list[Turn], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    _end(turns[0])

    with django_assert_num_queries(2):
        locked = lock_open(turn.pk for turn in turns)
        assert {turn.run.fleet_id for turn in locked} == {turns[0].run.fleet_id}

    assert [turn.pk for turn in locked] == [turns[1].pk, turns[2].pk]
    assert "prompt" in locked[0].task.get_deferred_fields()


def test_only_turns_past_their_time_and_the_grace_are_overdue(turns: list[Turn]) -> None:
    fleet = turns[0].run.fleet
    fleet.task_timeout_s = 60
    Turn.objects.update(epoch=fleet.epoch)

    late = load_overdue(turns[0].run, fleet, now=NOW)
    assert late == [turns[0]]


def test_a_turn_that_goes_on_was_heard_of_and_never_earlier_than_was_known(
    turns: list[Turn],
) -> None:
    _end(turns[0])
    Agent.objects.filter(pk=turns[1].agent_id).update(last_event_at=NOW + timedelta(seconds=5))

    write_signs(turns[0].run.fleet, {turn.pk: NOW for turn in turns})

    heard = dict(Agent.objects.values_list("pk", "last_event_at"))
    assert heard[turns[0].agent_id] is None
    assert heard[turns[1].agent_id] == NOW + timedelta(seconds=5)
    assert heard[turns[2].agent_id] == NOW


def _end(turn: Turn) -> None:
    turn.state, turn.outcome = TurnState.ENDED, TurnOutcome.COMPLETED
    turn.save(update_fields=["state", "outcome"])
