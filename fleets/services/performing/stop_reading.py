"""Reads a fleet that is cancelled until nothing new shows: a stop is proved by readings."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from fleets.domain.driving import may_still_arrive
from fleets.domain.status import OperationKind, OutcomeReason, TurnState
from fleets.gateway import gateway
from fleets.models import Fleet, Machine, NodeKind, Operation, OperationNode, Run, Turn
from fleets.services import operations
from fleets.services.driving import lease
from fleets.services.driving.ending import write_news
from fleets.services.driving.key_row import take_key_row
from fleets.services.driving.reading import News, ReadPlan, by_machine, read_round
from fleets.services.driving.settling import note_fleet_gone, take_gone
from fleets.services.driving.stopping import end_never_seen, end_on_gone_machines
from fleets.services.driving.view import fleet_with_key, load_open_turns
from fleets.services.fleet_state import recount
from fleets.services.performing.calling import call
from fleets.services.performing.nodes import tell
from fleets.services.stop_nodes import show_ends

QUIET_READINGS = 2


def read_once(operation: Operation, run: Run) -> bool:
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
    tell(operation, [node.pk for node in nodes])
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
    tell(operation, [node.pk for node in late])
    return False
