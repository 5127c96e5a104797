"""What the exit code of `manage.py fleet` means. Documented in `docs/commands.md`."""

from typing import Final

from fleets.models import Fleet
from fleets.selectors.fleet_report import was_stopped_by_budget

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
    if fleet.tasks_completed < fleet.tasks_total or not fleet.tasks_total:
        return SOME_DID_NOT
    return ALL_COMPLETED
