"""Begins turns: sends those that are written, writes the receipts.

The row is committed before the request leaves. After a crash the next tick finds it, does not know
whether the request arrived, and sends the same `turn_id` again: the platform admits it once.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from django.utils import timezone

from fleets.domain.driving import redispatch_after_s
from fleets.domain.status import TurnOutcome, TurnState
from fleets.gateway import Withheld, only_while
from fleets.live import publish
from fleets.models import Agent, AgentProfile, Fleet, Machine, Turn
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import (
    BudgetExhausted,
    PlatformError,
    PlatformRefused,
    QuotaExceeded,
    RateLimited,
)
from fleets.platform_api.types import Receipt
from fleets.services.driving.ending import end_turn, save_turns
from fleets.services.driving.fresh_answer import FreshAnswer
from fleets.services.driving.giving_back import give_back, may_give_back
from fleets.services.driving.open_turns import lock_open
from fleets.services.driving.round_reading import AT_ONCE
from fleets.services.fleet_events import Line, note_all
from fleets.services.row_updates import update_rows


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of one dispatch. Neither receipt nor error: it was not sent (stopped in time)."""

    turn_pk: int
    receipt: Receipt | None = None
    error: PlatformError | None = None


def write_repeats(turns: list[Turn], *, now: datetime) -> None:
    """Write that turns are sent once more, before they are: after a crash they may have been."""
    for turn in turns:
        turn.state, turn.requested_at = TurnState.DISPATCHING, now
        turn.dispatches += 1
    update_rows(turns, ["state", "requested_at", "dispatches"])


async def send_turns(
    client: PlatformClient,
    turns: list[Turn],
    machines: dict[int, Machine],
    *,
    sending_epoch: Callable[[], int | None],
    timeout_s: int,
    profiles: Mapping[int, object],
    sent: list[Sent],
) -> None:
    """Send turns side by side; what came of each is added to `sent` as it comes.

    `sending_epoch` is asked of the database before each leaves. `profiles` holds the bodies of the
    turns' profiles by row.
    """
    allowed = FreshAnswer(sending_epoch)
    places = asyncio.Semaphore(AT_ONCE)

    async def in_place(turn: Turn) -> None:
        async with places:
            structlog.contextvars.bind_contextvars(turn=turn.turn_id, agent=turn.agent.agent_id)
            sent.append(await send(turn))

    async def send(turn: Turn) -> Sent:
        agent = turn.agent

        async def is_wanted() -> bool:
            return await allowed.ask() == turn.epoch

        try:
            with only_while(is_wanted):
                receipt = await client.sessions.dispatch(
                    machines[agent.machine_id].sandbox_id,
                    session_id=turn.session,
                    turn_id=turn.turn_id,
                    prompt=turn.task.prompt,
                    backend=backend_of(agent, profiles),
                    timeout_ms=timeout_s * 1000,
                )
        except Withheld:
            return Sent(turn.pk)
        except PlatformError as error:
            return Sent(turn.pk, error=error)
        return Sent(turn.pk, receipt=receipt)

    await asyncio.gather(*(in_place(turn) for turn in turns))


def backend_of(agent: Agent, profiles: Mapping[int, object]) -> dict[str, object]:
    """The backend that travels with every turn (contract 3.2): harness, model, whole profile."""
    backend: dict[str, object] = {
        "type": agent.harness,
        "model": {"model": agent.model, **agent.model_options},
    }
    if agent.profile_id is not None:
        backend["profile"] = profiles[agent.profile_id]
    return backend


def profiles_of(turns: Iterable[Turn]) -> dict[int, object]:
    """Bodies of the profiles that these turns need, by row; no query where none has one."""
    pks = {turn.agent.profile_id for turn in turns if turn.agent.profile_id is not None}
    if not pks:
        return {}
    rows = AgentProfile.objects.filter(pk__in=pks).values_list("pk", "body")
    return {pk: json.loads(body) for pk, body in rows}


def sending_epoch(fleet_pk: int) -> int | None:
    """The epoch whose turns may leave now; None under a hold, a cut off or a delete.

    An order to stop raises the epoch, so a turn that was written before it does not leave.
    """
    fleet = Fleet.objects.only(
        "epoch", "held_at", "cut_off_requested_at", "delete_requested_at"
    ).get(pk=fleet_pk)
    orders = (fleet.held_at, fleet.cut_off_requested_at, fleet.delete_requested_at)
    return fleet.epoch if all(order is None for order in orders) else None


def write_receipts(fleet: Fleet, sent: list[Sent]) -> list[Turn]:
    """Write what came of the dispatches, in the caller's transaction; the turns refused for
    good.
    """
    told = {item.turn_pk: item for item in sent}
    locked = lock_open(told)
    now = timezone.now()
    lines: list[Line] = []
    refused: list[Turn] = []
    given_back: list[Turn] = []
    for turn in locked:
        item = told[turn.pk]
        if may_give_back(fleet, turn, item.error):
            given_back.append(turn)
            continue
        line = _take(fleet, turn, item, now=now)
        if line:
            lines.append(line)
        if turn.state == TurnState.ENDED:
            refused.append(turn)
    save_turns(locked)
    update_rows(locked, ["dispatches"])
    note_all(fleet, lines)
    give_back(fleet, {turn: told[turn.pk].error for turn in given_back}, now=now)
    if locked:
        publish(
            f"fleet:{fleet.public_id}",
            {"kind": "agents", "ids": [turn.agent_id for turn in locked]},
        )
    return refused


def _take(fleet: Fleet, turn: Turn, item: Sent, *, now: datetime) -> Line | None:
    if item.receipt is None and item.error is None:
        _take_back(turn)
        return None
    if item.receipt is not None and item.receipt.admitted:
        turn.state, turn.admitted_at = TurnState.RUNNING, turn.admitted_at or now
        turn.execution_id = item.receipt.execution_id or turn.execution_id
        turn.next_dispatch_at = None
        turn.agent.last_event = "turn admitted"
        what = turn.task.name or f"turn {turn.agent.turns}"
        return Line("started", f"{what} started", turn.agent)
    if item.error is not None and _is_final(item.error):
        return _refuse(fleet, turn, item.error, now=now)
    turn.next_dispatch_at = now + timedelta(seconds=redispatch_after_s(turn.dispatches))
    if isinstance(item.error, RateLimited):
        return None  # the plan's pace: nothing for an operator to read
    if item.error is None:
        turn.error = "Another turn of this session is active; nothing was started."
    else:
        turn.error = f"{item.error.message}"[:500]
    turn.agent.last_event = f"sending again: {turn.error}"[:300]
    return None


def _take_back(turn: Turn) -> None:
    """A turn that did not leave us this time: an operator's stop or hold prevents sending."""
    turn.dispatches -= 1
    if turn.dispatches == 0:
        turn.state = TurnState.QUEUED
    turn.agent.last_event = "waiting: no new turns are sent"


def _is_final(error: PlatformError) -> bool:
    # A quota (too many sessions, too many machines) passes with time; other refusals do not.
    return isinstance(error, PlatformRefused) and not isinstance(error, RateLimited | QuotaExceeded)


def _refuse(fleet: Fleet, turn: Turn, error: PlatformError, *, now: datetime) -> Line:
    by_budget = isinstance(error, BudgetExhausted)
    outcome = TurnOutcome.BUDGET_EXHAUSTED if by_budget else TurnOutcome.FAILED
    end_turn(fleet, turn, outcome, now=now, error=f"Refused by the platform: {error.message}")
    turn.error_code = (error.code or "")[:80]
    return Line(outcome.value, f"was refused: {error.message}", turn.agent)
