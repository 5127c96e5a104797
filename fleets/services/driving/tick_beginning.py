"""The second half of a tick: begin what is allowed, and write that."""

from functools import partial

from django.db import transaction
from django.utils import timezone

from fleets.domain.driving import choose, round_limit
from fleets.gateway import gateway
from fleets.models import Fleet, Machine, Run, Turn
from fleets.services.driving import beginning, stopping
from fleets.services.driving.open_turns import load_rows, open_turn_views, open_turns
from fleets.services.driving.portions import take_portion, written_meanwhile
from fleets.services.driving.purse import slots
from fleets.services.driving.tick_under_way import Tick, call, must_hold
from fleets.services.driving.turn_rows import write_turns
from fleets.services.driving.view import fleet_with_key, load_waiting, machine_views
from fleets.services.fleet_state import recount


def begin(tick: Tick) -> None:
    """Choose turns, write them, send them, write what came of it; raises `LeaseLost`."""
    turns = _choose(tick)
    if not turns:
        return
    view = tick.view
    sent: list[beginning.Sent] = []
    sending = beginning.send_turns(
        gateway().fleet(fleet_with_key(view.fleet)),
        turns,
        {machine.pk: machine for machine in view.machines},
        sending_epoch=partial(beginning.sending_epoch, view.fleet.pk),
        timeout_s=view.fleet.task_timeout_s,
        profiles=beginning.profiles_of(turns),
        sent=sent,
    )
    write = partial(_write_receipts, tick)
    call(tick, written_meanwhile(sending, take=partial(take_portion, sent), write=write))
    write(sent)


@transaction.atomic
def _write_receipts(tick: Tick, sent: list[beginning.Sent]) -> None:
    must_hold(tick)
    run, fleet = tick.view.run, tick.view.fleet
    refused = beginning.write_receipts(fleet, sent)
    stopping.stop_if_refused(run, fleet, refused, now=timezone.now())
    recount(fleet, now=timezone.now())


@transaction.atomic
def _choose(tick: Tick) -> list[Turn]:
    """Choose what to send and write it down; an operator's stop comes before or after it."""
    must_hold(tick)
    view, now = tick.view, timezone.now()
    run, fleet = view.run, view.fleet
    view.machines = list(Machine.objects.filter(fleet=fleet).order_by("position"))
    view.open_turns = load_rows(run)
    waiting = load_waiting(run, fleet, view.open_turns)
    limit = slots(run, fleet, open_tasks=waiting.total + len(view.open_turns))
    if limit == 0 and waiting.total and not view.open_turns and _may_begin(fleet):
        stopping.stop_for_budget(run, fleet, calls_in_flight=0, was_refused=False, now=now)
        recount(fleet, now=now)
        return []
    most = round_limit(fleet.connection.rate_per_minute)
    chosen = choose(
        queued=waiting.tasks,
        free_agents=waiting.free_agents,
        open_turns=open_turn_views(view.open_turns, now=now),
        machines=machine_views(view.machines),
        slots=limit,
        most=most,
        may_begin=_may_begin(fleet),
    )
    tick.is_cut_short |= len(chosen.tasks) == most
    repeats = _repeated(run, chosen.turns)
    beginning.write_repeats(repeats, now=now)
    return repeats + write_turns(run, fleet, chosen, now=now)


def _repeated(run: Run, pks: tuple[int, ...]) -> list[Turn]:
    if not pks:
        return []
    return list(open_turns(run).filter(pk__in=pks).select_related("agent", "task"))


def _may_begin(fleet: Fleet) -> bool:
    return (
        fleet.held_at is None
        and fleet.cut_off_requested_at is None
        and fleet.cancel_requested_at is None
        and fleet.delete_requested_at is None
        and not fleet.stop_reason
        and bool(fleet.created_on_platform_at)
    )
