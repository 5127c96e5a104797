"""Reads the key once more when a run is about to end, so that what is told last is true."""

from fleets.domain.status import TaskState
from fleets.gateway import gateway
from fleets.models import Task
from fleets.platform_api.errors import PlatformError
from fleets.platform_api.types import KeyRow
from fleets.services.driving.tick_under_way import Tick, call


def read_last(tick: Tick) -> KeyRow | None:
    """The key once nothing of the run is open; None while something is, or if nobody answers.

    The reading of the same tick may be older than the last call's settlement. Without an answer the
    run ends all the same, and the watch reads the key later.
    """
    fleet = tick.view.fleet
    open_tasks = Task.objects.filter(
        run=tick.view.run, state__in=[TaskState.QUEUED, TaskState.RUNNING]
    )
    if not fleet.key_id or open_tasks.exists():
        return None
    try:
        return call(tick, gateway().account(fleet.connection).keys.get(fleet.key_id))
    except PlatformError:
        return None
