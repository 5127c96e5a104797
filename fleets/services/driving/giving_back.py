"""Gives tasks of a pool back to the list when the machine they were sent to does not take them.

Such a turn certainly never began: the platform refused it for its machine. Without this an agent
whose machine has died would take one task after the other, and fail them all.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from fleets.domain import ids
from fleets.domain.status import OutcomeReason, Pattern, TaskState, TurnOutcome
from fleets.models import Fleet, Task, Turn
from fleets.platform_api.errors import NotFound, PlatformError, WrongState
from fleets.services.driving.ending import end_turn, save_turns
from fleets.services.driving.settling import take_gone
from fleets.services.fleet_events import Line, note_all
from fleets.services.row_updates import update_rows

MOST_ATTEMPTS: Final = 3


def may_give_back(fleet: Fleet, turn: Turn, error: PlatformError | None) -> bool:
    """Whether another agent may do the task of a turn that was refused so."""
    if fleet.pattern != Pattern.POOL or not isinstance(error, NotFound | WrongState):
        return False
    return bool(turn.task.name) and turn.attempt < MOST_ATTEMPTS and _is_taken(fleet, turn)


def _is_taken(fleet: Fleet, turn: Turn) -> bool:
    """Whether its agent took the task from the list, not to go on with an earlier conversation."""
    run = turn.run
    if run.number == 1 or run.is_fresh:
        return True
    own = ids.task_session_id(
        fleet.public_id, run=run.number, position=turn.task.position, attempt=turn.attempt
    )
    return turn.session == own


def give_back(fleet: Fleet, refused: Mapping[Turn, PlatformError | None], *, now: datetime) -> None:
    """End these turns as not started and let their tasks wait again, in the caller's transaction.

    Their machines are gone, or are read at once (the caller saves the fleet).
    """
    if not refused:
        return
    turns = list(refused)
    for turn, error in refused.items():
        words = f"Machine {turn.agent.machine} did not take it: {error.message if error else ''}"
        end_turn(fleet, turn, TurnOutcome.NOT_STARTED, now=now, error=words)
        turn.reason = turn.agent.state_reason = OutcomeReason.MACHINES
    save_turns(turns)
    update_rows(turns, ["reason"])
    _let_wait([turn.task for turn in turns])
    gone = [turn.agent.machine_id for turn, e in refused.items() if isinstance(e, NotFound)]
    take_gone(fleet, gone, now=now)
    if len(gone) < len(turns):
        fleet.platform_seen_at = None
    note_all(fleet, [Line("machine", f"gives {turn.task.name} back", turn.agent) for turn in turns])


def _let_wait(tasks: list[Task]) -> None:
    for task in tasks:
        task.state, task.agent, task.session_id = TaskState.QUEUED, None, ""
        task.started_at = task.ended_at = None
        task.error = task.response = task.reason = ""
    update_rows(
        tasks,
        ["state", "agent", "session_id", "started_at", "ended_at", "error", "response", "reason"],
    )
