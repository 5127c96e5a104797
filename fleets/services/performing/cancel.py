"""Cancels a fleet's work: cuts it off, interrupts open turns, reads until nothing is left.

An interrupt asked for, acknowledged, and proved are three facts. The operation ends when two
readings in a row show nothing new; what came back after its stop is found by them and stopped
again.
"""

from collections import Counter

from django.db import transaction
from django.utils import timezone

from fleets.domain.numbers import show_count
from fleets.domain.status import OperationKind, OperationState, OutcomeReason
from fleets.models import Fleet, NodeKind, Operation, OperationNode, Run
from fleets.platform_api.errors import (
    PlatformError,
    PlatformRefused,
    PlatformSurprise,
    RateLimited,
)
from fleets.services import operations
from fleets.services.driving.run_end import end_run_if_done
from fleets.services.driving.stopping import end_queued, end_unsent
from fleets.services.fleet_state import newest_run, recount
from fleets.services.performing.cut_off import lower_cap, waits_for_key
from fleets.services.performing.idle_cost import what_still_costs
from fleets.services.performing.interrupting import interrupt
from fleets.services.performing.nodes import confirm, node_of, prove
from fleets.services.performing.stop_reading import QUIET_READINGS, read_once
from fleets.services.performing.verdict import SURPRISES, Again, Ended, Verdict
from fleets.services.stop_nodes import show_ends

READING_EVERY_S = 2.0


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
    interrupt(operation, run)
    is_quiet = read_once(operation, run)
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
