"""What must be true after every disaster, by the platform's own books."""

from collections import Counter
from typing import Any

from fleets.models import Fleet, Turn
from tests.support.driver import control
from tests.support.emulated import Emulated

# The platform's word for a turn's end, and ours for the same.
SAME = {
    "completed": {"completed"},
    "failed": {"failed", "budget_exhausted", "timed_out"},
    "cancelled": {"cancelled", "timed_out"},
}


def assert_the_books_agree(emulator: Emulated, fleet: Fleet) -> None:
    """Nothing ran twice; each task ended once, as the platform says, at the same cost."""
    assert_nothing_ran_twice(emulator, fleet)
    assert_every_task_has_one_true_outcome(emulator, fleet)


def assert_nothing_ran_twice(emulator: Emulated, fleet: Fleet) -> None:
    """At most one execution per session and turn, and one turn per task."""
    entries = control(emulator, "GET", "journal?operation=sessions.dispatch")["entries"]
    admitted = Counter((one["sessionId"], one["turnId"]) for one in entries if one["admitted"])
    assert [key for key, number in admitted.items() if number > 1] == []
    executions = executions_of(emulator, fleet)
    per_session = Counter(one["sessionId"] for one in executions)
    assert [key for key, number in per_session.items() if number > 1] == []
    # What runs there is what we have written down here, and nothing of ours was admitted unseen.
    turns = Turn.objects.filter(run__fleet=fleet).select_related("agent")
    ran = {(one["sessionId"], one["turnId"]) for one in executions}
    assert ran <= {(turn.session, turn.turn_id) for turn in turns}
    assert {key for key in admitted if key[0] in per_session} == ran


def assert_every_task_has_one_true_outcome(emulator: Emulated, fleet: Fleet) -> None:
    """Each task ended once, as the platform says its one execution ended, at the same cost."""
    ran = {one["sessionId"]: one for one in executions_of(emulator, fleet)}
    rows = Turn.objects.filter(run__fleet=fleet)
    turns = {turn.task_id: turn for turn in rows}
    assert len(turns) == rows.count()
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


def assert_nothing_is_left(emulator: Emulated, fleet: Fleet) -> None:
    """No fleet, no sandbox, no living key; and the money is the ledger's to the nanodollar."""
    assert control(emulator, "GET", "left") == {"fleets": [], "sandboxes": [], "keys": []}
    fleet.refresh_from_db()
    keys = control(emulator, "GET", "state")["keys"]
    spent = next(key["spentNusd"] for key in keys if key["keyId"] == fleet.key_id)
    assert fleet.spent_nusd == spent


def executions_of(emulator: Emulated, fleet: Fleet) -> list[dict[str, Any]]:
    """Every execution the platform ever admitted for this fleet."""
    sessions = set(fleet.agents.values_list("session_id", flat=True))
    every = control(emulator, "GET", "state")["executions"]
    return [one for one in every if one["sessionId"] in sessions]
