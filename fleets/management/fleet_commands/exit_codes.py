"""What the exit code of `manage.py fleet` means. Documented in `docs/commands.md`."""

from typing import Final

from fleets.domain.status import OutcomeReason, Pattern, TaskState
from fleets.models import Fleet
from fleets.selectors.fleet_report import newest_run_states, was_stopped_by_budget

ALL_COMPLETED: Final = 0
INTERNAL: Final = 1
BAD_INPUT: Final = 2
SOME_DID_NOT: Final = 3
BUDGET_STOPPED: Final = 4
INTERRUPTED: Final = 130


def code_of(fleet: Fleet) -> int:
    """The code for a fleet whose work has ended."""
    if was_stopped_by_budget(fleet):
        return BUDGET_STOPPED
    if fleet.pattern == Pattern.MACHINES:
        is_whole = fleet.machines_running == fleet.machines_total
        return ALL_COMPLETED if is_whole else SOME_DID_NOT
    if fleet.tasks_completed < fleet.tasks_total or not fleet.tasks_total or fleet.answers_refused:
        return SOME_DID_NOT
    return ALL_COMPLETED


def code_of_newest_run(fleet: Fleet) -> int:
    """The code for the newest run alone: what other agents did before it does not count."""
    states = newest_run_states(fleet)
    if fleet.stop_reason == OutcomeReason.BUDGET or TaskState.BUDGET_EXHAUSTED in states:
        return BUDGET_STOPPED
    return ALL_COMPLETED if set(states) == {TaskState.COMPLETED} else SOME_DID_NOT
