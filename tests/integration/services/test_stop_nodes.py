"""What the nodes of a cancel say of the turns that it was to stop."""

import pytest
from django.utils import timezone

from fleets.domain.status import OperationKind, TurnOutcome, TurnState
from fleets.models import Fleet, Turn
from fleets.selectors.operations import node_table
from fleets.services.stop_nodes import show_ends
from tests.factories import AgentFactory, OperationFactory, OperationNodeFactory, TurnFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("outcome", "after_stop", "word"),
    [
        (TurnOutcome.CANCELLED, False, "Stopped"),
        (TurnOutcome.CANCELLED, True, "Completed all the same"),
        (TurnOutcome.COMPLETED, False, "Had finished"),
        (TurnOutcome.FAILED, False, "Had finished"),
        (TurnOutcome.NOT_STARTED, False, "Had not begun"),
        (TurnOutcome.UNKNOWN, False, "Gone with its machine"),
    ],
)
def test_a_node_says_how_its_turn_really_ended(
    outcome: TurnOutcome, after_stop: bool, word: str
) -> None:
    agent = AgentFactory()
    fleet: Fleet = agent.fleet
    fleet.cancel_requested_at = timezone.now()
    operation = OperationFactory(fleet=fleet, kind=OperationKind.CANCEL)
    OperationNodeFactory(operation=operation, ref=agent.agent_id, state="acknowledged")
    turn: Turn = TurnFactory(
        agent=agent,
        state=TurnState.ENDED,
        outcome=outcome,
        ended_after_stop=after_stop,
        ended_at=timezone.now(),
    )
    show_ends(fleet, [turn])

    assert [row.word for row in node_table(operation).rows] == [word]
