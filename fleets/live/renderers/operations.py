"""The operation page: its head, its counts and the nodes that changed."""

from collections.abc import Sequence
from typing import Final

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html

from fleets.live.channels import Change
from fleets.live.fragments import MAX_PARTIALS, Hint, Partial, Piece, register
from fleets.models import Operation
from fleets.selectors.operations import OperationHead, node_rows, node_tabs, operation_head

PAGE: Final = "operation"
_PARTS: Final = "operations/_operation_parts.html"
_ROOM: Final = MAX_PARTIALS - 10


def operation_changes(topic: str, changes: Sequence[Change]) -> Sequence[Piece]:
    """What these changes of an operation, or of its fleet, touch."""
    kind, _, public_id = topic.partition(":")
    if kind == "fleet":
        return _of_fleet(changes)
    operation = (
        Operation.objects.select_related("fleet", "requested_by")
        .filter(public_id=public_id)
        .first()
    )
    if operation is None:
        return []
    head = operation_head(operation)
    pks = list(dict.fromkeys(pk for change in changes for pk in change.get("ids", ())))
    return [*_head(head), *_nodes(operation, head, pks)]


def _of_fleet(changes: Sequence[Change]) -> list[Piece]:
    # What the machines still cost: rarely changes, and the fleet does not know its operation.
    if any(change["kind"] == "machines" for change in changes):
        return [Hint("operation-head")]
    return []


def _head(head: OperationHead) -> list[Piece]:
    context = {
        "head": head,
        "here": reverse("fleets:operation_detail", args=[head.public_id]),
        "fleet_url": reverse("fleets:fleet_detail", args=[head.fleet_public_id]),
    }
    state = {
        "title": head.page_title,
        "favicon": head.favicon,
        "summary": f"{head.counts.done} of {head.counts.total} {head.done_word}",
    }
    pieces: list[Piece] = [
        Partial(name, render_to_string(f"{_PARTS}#{name}", context))
        for name in ("operation-title", "operation-head")
    ]
    page_state = render_to_string("includes/_page_state.html", {"page_state": state})
    pieces.append(Partial("page-state", page_state))
    numbers = {f"nodes-{tab.key}": tab.count for tab in node_tabs(head)}
    numbers["nodes-all"] = head.counts.total
    pieces += [Partial(target, _number(target, count)) for target, count in numbers.items()]
    # Who may retry or reopen depends on the viewer: that part fetches itself, once it is over.
    return [*pieces, Hint("operation-acts")] if head.is_over else pieces


def _nodes(operation: Operation, head: OperationHead, pks: list[int]) -> list[Piece]:
    if not pks:
        return []
    if len(pks) > _ROOM:
        return [Hint("operation-nodes")]
    fleet_url = reverse("fleets:fleet_detail", args=[head.fleet_public_id])
    return [
        Partial(
            f"node-{row.pk}",
            render_to_string(
                "operations/_node_row.html", {"row": row, "head": head, "fleet_url": fleet_url}
            ),
        )
        for row in node_rows(operation, pks)
    ]


def _number(target: str, count: int) -> str:
    if count:
        return format_html('<span class="n" id="{}">{}</span>', target, f"{count:,}")
    return format_html('<span class="n" id="{}" data-zero>0</span>', target)


register(PAGE, operation_changes)
