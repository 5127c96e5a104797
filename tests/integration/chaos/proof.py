"""What must be true after every disaster, by the platform's own books."""

from collections import Counter
from typing import Any

from fleets.models import Fleet, Turn
from tests.integration.chaos.house import House, wait_for_end

# The platform's word for a turn's end, and ours for the same.
SAME = {
    "completed": {"completed"},
    "failed": {"failed", "budget_exhausted", "timed_out"},
    "cancelled": {"cancelled", "timed_out"},
}


def executions_of(house: House, fleet: Fleet) -> list[dict[str, Any]]:
    """Every execution the platform ever admitted for this fleet."""
    sessions = set(fleet.agents.values_list("session_id", flat=True))
    every = house.control("GET", "state")["executions"]
    return [one for one in every if one["sessionId"] in sessions]


def assert_nothing_ran_twice(house: House, fleet: Fleet) -> None:
    """At most one execution per session and turn, and one turn per task."""
    entries = house.control("GET", "journal?operation=sessions.dispatch")["entries"]
    admitted = Counter((one["sessionId"], one["turnId"]) for one in entries if one["admitted"])
    assert [key for key, number in admitted.items() if number > 1] == []
    per_session = Counter(one["sessionId"] for one in executions_of(house, fleet))
    assert [key for key, number in per_session.items() if number > 1] == []


def assert_every_task_has_one_true_outcome(house: House, fleet: Fleet) -> None:
    """Each task ended once, as the platform says its one execution ended, at the same cost."""
    ran = {one["sessionId"]: one for one in executions_of(house, fleet)}
    turns = {turn.task_id: turn for turn in Turn.objects.filter(run__fleet=fleet)}
    assert len(turns) == Turn.objects.filter(run__fleet=fleet).count()
    for agent in fleet.agents.order_by("position"):
        task = agent.tasks.get()
        turn = turns.get(task.pk)
        execution = ran.get(agent.session_id)
        if execution is None:
            assert task.state in {"not_started", "failed"}, (agent.agent_id, task.state)
            continue
        assert turn is not None, agent.agent_id
        assert turn.outcome == task.state == agent.state, (agent.agent_id, turn.outcome, task.state)
        late = turn.ended_after_stop and turn.outcome == "cancelled"
        assert late or turn.outcome in SAME[execution["status"]], (agent.agent_id, turn.outcome)
        assert turn.execution_id == execution["executionId"]
        assert turn.cost_nusd == execution["costNusd"], agent.agent_id
        assert agent.turns == 1


def assert_nothing_is_left(house: House, fleet: Fleet) -> None:
    """No fleet, no sandbox, no living key; and the money is the ledger's to the nanodollar."""
    assert house.control("GET", "left") == {"fleets": [], "sandboxes": [], "keys": []}
    fleet.refresh_from_db()
    keys = house.control("GET", "state")["keys"]
    assert fleet.spent_nusd == next(
        key["spentNusd"] for key in keys if key["keyId"] == fleet.key_id
    )


def delete_and_prove(house: House, fleet: Fleet) -> None:
    """The books agree while the fleet stands, and nothing is left of it after its delete."""
    assert_nothing_ran_twice(house, fleet)
    assert_every_task_has_one_true_outcome(house, fleet)
    operation = house.order(fleet, "delete", typed_name=fleet.name)
    wait_for_end(operation)
    assert operation.state == "done", operation.sentence
    assert_nothing_is_left(house, fleet)
