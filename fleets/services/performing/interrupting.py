"""Asks open turns to stop, for a cancel or an interrupt, and writes what each answered."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from fleets.domain.status import TurnState
from fleets.gateway import gateway
from fleets.models import Machine, NodeKind, Operation, OperationNode, Turn
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import NotFound, PlatformError
from fleets.platform_api.types import AbortAnswer
from fleets.services import operations
from fleets.services.driving.view import load_open_turns
from fleets.services.performing.calling import call
from fleets.services.performing.nodes import tell
from fleets.services.performing.stop_target import Target

TRIES = 3
TRY_AGAIN_S = 0.5


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking one session to stop."""

    turn: Turn
    at: datetime
    answer: AbortAnswer | None
    error: PlatformError | None
    tries: int


def interrupt(operation: Operation, targets: Sequence[Target]) -> None:
    """Ask every open turn of these fleets that was not asked (or came back) to stop."""
    turns = [
        (target, turn) for target in targets if target.run for turn in load_open_turns(target.run)
    ]
    _add_nodes(operation, turns)
    asked_before = set(
        operation.nodes.filter(kind=NodeKind.AGENT)
        .exclude(state__in=["queued", "came_back"])
        .values_list("ref", flat=True)
    )
    to_ask = [
        (target, turn)
        for target, turn in turns
        if target.ref(turn.agent.agent_id) not in asked_before
    ]
    if not to_ask:
        return
    ask(operation, to_ask)


def ask(operation: Operation, to_ask: Sequence[tuple[Target, Turn]]) -> None:
    """Ask these turns, which are nodes of the operation, to stop; `agent` and `task` loaded."""
    agents = [target.ref(turn.agent.agent_id) for target, turn in to_ask]
    operation.nodes.filter(kind=NodeKind.AGENT, ref__in=agents, requested_at__isnull=True).update(
        requested_at=timezone.now()
    )
    account = gateway().account(operation.fleet.connection)
    machines = Machine.objects.in_bulk([turn.agent.machine_id for _, turn in to_ask])
    asked = call(operation, _ask_all(account, [turn for _, turn in to_ask], machines))
    answers = {item.turn.pk: item for item in asked}
    for target in {id(target): target for target, _ in to_ask}.values():
        own = [answers[turn.pk] for asker, turn in to_ask if asker is target]
        with transaction.atomic():
            target.lock()
            _write_answers(target, own)


def _add_nodes(operation: Operation, turns: list[tuple[Target, Turn]]) -> None:
    plans = [
        operations.NodePlan(
            NodeKind.AGENT,
            f"{target.fleet.name}/{turn.agent.agent_id}",
            target.ref(turn.agent.agent_id),
        )
        for target, turn in turns
    ]
    known = set(operation.nodes.filter(kind=NodeKind.AGENT).values_list("ref", flat=True))
    operations.add_nodes(operation, [plan for plan in plans if plan.ref not in known])


async def _ask_all(
    account: PlatformClient, turns: list[Turn], machines: dict[int, Machine]
) -> list[Asked]:
    return list(
        await asyncio.gather(
            *(_ask(account, turn, machines[turn.agent.machine_id]) for turn in turns)
        )
    )


async def _ask(account: PlatformClient, turn: Turn, machine: Machine) -> Asked:
    at = timezone.now()
    error: PlatformError | None = None
    for number in range(1, TRIES + 1):
        try:
            answer = await account.sessions.abort(machine.sandbox_id, turn.session)
        except NotFound as caught:
            return Asked(turn, at, None, caught, number)
        except PlatformError as caught:
            error = caught
            await asyncio.sleep(TRY_AGAIN_S * number)
            continue
        return Asked(turn, at, answer, None, number)
    return Asked(turn, at, None, error, TRIES)


def _write_answers(target: Target, asked: list[Asked]) -> None:
    operation, now = target.operation, timezone.now()
    refs = {item.turn.pk: target.ref(item.turn.agent.agent_id) for item in asked}
    found = operation.nodes.filter(kind=NodeKind.AGENT, ref__in=refs.values())
    nodes = {n.ref: n for n in found}
    too_late: list[int] = []
    for item in asked:
        node = nodes[refs[item.turn.pk]]
        node.requested_at = node.requested_at or item.at
        node.attempts += item.tries
        if item.answer is None:
            node.state = "failed"
            status = getattr(item.error, "status", None)
            words = str(status) if status else (item.error.message if item.error else "no answer")
            tries = "1 try" if item.tries == 1 else f"{item.tries} tries"
            node.result = f"{words} after {tries}: not confirmed"
        elif item.answer.cancelled:
            node.state, node.acknowledged_at = "acknowledged", now
            node.result = "acknowledged, still reading"
        else:
            node.state, node.acknowledged_at = "acknowledged", now
            node.result = "there was nothing left to interrupt, reading how it ended"
            # A repeated request may have stopped it with its first try; and a turn that nobody
            # has seen run may still arrive.
            if item.tries == 1 and item.turn.state == TurnState.RUNNING:
                too_late.append(item.turn.pk)
    OperationNode.objects.bulk_update(
        nodes.values(), ["requested_at", "attempts", "state", "result", "acknowledged_at"]
    )
    Turn.objects.filter(pk__in=too_late).update(finished_before_stop=True)
    tell(operation, [node.pk for node in nodes.values()])
