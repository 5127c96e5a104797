"""Cuts off the keys of a tree that is cancelled, before anything of it is interrupted."""

from collections.abc import Sequence

from django.utils import timezone

from fleets.models import Fleet, NodeKind, Operation
from fleets.platform_api.errors import (
    PlatformError,
    PlatformRefused,
    PlatformSurprise,
    RateLimited,
)
from fleets.selectors.cutting import cut_off_refusal
from fleets.services import operations
from fleets.services.cut_off import KEY_NODE
from fleets.services.performing.cut_off import lower_cap, waits_for_key
from fleets.services.performing.nodes import node_of, prove
from fleets.services.performing.stop_target import Target
from fleets.services.performing.verdict import SURPRISES


def cut_tree(operation: Operation, tree: Sequence[Target]) -> bool:
    """Lower the caps of the topmost keys of the tree; what is below a lowered one is refused too.

    False while a key that is to be cut is still being minted.
    """
    cut: set[int] = set()
    for target in tree:
        if cut & set(target.fleet.path[:-1]) or cut_off_refusal(target.fleet):
            continue
        if waits_for_key(target.fleet):
            return False
        _cut_off(target)
        cut.add(target.fleet.pk)
    return True


def _cut_off(target: Target) -> None:
    """Lower the key's cap. Whatever the platform answers, the interrupts are sent: one node that
    fails stops no other. Without an answer the next piece of work asks again.
    """
    operation, fleet = target.operation, target.fleet
    ref = target.ref(KEY_NODE)
    _add_node(operation, fleet, ref)
    key = node_of(operation, NodeKind.KEY, ref)
    if key is not None and key.state in {"done", "failed"}:
        return
    if not fleet.key_id or fleet.cut_off_confirmed_at is not None:
        result = "cut off before" if fleet.key_id else "no key was made"
        prove(operation, NodeKind.KEY, ref, state="done", key_at=timezone.now(), result=result)
        return
    try:
        lower_cap(target)
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
            ref,
            state="failed" if is_final else "running",
            attempts=tries,
            result=f"not lowered: {error.message}",
        )


def _add_node(operation: Operation, fleet: Fleet, ref: str) -> None:
    if node_of(operation, NodeKind.KEY, ref) is None:
        plan = operations.NodePlan(NodeKind.KEY, f"key of {fleet.name}", ref)
        operations.add_nodes(operation, [plan])
