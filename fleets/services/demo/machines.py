"""The machines of one fleet of the data set, as its story left them."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from fleets.domain.placement import MachinePlan
from fleets.domain.status import TERMINAL_FLEETS, Afterwards, FleetState
from fleets.models import Fleet, Machine
from fleets.services.demo.catalog import Story
from fleets.services.demo.figures import hex_of

BATCH = 1_000
STOPPED_AFTER_MIN = 30


def write_machines(
    story: Story, fleet: Fleet, plans: Sequence[MachinePlan], *, begun: datetime, seen: datetime
) -> dict[str, Machine]:
    """Machines by the id of each of their agents. `begun`: the first turn; `seen`: last reading."""
    rows = [
        _machine(story, fleet, plan, position=position, begun=begun, seen=seen)
        for position, plan in enumerate(plans, start=1)
    ]
    Machine.objects.bulk_create(rows, batch_size=BATCH)
    return {
        agent_id: row for plan, row in zip(plans, rows, strict=True) for agent_id in plan.agent_ids
    }


def _machine(
    story: Story,
    fleet: Fleet,
    plan: MachinePlan,
    *,
    position: int,
    begun: datetime,
    seen: datetime,
) -> Machine:
    status = _status(story, position)
    sandbox_id = f"sandbox-{hex_of(fleet.public_id, plan.machine_id, digits=12)}"
    started = begun - timedelta(seconds=20) + timedelta(milliseconds=30 * (position % 300))
    is_made = status not in {"pending", "provisioning"}
    return Machine(
        fleet=fleet,
        machine_id=plan.machine_id,
        position=position,
        sandbox_id="" if status == "pending" else sandbox_id,
        status=status,
        status_seen_at=seen,
        cpu_cores=fleet.cpu_cores,
        memory_mib=fleet.memory_mib,
        disk_gib=fleet.disk_gib,
        memory_planned_mib=plan.used_mib,
        is_dedicated=plan.is_dedicated,
        running_since=started if is_made else None,
        warm_at=begun if story.state is not FleetState.CREATING else None,
        gone_at=seen if status == "deleted" else None,
    )


def _status(story: Story, position: int) -> str:
    if story.state is FleetState.DELETED:
        return "deleted"
    if story.state is FleetState.CREATING:
        return ("running", "provisioning", "pending")[min(2, (position - 1) // 2)]
    if story.state is FleetState.DELETING:
        return "deleted" if position <= 2 else "running"
    return "stopped" if is_stopped(story) else "running"


def is_stopped(story: Story) -> bool:
    """Whether the machines stopped by themselves some time after the work."""
    idle_min = story.ago_min - story.took_min
    ends = story.state in TERMINAL_FLEETS and story.after is Afterwards.STOP
    return ends and idle_min > STOPPED_AFTER_MIN
