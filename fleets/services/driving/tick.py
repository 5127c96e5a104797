"""One tick of a run: read what may have changed, write it, begin what is allowed, write that.

Two rounds of HTTP and at most three transactions, whatever the number of agents.
"""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeVar

import structlog
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from fleets import dispatch
from fleets.domain.driving import (
    FLEET_READ_S,
    KEY_READ_S,
    choose,
    read_interval_s,
    round_limit,
)
from fleets.domain.status import (
    OperationKind,
    OutcomeReason,
    TaskState,
    TurnOutcome,
    TurnState,
)
from fleets.gateway import ask_database, gateway
from fleets.models import Fleet, Machine, Operation, Run, Task, Turn
from fleets.services.driving import beginning, lease, stopping
from fleets.services.driving.ending import write_news
from fleets.services.driving.key_row import take_key_row
from fleets.services.driving.overdue import abort_turns, is_past_its_time
from fleets.services.driving.purse import slots
from fleets.services.driving.reading import News, ReadPlan, by_machine, read_round
from fleets.services.driving.settling import take_fleet_row, take_gone
from fleets.services.driving.view import (
    RunView,
    load,
    load_open_turns,
    load_queued,
    machine_views,
    open_turn_views,
)
from fleets.services.fleet_state import lock, recount

T = TypeVar("T")
log = structlog.get_logger(__name__)

STOPPING_S = 1.0
HELD_S = 2.0
SETTLE_LATER_S = 15.0
LONGEST_REPAIR_S = 60


@dataclass(slots=True)
class Tick:
    """One tick under way."""

    view: RunView
    owner: str
    requests: int = 0


def tick_run(run_pk: int, *, owner: str) -> bool:
    """Work on a run once, if it is due and free. True when it was worked on."""
    run = lease.claim(run_pk, owner=owner, now=timezone.now())
    if run is None:
        return False
    structlog.contextvars.bind_contextvars(fleet=run.fleet.public_id, run=run.number)
    tick = Tick(view=load(run), owner=owner)
    try:
        _work(tick)
    except lease.LeaseLost:
        log.warning("lease_lost", run=run_pk)
    except Exception as error:
        # An error of our own: slower and slower, so that it harms no other run, and never given up.
        log.exception("tick_broke", run=run_pk)
        _give_back_broken(tick, error)
    return True


def _work(tick: Tick) -> None:
    if _is_being_stopped(tick.view.fleet):
        # The operation that stops the fleet reads and writes its turns itself.
        _give_back(tick, after_s=STOPPING_S)
        return
    news = _read(tick)
    epoch = tick.view.fleet.epoch
    with transaction.atomic():
        _must_hold(tick)
        if tick.view.fleet.epoch == epoch:
            # Otherwise a stop was ordered: whether a turn ended before it must be asked anew.
            _write_news(tick, news)
    _abort_overdue(tick)
    _begin(tick)
    with transaction.atomic():
        _must_hold(tick)
        after_s = _close(tick)
    _give_back(tick, after_s=after_s)


def _is_being_stopped(fleet: Fleet) -> bool:
    return Operation.objects.filter(
        fleet=fleet,
        kind__in=[OperationKind.CANCEL, OperationKind.DELETE],
        ended_at__isnull=True,
    ).exists()


def _must_hold(tick: Tick) -> None:
    """Lock fleet, then run (the order every writer keeps), and make sure the lease is ours."""
    run = tick.view.run
    tick.view.fleet = lock(run.fleet_id)
    if not lease.is_held(run.pk, owner=tick.owner):
        raise lease.LeaseLost


def _call(tick: Tick, work: Coroutine[Any, Any, T]) -> T:
    """Run a round of HTTP, the lease renewed while it lasts, its requests counted."""
    run_pk, owner = tick.view.run.pk, tick.owner

    async def guarded() -> T:
        renewing = asyncio.create_task(_keep_lease(run_pk, owner))
        try:
            return await work
        finally:
            renewing.cancel()

    result, calls = gateway().counted(guarded())
    tick.requests += calls
    return result


async def _keep_lease(run_pk: int, owner: str) -> None:
    while True:
        await asyncio.sleep(lease.RENEW_S)
        if not await ask_database(lambda: lease.renew(run_pk, owner=owner)):
            return


# --- reading


def _read(tick: Tick) -> News:
    view, now = tick.view, timezone.now()
    fleet = view.fleet
    most = round_limit(fleet.connection.rate_per_minute)
    plan = ReadPlan(
        machines=_in_turn(view.machines_with_turns, most=most, tick=view.run.ticks),
        most_ends=most,
        turns_by_machine=by_machine(view.open_turns),
        fleet_id=fleet.public_id if _fleet_is_due(fleet, now) else None,
        key_id=fleet.key_id if _key_is_due(fleet, now) else None,
    )
    return _call(tick, read_round(gateway().account(fleet.connection), plan))


def _in_turn(machines: list[Machine], *, most: int, tick: int) -> tuple[Machine, ...]:
    """At most `most` machines, the next ones at each tick, so that none is left out."""
    if len(machines) <= most:
        return tuple(machines)
    start = tick * most % len(machines)
    return tuple((machines + machines)[start : start + most])


def _fleet_is_due(fleet: Fleet, now: datetime) -> bool:
    every = FLEET_READ_S if fleet.settled_at is None else SETTLE_LATER_S
    return fleet.platform_seen_at is None or now - fleet.platform_seen_at >= timedelta(
        seconds=every
    )


def _key_is_due(fleet: Fleet, now: datetime) -> bool:
    if not fleet.key_id:
        return False
    return fleet.key_seen_at is None or now - fleet.key_seen_at >= timedelta(seconds=KEY_READ_S)


def _write_news(tick: Tick, news: News) -> None:
    view, now = tick.view, timezone.now()
    fleet, run = view.fleet, view.run
    if news.fleet is not None:
        take_fleet_row(fleet, news.fleet, now=now)
    if news.key is not None:
        take_key_row(fleet, news.key, now=now)
    fleet.last_error = news.words
    gone = {machine.pk for machine in view.machines} if news.fleet_gone else news.gone
    if gone and fleet.created_on_platform_at:
        take_gone(fleet, gone, now=now)
    Machine.objects.filter(pk__in=news.warm, warm_at__isnull=True).update(warm_at=now)
    ended = write_news(fleet, news.turns, now=now)
    stopping.end_on_gone_machines(run, fleet, now=now)
    stopping.end_vanished(run, fleet, news, now=now)
    if fleet.stop_reason:
        reason = OutcomeReason(fleet.stop_reason)
        stopping.end_never_seen(run, fleet, news, reason=reason, now=now)
    _stop_if_refused(tick, ended, now=now)
    recount(fleet, now=now)


def _stop_if_refused(tick: Tick, ended: list[Turn], *, now: datetime) -> None:
    refused = [turn for turn in ended if turn.outcome == TurnOutcome.BUDGET_EXHAUSTED]
    fleet = tick.view.fleet
    # Under a cut off every call is refused on purpose; reopened, the rest goes on.
    if not refused or fleet.cut_off_requested_at is not None:
        return
    run = tick.view.run
    others = Turn.objects.filter(run=run).exclude(state=TurnState.ENDED).count()
    stopping.stop_for_budget(
        run, fleet, calls_in_flight=others + len(refused) - 1, was_refused=True, now=now
    )


def _abort_overdue(tick: Tick) -> None:
    view, now = tick.view, timezone.now()
    late = [
        turn for turn in load_open_turns(view.run) if is_past_its_time(view.fleet, turn, now=now)
    ]
    if late:
        machines = {machine.pk: machine for machine in view.machines}
        account = gateway().account(view.fleet.connection)
        _call(tick, abort_turns(account, late, machines))


# --- beginning


def _begin(tick: Tick) -> None:
    turns = _choose(tick)
    if not turns:
        return
    view = tick.view
    sent = _call(
        tick,
        beginning.send_turns(
            gateway().fleet(fleet_with_key(view.fleet)),
            turns,
            {machine.pk: machine for machine in view.machines},
            sending_epoch=partial(beginning.sending_epoch, view.fleet.pk),
            timeout_s=view.fleet.task_timeout_s,
            profiles=beginning.profiles_of(turns),
        ),
    )
    with transaction.atomic():
        _must_hold(tick)
        refused = beginning.write_receipts(view.fleet, turns, sent)
        _stop_if_refused(tick, refused, now=timezone.now())
        recount(view.fleet, now=timezone.now())


@transaction.atomic
def _choose(tick: Tick) -> list[Turn]:
    """Choose what to send and write it down; an operator's stop comes before or after it."""
    _must_hold(tick)
    view, now = tick.view, timezone.now()
    run, fleet = view.run, view.fleet
    view.machines = list(Machine.objects.filter(fleet=fleet).order_by("position"))
    view.open_turns = load_open_turns(run)
    queued = load_queued(run)
    limit = slots(run, fleet, open_tasks=len(queued) + len(view.open_turns))
    if limit == 0 and queued and not view.open_turns and _may_begin(fleet):
        stopping.stop_for_budget(run, fleet, calls_in_flight=0, was_refused=False, now=now)
        recount(fleet, now=now)
        return []
    chosen = choose(
        queued=queued,
        open_turns=open_turn_views(view.open_turns, now=now),
        machines=machine_views(view.machines),
        slots=limit,
        most=round_limit(fleet.connection.rate_per_minute),
        may_begin=_may_begin(fleet),
    )
    repeats = [turn for turn in view.open_turns if turn.pk in set(chosen.turns)]
    beginning.write_repeats(repeats, now=now)
    return repeats + beginning.write_turns(run, fleet, chosen.tasks, now=now)


def fleet_with_key(fleet: Fleet) -> Fleet:
    """The fleet with its connection loaded, for building a client."""
    return Fleet.objects.select_related("connection").get(pk=fleet.pk)


def _may_begin(fleet: Fleet) -> bool:
    return (
        fleet.held_at is None
        and fleet.cut_off_requested_at is None
        and fleet.cancel_requested_at is None
        and fleet.delete_requested_at is None
        and not fleet.stop_reason
        and bool(fleet.created_on_platform_at)
    )


# --- closing


def _close(tick: Tick) -> float | None:
    """End the run when nothing of it is open; else the seconds until its next tick."""
    view, now = tick.view, timezone.now()
    run, fleet = view.run, view.fleet
    Run.objects.filter(pk=run.pk).update(requests=F("requests") + tick.requests)
    if run.started_at is None and fleet.created_on_platform_at:
        Run.objects.filter(pk=run.pk).update(started_at=now)
        Fleet.objects.filter(pk=fleet.pk, started_at__isnull=True).update(started_at=now)
        fleet.started_at = fleet.started_at or now
    if end_run_if_done(run, fleet, now=now):
        return None
    open_turns = load_open_turns(run)
    return _next_tick_s(view, open_turns, now=now)


def end_run_if_done(run: Run, fleet: Fleet, *, now: datetime) -> bool:
    """End the run once none of its tasks can change any more. The caller holds the fleet's row."""
    is_open = Task.objects.filter(run=run, state__in=[TaskState.QUEUED, TaskState.RUNNING]).exists()
    if is_open:
        return False
    Run.objects.filter(pk=run.pk, ended_at__isnull=True).update(ended_at=now, next_tick_at=None)
    if fleet.cancel_requested_at:
        fleet.cancel_confirmed_at = fleet.cancel_confirmed_at or now
    recount(fleet, now=now)
    return True


def _next_tick_s(view: RunView, open_turns: list[Turn], *, now: datetime) -> float:
    if not open_turns:
        if view.fleet.settled_at is None:
            return FLEET_READ_S
        return HELD_S
    youngest = min(
        (now - (turn.admitted_at or turn.requested_at or now)).total_seconds()
        for turn in open_turns
    )
    return read_interval_s(
        youngest_turn_s=youngest,
        machines=len({turn.agent.machine_id for turn in open_turns}),
        rate_per_minute=view.fleet.connection.rate_per_minute,
    )


def _give_back(tick: Tick, *, after_s: float | None) -> None:
    run_pk = tick.view.run.pk
    with transaction.atomic():
        due = None if after_s is None else timezone.now() + timedelta(seconds=after_s)
        lease.give_back(run_pk, owner=tick.owner, next_tick_at=due)
        if after_s is not None:
            dispatch.run_due(run_pk, in_s=after_s)


def _give_back_broken(tick: Tick, error: Exception) -> None:
    run = tick.view.run
    words = f"Fleetdash met an error of its own ({type(error).__name__}); trying again."
    Fleet.objects.filter(pk=run.fleet_id).update(last_error=words)
    failures = run.failures + 1
    due = timezone.now() + timedelta(seconds=min(LONGEST_REPAIR_S, 2**failures))
    lease.give_back(run.pk, owner=tick.owner, next_tick_at=due, failures=failures)
