"""Takes over what the platform says of a fleet and its machines while they are made and after."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from fleets.domain.driving import fleet_read_s
from fleets.live import publish
from fleets.models import Fleet, Machine, Operation, OperationNode
from fleets.platform_api.types import FleetRow
from fleets.services.fleet_events import Line, note_all
from fleets.services.row_updates import update_rows

MAKING = frozenset({"", "pending", "provisioning"})
FLEET_MAKING = frozenset({"provisioning"})
GONE = frozenset({"deleted"})


def unsettled_read_s(fleet: Fleet, *, now: datetime) -> float:
    """Seconds between two reads of a fleet whose machines are being made."""
    ordered_at = fleet.created_on_platform_at or now
    return fleet_read_s(
        fleet.connection.rate_per_minute, ordered_s_ago=(now - ordered_at).total_seconds()
    )


def take_fleet_row(fleet: Fleet, row: FleetRow, *, now: datetime) -> list[Machine]:
    """Write the platform's word on the fleet (unsaved) and its machines (saved); those that
    changed.
    """
    fleet.platform_status = row.status[:40]
    fleet.platform_seen_at = now
    known = {machine.machine_id: machine for machine in Machine.objects.filter(fleet=fleet)}
    changed: list[Machine] = []
    lines: list[Line] = []
    for told in row.machines:
        machine = known.get(told.machine_id)
        if machine is None:
            continue
        before = machine.status
        machine.sandbox_id = told.sandbox_id or machine.sandbox_id
        machine.status = told.status[:40]
        machine.status_seen_at = now
        machine.error = (told.error or "")[:500]
        if told.status == "running" and machine.running_since is None:
            machine.running_since = now
        if told.status in GONE and machine.gone_at is None:
            machine.gone_at = now
        if before != machine.status:
            changed.append(machine)
            lines.append(_line(machine))
    update_rows(
        list(known.values()),
        [
            "sandbox_id", "status", "status_seen_at", "error", "running_since", "gone_at",
        ],
    )  # fmt: skip
    _settle(fleet, known.values(), now=now)
    note_all(fleet, lines)
    if changed:
        ids = [machine.pk for machine in changed]
        publish(f"fleet:{fleet.public_id}", {"kind": "machines", "ids": ids})
        _show_in_launch(fleet, changed, now=now)
    return changed


def take_gone(fleet: Fleet, machine_pks: Iterable[int], *, now: datetime) -> list[Machine]:
    """Machines that answered 404: they are gone, and the page says that nobody here did it."""
    gone = list(Machine.objects.filter(pk__in=list(machine_pks), gone_at__isnull=True))
    why = _why_gone(fleet, now=now)
    for machine in gone:
        machine.gone_at, machine.status, machine.status_seen_at = now, "deleted", now
        machine.error = why
    update_rows(gone, ["gone_at", "status", "status_seen_at", "error"])
    if gone:
        words = f": {why}" if why else ""
        note_all(fleet, [Line("machine", f"machine {machine} is gone{words}") for machine in gone])
        publish(f"fleet:{fleet.public_id}", {"kind": "machines", "ids": [m.pk for m in gone]})
    return gone


def _why_gone(fleet: Fleet, *, now: datetime) -> str:
    """Why machines are missed, as far as we know; "" when we were told to delete them."""
    if fleet.delete_requested_at is not None:
        return ""
    made_at = fleet.created_on_platform_at
    is_bounded = made_at is not None and fleet.lifetime_s > 0
    if made_at and is_bounded and now >= made_at + timedelta(seconds=fleet.lifetime_s):
        return "its lifetime is over"
    return "it vanished, the platform has no such machine and nobody here deleted it"


def note_fleet_gone(fleet: Fleet, *, now: datetime) -> None:
    """The platform has no such fleet although nobody here deleted it (unsaved): its machines, and
    with them its work, are gone.
    """
    pks = Machine.objects.filter(fleet=fleet, gone_at__isnull=True).values_list("pk", flat=True)
    take_gone(fleet, list(pks), now=now)
    if fleet.deleted_at is None:
        note_all(
            fleet,
            [Line("deleted", "the platform has no such fleet (any more): deleted from elsewhere")],
        )
    fleet.deleted_at = fleet.deleted_at or now
    fleet.cleanup_due_at, fleet.key_secret = None, None


def _settle(fleet: Fleet, machines: Iterable[Machine], *, now: datetime) -> None:
    still_making = any(machine.status in MAKING for machine in machines)
    if fleet.settled_at is None and not still_making and fleet.platform_status not in FLEET_MAKING:
        fleet.settled_at = now


def _line(machine: Machine) -> Line:
    text = f"machine {machine} is {machine.status}"
    if machine.error:
        text = f"machine {machine} {machine.status}: {machine.error}"
    return Line("machine", text)


def _show_in_launch(fleet: Fleet, machines: Iterable[Machine], *, now: datetime) -> None:
    """The launch's own page shows machine by machine how far it is."""
    launch = Operation.objects.filter(fleet=fleet, kind="launch").first()
    if launch is None:
        return
    nodes = {
        node.ref: node for node in OperationNode.objects.filter(operation=launch, kind="machine")
    }
    touched = []
    for machine in machines:
        node = nodes.get(machine.machine_id)
        if node is None or machine.status in MAKING:
            continue
        node.state = "done" if machine.status == "running" else "failed"
        node.acknowledged_at = node.acknowledged_at or now
        node.result = machine.error or f"{machine.status}, {machine.sandbox_id}"
        touched.append(node)
    update_rows(touched, ["state", "acknowledged_at", "result"])
    if touched:
        publish(f"operation:{launch.public_id}", {"kind": "nodes", "ids": [n.pk for n in touched]})
