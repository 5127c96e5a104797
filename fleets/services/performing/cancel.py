"""Cancels a fleet's work: cuts it off, interrupts open turns, reads until nothing is left.

An interrupt asked for, acknowledged, and proved are three facts. The operation ends when two
readings in a row show nothing new; what came back after its stop is found by them and stopped
again.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from fleets.domain.driving import may_still_arrive
from fleets.domain.numbers import show_count
from fleets.domain.status import OperationKind, OperationState, OutcomeReason, TurnState
from fleets.gateway import gateway
from fleets.live import publish
from fleets.models import Fleet, Machine, NodeKind, Operation, OperationNode, Run, Turn
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import (
    NotFound,
    PlatformError,
    PlatformRefused,
    PlatformSurprise,
    RateLimited,
)
from fleets.platform_api.types import AbortAnswer
from fleets.services import operations
from fleets.services.driving import lease
from fleets.services.driving.ending import write_news
from fleets.services.driving.key_row import take_key_row
from fleets.services.driving.reading import News, ReadPlan, by_machine, read_round
from fleets.services.driving.run_end import end_run_if_done
from fleets.services.driving.settling import note_fleet_gone, take_gone
from fleets.services.driving.stopping import (
    end_never_seen,
    end_on_gone_machines,
    end_queued,
    end_unsent,
)
from fleets.services.driving.view import fleet_with_key, load_open_turns
from fleets.services.fleet_state import newest_run, recount
from fleets.services.performing.calling import call
from fleets.services.performing.cut_off import lower_cap, waits_for_key
from fleets.services.performing.idle_cost import what_still_costs
from fleets.services.performing.nodes import confirm, node_of, prove
from fleets.services.performing.verdict import SURPRISES, Again, Ended, Verdict
from fleets.services.stop_nodes import show_ends

TRIES = 3
TRY_AGAIN_S = 0.5
READING_EVERY_S = 2.0
QUIET_READINGS = 2


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking one session to stop."""

    turn: Turn
    at: datetime
    answer: AbortAnswer | None
    error: PlatformError | None
    tries: int


def cancel(operation: Operation) -> Verdict:
    """One piece of work on a cancel: cut, interrupt what is open, read once."""
    fleet = operation.fleet
    # A launch under way sees the order at its next step, and ends.
    operations.hurry(fleet, OperationKind.LAUNCH)
    cuts = bool(operation.params.get("cut")) and fleet.budget_nusd is not None
    if cuts and waits_for_key(fleet):
        return Again(0.5)
    if cuts:
        _cut_off(operation)
    run = newest_run(fleet)
    if run is None:
        return Ended(OperationState.DONE, "There was no work to stop.")
    _end_what_never_left(operation, run)
    _interrupt(operation, run)
    is_quiet = _read_once(operation, run)
    return _verdict(operation, run, is_quiet=is_quiet)


def _cut_off(operation: Operation) -> None:
    """Lower the key's cap. Whatever the platform answers, the interrupts are sent: one node that
    fails stops no other. Without an answer the next piece of work asks again.
    """
    key, fleet = node_of(operation, NodeKind.KEY), operation.fleet
    if key is not None and key.state in {"done", "failed"}:
        return
    if not fleet.key_id or fleet.cut_off_confirmed_at is not None:
        result = "cut off before" if fleet.key_id else "no key was made"
        prove(operation, NodeKind.KEY, state="done", key_at=timezone.now(), result=result)
        return
    try:
        lower_cap(operation)
    except RateLimited:
        raise
    except PlatformError as error:
        tries = 1 if key is None else key.attempts + 1
        is_final = isinstance(error, PlatformRefused) or (
            isinstance(error, PlatformSurprise) and tries > SURPRISES
        )
        prove(
            operation,
            NodeKind.KEY,
            state="failed" if is_final else "running",
            attempts=tries,
            result=f"not lowered: {error.message}",
        )


@transaction.atomic
def _end_what_never_left(operation: Operation, run: Run) -> None:
    fleet = operations.lock_fleet(operation)
    now = timezone.now()
    end_queued(run, fleet, reason=OutcomeReason.CANCELLED, now=now)
    unsent = end_unsent(run, fleet, reason=OutcomeReason.CANCELLED, now=now)
    show_ends(fleet, unsent)
    recount(fleet, now=now)


def _interrupt(operation: Operation, run: Run) -> None:
    """Ask every open turn that was not asked (or came back) to stop."""
    turns = load_open_turns(run)
    _add_nodes(operation, turns)
    asked_before = set(
        operation.nodes.filter(kind=NodeKind.AGENT)
        .exclude(state__in=["queued", "came_back"])
        .values_list("ref", flat=True)
    )
    to_ask = [turn for turn in turns if turn.agent.agent_id not in asked_before]
    if not to_ask:
        return
    agents = [turn.agent.agent_id for turn in to_ask]
    operation.nodes.filter(kind=NodeKind.AGENT, ref__in=agents, requested_at__isnull=True).update(
        requested_at=timezone.now()
    )
    account = gateway().account(operation.fleet.connection)
    machines = {m.pk: m for m in Machine.objects.filter(fleet_id=operation.fleet_id)}
    asked = call(operation, _ask_all(account, to_ask, machines))
    with transaction.atomic():
        operations.lock_fleet(operation)
        _write_answers(operation, asked)


def _add_nodes(operation: Operation, turns: list[Turn]) -> None:
    plans = [
        operations.NodePlan(
            NodeKind.AGENT, f"{operation.fleet.name}/{turn.agent.agent_id}", turn.agent.agent_id
        )
        for turn in turns
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
            answer = await account.sessions.abort(machine.sandbox_id, turn.agent.session_id)
        except NotFound as caught:
            return Asked(turn, at, None, caught, number)
        except PlatformError as caught:
            error = caught
            await asyncio.sleep(TRY_AGAIN_S * number)
            continue
        return Asked(turn, at, answer, None, number)
    return Asked(turn, at, None, error, TRIES)


def _write_answers(operation: Operation, asked: list[Asked]) -> None:
    now = timezone.now()
    nodes = {n.ref: n for n in operation.nodes.filter(kind=NodeKind.AGENT)}
    too_late: list[int] = []
    for item in asked:
        node = nodes[item.turn.agent.agent_id]
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
    _tell(operation, [nodes[item.turn.agent.agent_id].pk for item in asked])


def _read_once(operation: Operation, run: Run) -> bool:
    """Read every machine of the fleet; True when nothing new showed and nothing is open."""
    turns = load_open_turns(run)
    machines = tuple(
        Machine.objects.filter(fleet_id=operation.fleet_id, gone_at__isnull=True).exclude(
            sandbox_id=""
        )
    )
    fleet = fleet_with_key(operation.fleet)
    plan = ReadPlan(
        machines=machines,
        turns_by_machine=by_machine(turns),
        fleet_id=fleet.public_id,
        key_id=fleet.key_id or None,
    )
    news = call(operation, read_round(gateway().account(fleet.connection), plan))
    with transaction.atomic():
        return _write_reading(operation, run, news, complete=len(news.read) == len(machines))


def _write_reading(operation: Operation, run: Run, news: News, *, complete: bool) -> bool:
    fleet = operations.lock_fleet(operation)
    now = timezone.now()
    take_gone(fleet, news.gone, now=now)
    if news.fleet_gone and _was_made(fleet):
        note_fleet_gone(fleet, now=now)
    if news.key is not None:
        take_key_row(fleet, news.key, now=now)
    ended = write_news(fleet, news.turns, now=now)
    ended += end_on_gone_machines(run, fleet, now=now)
    came_back = _note_still_running(operation, news)
    never: list[Turn] = []
    if not lease.is_taken(run.pk, now=now):
        # A tick that is still at work may have a request under way, and will tell.
        never = end_never_seen(run, fleet, news, reason=OutcomeReason.CANCELLED, now=now)
    show_ends(fleet, never)
    is_awaited = _is_awaited(operation, load_open_turns(run), now=now)
    quiet = complete and not ended and not never and not came_back and not is_awaited
    readings = operation.readings + 1 if quiet else 0
    Operation.objects.filter(pk=operation.pk).update(readings=readings)
    operation.readings = readings
    operation.fleet = fleet
    recount(fleet, now=now)
    return readings >= QUIET_READINGS


def _was_made(fleet: Fleet) -> bool:
    """Whether there was something to miss: not so where the cancel came before the fleet."""
    if operations.open_operation(fleet, OperationKind.LAUNCH) is not None:
        return False
    made = Machine.objects.filter(fleet=fleet).exclude(sandbox_id="")
    return fleet.created_on_platform_at is not None or made.exists()


def _note_still_running(operation: Operation, news: News) -> bool:
    """Sessions that run although their stop was acknowledged: they are asked again."""
    running = {item.turn_pk for item in news.turns if not item.ended}
    turns = Turn.objects.filter(pk__in=running)
    refs = turns.values_list("agent__agent_id", flat=True)
    nodes = list(operation.nodes.filter(kind=NodeKind.AGENT, ref__in=refs, state="acknowledged"))
    for node in nodes:
        node.state, node.revived = "came_back", node.revived + 1
        node.result = "runs although its stop was acknowledged, stopping it again"
        node.acknowledged_at = None
    OperationNode.objects.bulk_update(nodes, ["state", "revived", "result", "acknowledged_at"])
    # What runs had not finished before its stop, whatever the first interrupt was told.
    turns.update(finished_before_stop=False)
    _tell(operation, [node.pk for node in nodes])
    return bool(nodes)


def _is_awaited(operation: Operation, turns: list[Turn], *, now: datetime) -> bool:
    """Whether how some turn ended can still be read, or a dispatch without answer may arrive."""
    nodes = {node.ref: node for node in operation.nodes.filter(kind=NodeKind.AGENT)}
    late: list[OperationNode] = []
    for turn in turns:
        node = nodes.get(turn.agent.agent_id)
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
    _tell(operation, [node.pk for node in late])
    return False


def _verdict(operation: Operation, run: Run, *, is_quiet: bool) -> Verdict:
    awaited = QUIET_READINGS - operation.readings
    key = node_of(operation, NodeKind.KEY)
    is_cutting = key is not None and key.state == "running"
    words = f"{awaited} more readings with nothing new are awaited."
    if is_cutting and key is not None:
        words = f"The key is {key.result}; trying again."
    Operation.objects.filter(pk=operation.pk).update(sentence=words[:400])
    if not is_quiet or is_cutting:
        return Again(READING_EVERY_S)
    nodes = list(operation.nodes.filter(kind=NodeKind.AGENT))
    failed = [node for node in nodes if node.state == "failed"]
    with transaction.atomic():
        fleet = operations.lock_fleet(operation)
        now = timezone.now()
        if not failed:
            fleet.cancel_confirmed_at = fleet.cancel_confirmed_at or now
        end_run_if_done(run, fleet, now=now)
        recount(fleet, now=now)
    is_cut = key is None or key.state == "done"
    if not failed and is_cut:
        confirm(operation, at=timezone.now())
    sentence = _sentence(nodes, fleet)
    if key is not None and not is_cut:
        sentence = f"The key was {key.result}. {sentence}"
    state = OperationState.DONE if is_cut and not failed else OperationState.FAILED
    return Ended(state, sentence, _result(nodes))


# How the sentence calls what became of the nodes, by their state, in this order.
_CAME_TO = {
    "stopped": "interrupted",
    "finished": "had finished",
    "late": "completed all the same",
    "not_begun": "had not begun",
    "gone": "gone with their machines",
    "failed": "not confirmed",
}


def _sentence(nodes: list[OperationNode], fleet: Fleet) -> str:
    counted = Counter(node.state for node in nodes)
    parts = [
        f"{show_count(counted[state])} {words}"
        for state, words in _CAME_TO.items()
        if counted[state] or state == "stopped"
    ]
    where = "The platform has no such fleet. " if fleet.deleted_at is not None else ""
    return f"{where}{', '.join(parts)}. {what_still_costs(fleet)}"


def _result(nodes: list[OperationNode]) -> dict[str, object]:
    return {
        "interrupted": sum(node.state == "stopped" for node in nodes),
        "failures": [
            {"agentId": node.ref, "error": node.result} for node in nodes if node.state == "failed"
        ],
    }


def _tell(operation: Operation, node_pks: list[int]) -> None:
    if node_pks:
        publish(
            f"operation:{operation.public_id}", {"kind": "nodes", "ids": node_pks}, {"kind": "head"}
        )
