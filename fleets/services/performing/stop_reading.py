"""Reads fleets that are cancelled until nothing new shows: a stop is proved by readings."""

import asyncio
from collections.abc import Coroutine, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from fleets.domain.driving import may_still_arrive
from fleets.domain.status import OperationKind, OutcomeReason, TurnState
from fleets.gateway import gateway
from fleets.models import Fleet, Machine, NodeKind, Operation, OperationNode, Turn
from fleets.services import operations
from fleets.services.account.sessions import take_sessions
from fleets.services.driving import lease
from fleets.services.driving.ending import write_news
from fleets.services.driving.key_row import take_key_row
from fleets.services.driving.open_turns import load_rows
from fleets.services.driving.round_reading import News, ReadPlan, by_machine, read_round
from fleets.services.driving.settling import note_fleet_gone, take_gone
from fleets.services.driving.signs_of_life import write_signs
from fleets.services.driving.stopping import end_never_seen, end_on_gone_machines
from fleets.services.driving.view import load_open_turns
from fleets.services.fleet_state import recount
from fleets.services.performing.calling import call
from fleets.services.performing.nodes import tell
from fleets.services.performing.stop_target import Target
from fleets.services.stop_nodes import show_ends


def read_once(operation: Operation, targets: Sequence[Target]) -> bool:
    """Read every machine of these fleets; True when nothing new showed and nothing is open."""
    plans = [_plan(target) for target in targets]
    account = gateway().account(operation.fleet.connection)
    rounds = call(operation, _read_all([read_round(account, plan) for plan in plans]))
    is_quiet = True
    for target, plan, news in zip(targets, plans, rounds, strict=True):
        with transaction.atomic():
            target.lock()
            is_quiet &= _write_reading(target, plan, news)
    return is_quiet


async def _read_all(rounds: Sequence[Coroutine[Any, Any, News]]) -> list[News]:
    return list(await asyncio.gather(*rounds))


def _plan(target: Target) -> ReadPlan:
    machines = Machine.objects.filter(fleet=target.fleet, gone_at__isnull=True)
    if target.fleet.found_at is not None:
        # What others stopped is none of ours to wait for.
        machines = machines.filter(status="running")
    turns = load_rows(target.run) if target.run else []
    return ReadPlan(
        machines=tuple(machines.exclude(sandbox_id="")),
        turns_by_machine=by_machine(turns),
        fleet_id=target.fleet.public_id,
        key_id=target.fleet.key_id or None,
    )


def _write_reading(target: Target, plan: ReadPlan, news: News) -> bool:
    fleet, run = target.fleet, target.run
    complete = len(news.read) == len(plan.machines)
    now = timezone.now()
    take_gone(fleet, news.gone, now=now)
    if news.fleet_gone and _was_made(fleet):
        note_fleet_gone(fleet, now=now)
    if news.key is not None:
        take_key_row(fleet, news.key, now=now)
    changes = len(write_news(fleet, news.turns, now=now))
    write_signs(fleet, news.alive)
    if fleet.found_at is not None:
        changes += take_sessions(fleet, plan.machines, news, now=now)
    came_back = _note_still_running(target, news)
    is_awaited = False
    if run is not None:
        changes += len(end_on_gone_machines(run, fleet, now=now))
        never: list[Turn] = []
        if not lease.is_taken(run.pk, now=now):
            # A tick that is still at work may have a request under way, and will tell.
            never = end_never_seen(run, fleet, news, reason=OutcomeReason.CANCELLED, now=now)
        show_ends(fleet, never)
        changes += len(never)
        is_awaited = _is_awaited(target, load_open_turns(run), now=now)
    recount(fleet, now=now)
    return complete and not changes and not came_back and not is_awaited


def _was_made(fleet: Fleet) -> bool:
    """Whether there was something to miss: not so where the cancel came before the fleet."""
    if operations.open_operation(fleet, OperationKind.LAUNCH) is not None:
        return False
    made = Machine.objects.filter(fleet=fleet).exclude(sandbox_id="")
    return fleet.created_on_platform_at is not None or made.exists()


def _note_still_running(target: Target, news: News) -> bool:
    """Sessions that run although their stop was acknowledged: they are asked again."""
    operation = target.operation
    running = {item.turn_pk for item in news.turns if not item.ended} | news.alive.keys()
    turns = Turn.objects.filter(pk__in=running)
    refs = [target.ref(name) for name in turns.values_list("agent__agent_id", flat=True)]
    nodes = list(operation.nodes.filter(kind=NodeKind.AGENT, ref__in=refs, state="acknowledged"))
    for node in nodes:
        node.state, node.revived = "came_back", node.revived + 1
        node.result = "runs although its stop was acknowledged, stopping it again"
        node.acknowledged_at = None
    OperationNode.objects.bulk_update(nodes, ["state", "revived", "result", "acknowledged_at"])
    # What runs had not finished before its stop, whatever the first interrupt was told.
    turns.update(finished_before_stop=False)
    tell(operation, [node.pk for node in nodes])
    return bool(nodes)


def _is_awaited(target: Target, turns: list[Turn], *, now: datetime) -> bool:
    """Whether how some turn ended can still be read, or a dispatch without answer may arrive."""
    operation = target.operation
    nodes = {node.ref: node for node in operation.nodes.filter(kind=NodeKind.AGENT)}
    late: list[OperationNode] = []
    for turn in turns:
        node = nodes.get(target.ref(turn.agent.agent_id))
        if node is None or turn.state == TurnState.DISPATCHING or node.state == "came_back":
            return True
        if node.state != "acknowledged":
            continue
        if may_still_arrive(requested_at=node.acknowledged_at, now=now):
            return True
        node.state = "failed"
        node.result = "acknowledged, and how it ended could not be read"
        late.append(node)
    OperationNode.objects.bulk_update(late, ["state", "result"])
    tell(operation, [node.pk for node in late])
    return False
