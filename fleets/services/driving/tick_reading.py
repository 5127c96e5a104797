"""The first half of a tick: read what may have changed, and write it."""

from datetime import datetime, timedelta
from functools import partial
from typing import Final

from django.db import transaction
from django.utils import timezone

from fleets.domain.driving import KEY_READ_S, round_limit
from fleets.domain.status import OutcomeReason
from fleets.gateway import gateway
from fleets.models import Fleet, Machine
from fleets.services.driving import stopping
from fleets.services.driving.ending import write_news
from fleets.services.driving.key_row import take_key_row
from fleets.services.driving.overdue import abort_turns, load_overdue
from fleets.services.driving.portions import take_portion, written_meanwhile
from fleets.services.driving.round_reading import News, ReadPlan, TurnNews, by_machine, read_round
from fleets.services.driving.settling import take_fleet_row, take_gone, unsettled_read_s
from fleets.services.driving.signs_of_life import write_signs
from fleets.services.driving.tick_under_way import Tick, call, must_hold
from fleets.services.fleet_state import recount

# How often a fleet's row is read once its machines have settled; until then by `fleet_read_s`.
SETTLED_READ_S: Final = 15.0


def read(tick: Tick) -> News:
    """Ask the platform what may have changed: one round of calls.

    Ended turns are written in portions meanwhile; the rest of the news is `write_reading`'s.
    """
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
    news = News()
    reading = read_round(gateway().account(fleet.connection), plan, news=news)
    write = partial(_write_portion, tick, fleet.epoch)
    call(tick, written_meanwhile(reading, take=partial(take_portion, news.turns), write=write))
    tick.is_cut_short |= news.ends_left <= 0
    return news


def _in_turn(machines: list[Machine], *, most: int, tick: int) -> tuple[Machine, ...]:
    """At most `most` machines, the next ones at each tick, so that none is left out."""
    if len(machines) <= most:
        return tuple(machines)
    start = tick * most % len(machines)
    return tuple((machines + machines)[start : start + most])


def _fleet_is_due(fleet: Fleet, now: datetime) -> bool:
    every = unsettled_read_s(fleet, now=now) if fleet.settled_at is None else SETTLED_READ_S
    return fleet.platform_seen_at is None or now - fleet.platform_seen_at >= timedelta(
        seconds=every
    )


def _key_is_due(fleet: Fleet, now: datetime) -> bool:
    if not fleet.key_id:
        return False
    return fleet.key_seen_at is None or now - fleet.key_seen_at >= timedelta(seconds=KEY_READ_S)


@transaction.atomic
def _write_portion(tick: Tick, epoch: int, portion: list[TurnNews]) -> None:
    must_hold(tick)
    run, fleet = tick.view.run, tick.view.fleet
    if fleet.epoch != epoch:
        return  # a stop was ordered: whether a turn ended before it must be asked anew
    now = timezone.now()
    stopping.stop_if_refused(run, fleet, write_news(fleet, portion, now=now), now=now)
    recount(fleet, now=now)


def write_reading(tick: Tick, news: News) -> None:
    """Write a reading back, in the caller's transaction, which holds fleet and run."""
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
    write_signs(fleet, news.alive)
    stopping.end_on_gone_machines(run, fleet, now=now)
    stopping.end_vanished(run, fleet, news, now=now)
    if fleet.stop_reason:
        reason = OutcomeReason(fleet.stop_reason)
        stopping.end_never_seen(run, fleet, news, reason=reason, now=now)
    stopping.stop_if_refused(run, fleet, ended, now=now)
    recount(fleet, now=now)


def abort_overdue(tick: Tick) -> None:
    """Ask turns that are past their time to stop; how they ended is read by a later tick."""
    view, now = tick.view, timezone.now()
    late = load_overdue(view.run, view.fleet, now=now)
    if late:
        machines = {machine.pk: machine for machine in view.machines}
        account = gateway().account(view.fleet.connection)
        call(tick, abort_turns(account, late, machines))
