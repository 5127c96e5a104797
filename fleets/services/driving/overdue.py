"""Turns that outlive their time: the platform should have ended them, so they are interrupted."""

import asyncio
from datetime import datetime, timedelta

import structlog
from django.db.models import Q

from fleets.domain.driving import is_overdue
from fleets.models import Fleet, Machine, Run, Turn
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import PlatformError
from fleets.services.driving.open_turns import open_turns

log = structlog.get_logger(__name__)


def load_overdue(run: Run, fleet: Fleet, *, now: datetime) -> list[Turn]:
    """The open turns of the run that are past their time, with their agents and tasks."""
    latest = now - timedelta(seconds=fleet.task_timeout_s)
    old = open_turns(run).filter(
        Q(admitted_at__lte=latest) | Q(admitted_at=None, task__started_at__lte=latest)
    )
    turns = old.select_related("agent", "task")
    return [turn for turn in turns if is_past_its_time(fleet, turn, now=now)]


def is_past_its_time(fleet: Fleet, turn: Turn, *, now: datetime) -> bool:
    """Whether a turn that nobody stopped is past its time and the platform's grace."""
    if fleet.found_at is not None:
        return False  # its turns' time is not ours to know
    begun_at = turn.admitted_at or turn.task.started_at
    is_late = is_overdue(begun_at=begun_at, timeout_s=fleet.task_timeout_s, now=now)
    return is_late and turn.epoch == fleet.epoch


async def abort_turns(
    account: PlatformClient, turns: list[Turn], machines: dict[int, Machine]
) -> None:
    """Ask sessions to stop. What fails is asked again at the next tick; the end is read there."""

    async def abort(turn: Turn) -> None:
        machine = machines[turn.agent.machine_id]
        try:
            await account.sessions.abort(machine.sandbox_id, turn.session)
        except PlatformError as error:
            log.warning("overdue_turn_not_aborted", turn=turn.turn_id, error=str(error))

    await asyncio.gather(*(abort(turn) for turn in turns))
