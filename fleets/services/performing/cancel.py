"""Cancels the work of a fleet and of its tree: cuts off, interrupts open turns, reads until nothing
is left.

An interrupt asked for, acknowledged, and proved are three facts. The operation ends when two
readings in a row show nothing new; what came back after its stop is found by them and stopped
again.
"""

from collections import Counter

from django.db import transaction
from django.utils import timezone

from fleets.domain.numbers import show_count
from fleets.domain.status import OperationKind, OperationState, OutcomeReason
from fleets.models import NodeKind, Operation, OperationNode
from fleets.services import operations
from fleets.services.driving.run_end import end_run_if_done
from fleets.services.driving.stopping import end_queued, end_unsent
from fleets.services.fleet_state import recount
from fleets.services.performing.cutting import cut_tree
from fleets.services.performing.idle_cost import what_still_costs
from fleets.services.performing.interrupting import interrupt
from fleets.services.performing.newcomers import beaten_words, stop_newcomers
from fleets.services.performing.nodes import confirm, prove
from fleets.services.performing.stop_reading import read_once
from fleets.services.performing.stop_target import Target, targets
from fleets.services.performing.verdict import Again, Ended, Verdict
from fleets.services.stop_nodes import show_ends

READING_EVERY_S = 2.0
QUIET_READINGS = 2


def cancel(operation: Operation) -> Verdict:
    """One piece of work on a cancel: cut, interrupt what is open, read once, look for children."""
    tree = targets(operation)
    for target in tree:
        # A launch under way sees the order at its next step, and ends.
        operations.hurry(target.fleet, OperationKind.LAUNCH)
    if operation.params.get("cut") and not cut_tree(operation, tree):
        return Again(0.5)
    if len(tree) == 1 and tree[0].run is None:
        return Ended(OperationState.DONE, "There was no work to stop.")
    for target in tree:
        _end_what_never_left(target)
    interrupt(operation, tree)
    is_quiet = read_once(operation, tree)
    if not operation.params.get("onlyThis"):
        is_quiet &= not stop_newcomers(operation)
    operation.readings = operation.readings + 1 if is_quiet else 0
    Operation.objects.filter(pk=operation.pk).update(readings=operation.readings)
    return _verdict(operation, tree)


@transaction.atomic
def _end_what_never_left(target: Target) -> None:
    if target.run is None:
        return
    fleet = target.lock()
    now = timezone.now()
    end_queued(target.run, fleet, reason=OutcomeReason.CANCELLED, now=now)
    unsent = end_unsent(target.run, fleet, reason=OutcomeReason.CANCELLED, now=now)
    show_ends(fleet, unsent)
    recount(fleet, now=now)


def _verdict(operation: Operation, tree: list[Target]) -> Verdict:
    awaited = QUIET_READINGS - operation.readings
    keys = list(operation.nodes.filter(kind=NodeKind.KEY))
    being_cut = next((key for key in keys if key.state == "running"), None)
    words = f"{awaited} more readings with nothing new are awaited."
    if being_cut is not None:
        words = f"The key is {being_cut.result}; trying again."
    Operation.objects.filter(pk=operation.pk).update(sentence=words[:400])
    beaten = "" if being_cut else beaten_words(operation, keys)
    if (awaited > 0 and not beaten) or being_cut is not None:
        return Again(READING_EVERY_S)
    nodes = list(operation.nodes.filter(kind=NodeKind.AGENT))
    failed = [node for node in nodes if node.state == "failed"]
    is_cut = all(key.state == "done" for key in keys)
    for target in reversed(tree):
        _end_fleet(target, failed, is_beaten=bool(beaten))
    if not failed and is_cut and not beaten:
        confirm(operation, at=timezone.now())
    sentence = f"{beaten} {_sentence(nodes, tree)}".strip()
    not_cut = next((key for key in keys if key.state != "done"), None)
    if not_cut is not None:
        sentence = f"The key was {not_cut.result}. {sentence}"
    is_done = is_cut and not failed and not beaten
    state = OperationState.DONE if is_done else OperationState.FAILED
    return Ended(state, sentence, {**operation.result, **_result(nodes)})


@transaction.atomic
def _end_fleet(target: Target, failed: list[OperationNode], *, is_beaten: bool) -> None:
    """Write that the fleet's work has ended, as far as every agent of it confirmed."""
    operation, fleet = target.operation, target.lock()
    now = timezone.now()
    own = {target.ref(name) for name in fleet.agents.values_list("agent_id", flat=True)}
    is_confirmed = not is_beaten and not any(node.ref in own for node in failed)
    if is_confirmed:
        fleet.cancel_confirmed_at = fleet.cancel_confirmed_at or now
    if target.run is not None:
        end_run_if_done(target.run, fleet, now=now)
    recount(fleet, now=now)
    if not target.is_ordered:
        state, result = ("done", "stopped") if is_confirmed else ("failed", "not confirmed")
        where = {"gone_at": now, "result": "gone"} if fleet.deleted_at else {"result": result}
        prove(operation, NodeKind.FLEET, fleet.public_id, state=state, stopped_at=now, **where)


# How the sentence calls what became of the nodes, by their state, in this order.
_CAME_TO = {
    "stopped": "interrupted",
    "finished": "had finished",
    "late": "completed all the same",
    "not_begun": "had not begun",
    "gone": "gone with their machines",
    "failed": "not confirmed",
}


def _sentence(nodes: list[OperationNode], tree: list[Target]) -> str:
    fleet = tree[0].fleet
    counted = Counter(node.state for node in nodes)
    parts = [
        f"{show_count(counted[state])} {words}"
        for state, words in _CAME_TO.items()
        if counted[state] or state == "stopped"
    ]
    where = "The platform has no such fleet. " if fleet.deleted_at is not None else ""
    among = f" in {len(tree)} fleets" if len(tree) > 1 else ""
    costs = what_still_costs(*(target.fleet for target in tree))
    return f"{where}{', '.join(parts)}{among}. {costs}"


def _result(nodes: list[OperationNode]) -> dict[str, object]:
    return {
        "interrupted": sum(node.state == "stopped" for node in nodes),
        "failures": [
            {"agentId": node.ref, "error": node.result} for node in nodes if node.state == "failed"
        ],
    }
