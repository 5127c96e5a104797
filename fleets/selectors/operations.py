"""An operation as proof: its sentence, its figures, and every node, what is unfinished first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Case, Count, IntegerField, Max, Q, QuerySet, Value, When

from fleets.domain.status import TERMINAL_FLEETS, TERMINAL_OPERATIONS, OperationKind, OperationState
from fleets.models import Fleet, NodeKind, Operation, OperationNode
from fleets.selectors.fleet_detail import machine_nusd_per_hour
from fleets.selectors.fleet_spend import spend_card

MOST_ROWS: Final = 200
READINGS_WANTED: Final = 2

# Words of a node's state. What is in neither set has been proved.
OPEN_WORDS: Final = ("queued", "running", "acknowledged", "came_back")
UNCONFIRMED_WORDS: Final = ("failed", "unknown")
NOT_DONE: Final = "Not done"
_OPEN: Final = Q(state__in=OPEN_WORDS)
_UNCONFIRMED: Final = Q(state__in=UNCONFIRMED_WORDS)
_REVIVED: Final = Q(revived__gt=0)
_DONE: Final = ~_OPEN & ~_UNCONFIRMED
GROUPS: Final = {
    "not-confirmed": _UNCONFIRMED,
    "open": _OPEN,
    "came-back": _REVIVED,
    "done": _DONE,
}


@dataclass(frozen=True, slots=True)
class Verb:
    """How an act is called: in a list, on its page, while it goes on, and once done."""

    name: str
    title: str
    doing: str
    done: str
    node_done: str


VERBS: Final = {
    OperationKind.LAUNCH: Verb("Launch", "Launch {}", "Creating", "Launched", "Ready"),
    OperationKind.HOLD: Verb("Hold", "Hold {}", "Holding", "Held", "Held"),
    OperationKind.RELEASE: Verb("Release", "Release {}", "Releasing", "Released", "Released"),
    OperationKind.CUT_OFF: Verb("Cut off", "Cut off {}", "Cutting off", "Cut off", "Cut off"),
    OperationKind.REOPEN: Verb("Reopen", "Reopen {}", "Reopening", "Reopened", "Reopened"),
    OperationKind.CANCEL: Verb("Cancel", "Cancel {}", "Stopping", "Stopped", "Stopped"),
    OperationKind.DELETE: Verb("Delete", "Delete {}", "Deleting", "Deleted", "Gone"),
    OperationKind.STOP_MACHINES: Verb(
        "Stop machines", "Stop the machines of {}", "Stopping", "Stopped", "Stopped"
    ),
    OperationKind.INTERRUPT: Verb(
        "Interrupt", "Interrupt one agent of {}", "Interrupting", "Interrupted", "Interrupted"
    ),
}
_KEY_COLUMNS: Final = {
    OperationKind.CUT_OFF: "Key lowered",
    OperationKind.CANCEL: "Key lowered",
    OperationKind.REOPEN: "Key raised",
    OperationKind.DELETE: "Key revoked",
}
_READ_AGAIN: Final = frozenset({OperationKind.CANCEL, OperationKind.DELETE})
_SHOWS_STOPPED: Final = frozenset(
    {OperationKind.CANCEL, OperationKind.STOP_MACHINES, OperationKind.INTERRUPT}
)


@dataclass(frozen=True, slots=True)
class NodeCounts:
    """How many nodes are where."""

    total: int
    done: int
    open: int
    unconfirmed: int
    revived: int
    key_at: datetime | None


@dataclass(frozen=True, slots=True)
class NodeTab:
    """One count tab of the node table."""

    key: str
    label: str
    count: int
    state: str


@dataclass(frozen=True, slots=True)
class OperationHead:
    """What stands above the nodes."""

    public_id: str
    kind: str
    state: str
    pill_state: str
    pill_label: str
    title: str
    fleet_name: str
    fleet_public_id: str
    fleet_state: str
    by: str
    door: str
    requested_at: datetime
    confirmed_at: datetime | None
    ended_at: datetime | None
    next_attempt_at: datetime | None
    attempts: int
    reason: str
    sentence: str
    counts: NodeCounts
    done_word: str
    share: str
    readings: int
    readings_wanted: int
    running: int
    burn_nusd_per_min: int | None
    machines: int
    machines_nusd_per_hour: int
    is_over: bool
    can_retry: bool
    can_reopen: bool
    offers_machines: bool
    cut_off_at: datetime | None
    shows_stopped: bool
    shows_gone: bool
    key_column: str
    page_title: str
    favicon: str

    @property
    def left(self) -> int:
        """Nodes that are not proved yet."""
        return self.counts.total - self.counts.done


@dataclass(frozen=True, slots=True)
class NodeRow:
    """One node with what was asked of it and what was proved."""

    pk: int
    kind: str
    label: str
    ref: str
    state: str
    word: str
    requested_at: datetime | None
    acknowledged_at: datetime | None
    stopped_at: datetime | None
    gone_at: datetime | None
    key_at: datetime | None
    attempts: int
    revived: int
    result: str


@dataclass(frozen=True, slots=True)
class NodeTable:
    """One page of nodes; `after` is the cursor to go on from, None on the last."""

    rows: Sequence[NodeRow]
    after: str | None


def operation_head(operation: Operation) -> OperationHead:
    """The head of one operation (`fleet`, `requested_by` loaded). One query: the counts."""
    kind, state = OperationKind(operation.kind), OperationState(operation.state)
    fleet, counts = operation.fleet, node_counts(operation)
    verb = VERBS[kind]
    title = verb.title.format(fleet.name)
    pill_state, pill_label = _pill(kind, state, counts)
    return OperationHead(
        public_id=operation.public_id,
        kind=kind.value,
        state=state.value,
        pill_state=pill_state,
        pill_label=pill_label,
        title=title,
        fleet_name=fleet.name,
        fleet_public_id=fleet.public_id,
        fleet_state=fleet.state,
        by=operation.requested_by.username if operation.requested_by else "Fleetdash",
        door=operation.door,
        requested_at=operation.requested_at,
        confirmed_at=operation.confirmed_at,
        ended_at=operation.ended_at,
        next_attempt_at=operation.next_attempt_at,
        attempts=operation.attempts,
        reason=operation.reason,
        sentence=operation.sentence,
        counts=counts,
        done_word=verb.node_done.lower(),
        share=f"{counts.done * 100 / counts.total:.1f}%" if counts.total else "0%",
        readings=operation.readings,
        readings_wanted=READINGS_WANTED if kind in _READ_AGAIN else 0,
        is_over=state in TERMINAL_OPERATIONS,
        cut_off_at=counts.key_at if kind is OperationKind.CANCEL else None,
        shows_stopped=kind in _SHOWS_STOPPED,
        shows_gone=kind is OperationKind.DELETE,
        key_column=_KEY_COLUMNS.get(kind, ""),
        **_still_running(fleet),
        **_offers(fleet, kind, state),
        page_title=f"{pill_label} · {title} · Operations",
        favicon=_favicon(state),
    )


def _still_running(fleet: Fleet) -> dict[str, Any]:
    """What the fleet costs while the operation is looked at."""
    running = 0 if fleet.state in TERMINAL_FLEETS else fleet.tasks_running
    return {
        "running": running,
        "burn_nusd_per_min": spend_card(fleet).burn_nusd_per_min if running else 0,
        "machines": fleet.machines_running,
        "machines_nusd_per_hour": fleet.machines_running * machine_nusd_per_hour(fleet),
    }


def _offers(fleet: Fleet, kind: OperationKind, state: OperationState) -> dict[str, Any]:
    """What may be done next."""
    is_over = state in TERMINAL_OPERATIONS
    return {
        # A launch is not retried: its tasks have ended.
        "can_retry": state is OperationState.FAILED and kind is not OperationKind.LAUNCH,
        "can_reopen": _can_reopen(fleet),
        "offers_machines": kind is OperationKind.CANCEL and is_over and fleet.machines_running > 0,
    }


def node_counts(operation: Operation) -> NodeCounts:
    """Counts of nodes by what is proved of them. One query."""
    counted: dict[str, Any] = operation.nodes.aggregate(
        total=Count("pk"),
        done=Count("pk", filter=_DONE),
        open=Count("pk", filter=_OPEN),
        unconfirmed=Count("pk", filter=_UNCONFIRMED),
        revived=Count("pk", filter=_REVIVED),
        key_at=Max("key_at"),
    )
    return NodeCounts(**counted)


def node_tabs(head: OperationHead) -> list[NodeTab]:
    """The count tabs of the node table."""
    counts, verb = head.counts, VERBS[OperationKind(head.kind)]
    return [
        NodeTab(
            "not-confirmed", _failed_word(OperationKind(head.kind)), counts.unconfirmed, "unknown"
        ),
        NodeTab("open", NOT_DONE if head.is_over else verb.doing, counts.open, ""),
        NodeTab("came-back", "Came back", counts.revived, "soft-limit"),
        NodeTab("done", verb.node_done, counts.done, ""),
    ]


def node_table(
    operation: Operation, *, group: str = "", after: str = "", limit: int = MOST_ROWS
) -> NodeTable:
    """A page of nodes: not confirmed, under way, came back, keys, the rest. One query."""
    limit = min(limit, MOST_ROWS)
    nodes = _ranked(operation.nodes.all())
    if group:
        where = GROUPS.get(group)
        nodes = nodes.filter(where) if where is not None else nodes.none()
    if cursor := _cursor(after):
        rank, position = cursor
        nodes = nodes.filter(Q(rank__gt=rank) | Q(rank=rank, position__gt=position))
    found = list(nodes.order_by("rank", "position")[: limit + 1])
    shown = found[:limit]
    following = None
    if len(found) > limit:
        following = f"{shown[-1].rank}.{shown[-1].position}"
    return NodeTable([_row(node, operation) for node in shown], following)


def node_rows(operation: Operation, pks: Sequence[int]) -> list[NodeRow]:
    """These nodes' rows, for a live patch. One query."""
    nodes = operation.nodes.filter(pk__in=pks).order_by("position")
    return [_row(node, operation) for node in nodes]


def _failed_word(kind: OperationKind) -> str:
    """What a node is that did not come to what was ordered."""
    return "Not made" if kind is OperationKind.LAUNCH else "Not confirmed"


def _pill(kind: OperationKind, state: OperationState, counts: NodeCounts) -> tuple[str, str]:
    verb = VERBS[kind]
    progress = f" {counts.done:,} of {counts.total:,}" if counts.total else ""
    match state:
        case OperationState.QUEUED:
            return "queued", "Queued"
        case OperationState.RUNNING:
            return "cancelling", f"{verb.doing}{progress}"
        case OperationState.DONE:
            return "finished", verb.done
        case OperationState.FAILED if counts.unconfirmed:
            return "failed", f"{counts.unconfirmed:,} {_failed_word(kind).lower()}"
        case OperationState.FAILED:
            return "failed", "Failed"
        case OperationState.UNKNOWN:
            return "unknown", "Not confirmed"


def _favicon(state: OperationState) -> str:
    if state is OperationState.DONE:
        return "finished"
    return "failed" if state in {OperationState.FAILED, OperationState.UNKNOWN} else "running"


def _can_reopen(fleet: Fleet) -> bool:
    is_cut = fleet.cut_off_requested_at is not None
    return is_cut and fleet.key_revoked_at is None and fleet.delete_requested_at is None


def _ranked(nodes: "QuerySet[OperationNode]") -> "QuerySet[Any, Any]":
    return nodes.annotate(
        rank=Case(
            When(_UNCONFIRMED, then=Value(0)),
            When(_OPEN, then=Value(1)),
            When(_REVIVED, then=Value(2)),
            When(kind__in=[NodeKind.KEY, NodeKind.FLEET], then=Value(3)),
            default=Value(4),
            output_field=IntegerField(),
        )
    )


def _cursor(after: str) -> tuple[int, int] | None:
    rank, _, position = after.partition(".")
    if rank.isdecimal() and position.isdecimal() and len(after) <= 20:
        return int(rank), int(position)
    return None


def _row(node: OperationNode, operation: Operation) -> NodeRow:
    state, word = _node_word(node, operation)
    return NodeRow(
        pk=node.pk,
        kind=node.kind,
        label=node.label,
        ref=node.ref,
        state=state,
        word=word,
        requested_at=node.requested_at,
        acknowledged_at=node.acknowledged_at,
        stopped_at=node.stopped_at,
        gone_at=node.gone_at,
        key_at=node.key_at,
        attempts=node.attempts,
        revived=node.revived,
        result=node.result,
    )


def _node_word(node: OperationNode, operation: Operation) -> tuple[str, str]:
    """The word of state (for its colour) and what people read."""
    kind = OperationKind(operation.kind)
    if node.state in OPEN_WORDS and operation.ended_at is not None:
        # Nobody is at it any more: it must not look as if.
        return "not_started", NOT_DONE
    if node.state in UNCONFIRMED_WORDS:
        is_launch = kind is OperationKind.LAUNCH
        return "failed" if is_launch else "unknown", _failed_word(kind)
    if node.state in _OWN_WORDS:
        return _OWN_WORDS[node.state]
    if node.state in OPEN_WORDS:
        return "stopping", VERBS[kind].doing
    if node.revived:
        return "stopped", "Stopped twice"
    if node.kind == NodeKind.KEY and kind is OperationKind.CANCEL:
        return "stopped", "Cut off"
    done = "finished" if kind in _GOOD_NEWS else "stopped"
    return done, VERBS[kind].node_done


# The words that mean the same in every kind of operation: word of state and what people read.
_OWN_WORDS: Final = {
    "queued": ("queued", "Queued"),
    "came_back": ("soft_limit", "Came back"),
    "finished": ("finished", "Had finished"),
    "late": ("cancelled", "Completed all the same"),
    "not_begun": ("not_started", "Had not begun"),
    "gone": ("unknown", "Gone with its machine"),
}
_GOOD_NEWS: Final = frozenset({OperationKind.LAUNCH, OperationKind.RELEASE, OperationKind.REOPEN})
