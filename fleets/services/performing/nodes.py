"""Writes the proof of an operation, node by node."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from fleets.live import publish
from fleets.models import NodeKind, Operation, OperationNode


def node_of(operation: Operation, kind: NodeKind, ref: str = "") -> OperationNode | None:
    """The operation's node of this kind (and reference, where there are several)."""
    found = operation.nodes.filter(kind=kind)
    return (found.filter(ref=ref) if ref else found).first()


def prove(operation: Operation, kind: NodeKind, ref: str = "", *, state: str, **facts: Any) -> None:
    """Write what was asked of or proved about one node. First times are kept, not overwritten."""
    node = node_of(operation, kind, ref)
    if node is None:
        return
    node.state = state
    for name, value in facts.items():
        is_moment = name.endswith("_at")
        if not is_moment or getattr(node, name) is None:
            setattr(node, name, value)
    node.result = node.result[:400]
    node.save()
    publish(f"operation:{operation.public_id}", {"kind": "nodes", "ids": [node.pk]})


def request_all(operation: Operation, *, at: datetime) -> None:
    """Write when all nodes that were not asked yet were asked, with one request for them all."""
    unasked = operation.nodes.filter(requested_at__isnull=True)
    pks = list(unasked.values_list("pk", flat=True))
    unasked.update(requested_at=at, state="running")
    tell(operation, pks)


def prove_gone(operation: Operation, refs: Iterable[str], *, at: datetime) -> None:
    """Write that these machines are gone."""
    nodes = operation.nodes.filter(kind=NodeKind.MACHINE, ref__in=list(refs), gone_at__isnull=True)
    pks = list(nodes.values_list("pk", flat=True))
    nodes.update(gone_at=at, acknowledged_at=at, state="done", result="gone")
    tell(operation, pks)


def finish_all(operation: Operation, *, at: datetime) -> None:
    """Write that whatever was not proved gone before is gone now."""
    rest = operation.nodes.exclude(state="done")
    pks = list(rest.values_list("pk", flat=True))
    rest.update(state="done", gone_at=at)
    tell(operation, pks)


def tell(operation: Operation, pks: list[int]) -> None:
    """Tell those who watch the operation's page that these nodes changed."""
    if pks:
        topic = f"operation:{operation.public_id}"
        publish(topic, {"kind": "nodes", "ids": pks}, {"kind": "head"})


def confirm(operation: Operation, *, at: datetime) -> None:
    """The platform said that what was ordered is so; the first time counts."""
    if operation.confirmed_at is None:
        operation.confirmed_at = at
        Operation.objects.filter(pk=operation.pk, confirmed_at__isnull=True).update(confirmed_at=at)
        publish(f"operation:{operation.public_id}", {"kind": "head"})


def remember(operation: Operation, **facts: Any) -> None:
    """Keep facts of the work so far on the row, so that the next worker knows them."""
    operation.result = {**operation.result, **facts}
    Operation.objects.filter(pk=operation.pk).update(result=operation.result)
