"""Machines: created a few at a time, running, metered, stopped, expired, deleted."""

from emulator.entities import Fleet, Machine
from emulator.ids import rng_for
from emulator.prices import compute_nusd_per_s
from emulator.turn_ends import end_turns_of
from emulator.world import World

GONE = ("deleted",)
CREATE_MS = (4_000, 9_000)
DELETE_MS = (300, 900)
RESUME_MS = (800, 2_000)


def start_creates(world: World, fleet: Fleet) -> None:
    """Begin as many creates as the fleet's parallelism has room for (contract 10, row 1)."""
    machines = world.machines_of(fleet)
    busy = sum(machine.status == "provisioning" for machine in machines)
    for machine in machines:
        if busy >= fleet.concurrent_creates:
            return
        if machine.status == "pending" and not machine.deleting:
            busy += 1
            machine.status = "provisioning"
            _due_in(world, machine, span_ms=CREATE_MS, what="create")


def machine_due(world: World, machine_id: str) -> None:
    """The scheduler's call: whatever the machine was waiting for has come."""
    machine = world.machines.get(machine_id)
    if machine is None or machine.due_ms is None or machine.due_ms > world.now_ms():
        return
    machine.due_ms = None
    world.touch(machine)
    if machine.deleting:
        finish_delete(world, machine)
    elif machine.status == "provisioning":
        _finish_create(world, machine)
    elif machine.status == "running":
        _rest(world, machine)
    elif machine.status == "stopped":
        finish_delete(world, machine)


def start_create(world: World, machine: Machine) -> None:
    """Begin the create of a machine of no fleet."""
    machine.status = "provisioning"
    _due_in(world, machine, span_ms=CREATE_MS, what="create")


def keep_alive(world: World, machine: Machine, *, idle_s: int) -> None:
    """From now on the machine may be idle for that long."""
    machine.idle_s = idle_s
    machine.activity_ms = world.now_ms()
    world.touch(machine)
    if machine.status == "running" and not machine.deleting:
        _watch(world, machine)


def _finish_create(world: World, machine: Machine) -> None:
    fleet = world.fleets.get(machine.fleet_id)
    chance = rng_for(world.config.seed, "machine", machine.fleet_id, machine.machine_id)
    if machine.started_ms is None and chance.random() < world.dials.machine_failure_share:
        machine.status = "failed"
        machine.error = "The host ran out of capacity while creating the sandbox."
    else:
        _begin_running(world, machine)
    _tell_batch(world, machine)
    if fleet is None:
        return
    if machine.status == "failed" and fleet.cleanup_on_failure and fleet.status == "provisioning":
        fleet.status = "failed"
        for other in world.machines_of(fleet):
            begin_delete(world, other)
    start_creates(world, fleet)
    _settle_fleet(world, fleet)


def _tell_batch(world: World, machine: Machine) -> None:
    if machine.batch_id:
        world.scheduler.at(world.now_ms(), kind="batch", entity_id=machine.batch_id)


def _begin_running(world: World, machine: Machine) -> None:
    now_ms = world.now_ms()
    machine.status = "running"
    machine.activity_ms = machine.running_ms = now_ms
    if machine.started_ms is None:
        machine.started_ms = now_ms
    _meter(world, machine, sign=1)
    _watch(world, machine)


def _settle_fleet(world: World, fleet: Fleet) -> None:
    waiting = any(one.status in ("pending", "provisioning") for one in world.machines_of(fleet))
    if fleet.status == "provisioning" and not waiting:
        fleet.status = "running"
    world.touch(fleet)


def _meter(world: World, machine: Machine, *, sign: int) -> None:
    rate = compute_nusd_per_s(machine.resources)
    key = world.key_of(machine)
    world.ledger.change_rate(key, delta_nusd_per_s=sign * rate, now_ms=world.now_ms())


def _watch(world: World, machine: Machine) -> None:
    """Come back when the machine's lifetime or its idle time may be over."""
    due_ms = min(lifetime_end_ms(machine), _idle_end_ms(machine))
    _due_at(world, machine, due_ms=max(due_ms, world.now_ms()))


def lifetime_end_ms(machine: Machine) -> int:
    return (machine.started_ms or 0) + machine.lifetime_s * 1000 + machine.paused_ms


def _idle_end_ms(machine: Machine) -> int:
    return (machine.activity_ms or 0) + machine.idle_s * 1000


def _rest(world: World, machine: Machine) -> None:
    now_ms = world.now_ms()
    if now_ms >= lifetime_end_ms(machine):
        cease(world, machine, status="expired", error_code="SANDBOX_EXPIRED")
        return
    busy = any(
        world.sessions[one].active_execution_id
        for one in world.sessions_by_machine.get(machine.id, [])
    )
    if busy:
        machine.activity_ms = now_ms
    if now_ms >= _idle_end_ms(machine):
        cease(world, machine, status="stopped", error_code="SANDBOX_STOPPED")
    else:
        _watch(world, machine)


def cease(world: World, machine: Machine, *, status: str, error_code: str) -> None:
    """The machine no longer runs; its turns end as failed and its meter stops."""
    if machine.status == "running":
        _meter(world, machine, sign=-1)
        machine.ran_ms = runtime_ms(world, machine)
        machine.running_ms = None
        machine.warm, machine.first_execution_id = False, None
    end_turns_of(world, machine, error_code=error_code)
    _tell_batch(world, machine)
    machine.status = status
    if not machine.deleting:
        machine.due_ms = None
        after_s = machine.wanted.get("deleteAfterStoppedSeconds")
        if status == "stopped" and after_s is not None:
            _due_at(world, machine, due_ms=world.now_ms() + after_s * 1000)
    if world.host is not None:
        world.host.end(machine)
    world.touch(machine)


def runtime_ms(world: World, machine: Machine) -> int:
    """How long the machine ran until now."""
    since_ms = machine.running_ms
    return machine.ran_ms + (0 if since_ms is None else world.now_ms() - since_ms)


def resume(world: World, machine: Machine) -> None:
    machine.status = "provisioning"
    _due_in(world, machine, span_ms=RESUME_MS, what="resume")


def begin_delete(world: World, machine: Machine) -> None:
    """Start the deletion unless it is under way or done; running turns end at once."""
    if machine.deleting or machine.status == "deleted":
        return
    machine.deleting = True
    end_turns_of(world, machine, error_code="SANDBOX_DELETED")
    _due_in(world, machine, span_ms=DELETE_MS, what="delete")


def finish_delete(world: World, machine: Machine) -> None:
    """The machine is gone; the last one of a deleted fleet takes the fleet with it."""
    machine.deleting = True
    cease(world, machine, status="deleted", error_code="SANDBOX_DELETED")
    machine.due_ms = None
    _tell_batch(world, machine)
    fleet = world.fleets.get(machine.fleet_id)
    if fleet is None:
        return
    if fleet.status == "deleting":
        finish_fleets(world, fleet)
    else:
        start_creates(world, fleet)
        _settle_fleet(world, fleet)


def children_of(world: World, fleet: Fleet) -> list[Fleet]:
    return [
        one
        for one in world.fleets.values()
        if one.parent is not None and one.parent.get("fleetId") == fleet.id
    ]


def finish_fleets(world: World, fleet: Fleet) -> None:
    """Children first, then upwards: a fleet with no machine in its tree is gone (row 5, 33)."""
    if any(machine.status != "deleted" for machine in world.machines_of(fleet)):
        return
    if any(child.status != "deleted" for child in children_of(world, fleet)):
        return
    fleet.status = "deleted"
    world.touch(fleet)
    _forget_dispatches(world, fleet)
    key = world.ledger.keys[fleet.key_id]
    if key.parent_id is not None and not _key_in_use(world, key.id):
        world.ledger.revoke(key, now_ms=world.now_ms())
    parent = world.fleets.get(fleet.parent["fleetId"]) if fleet.parent else None
    if parent is not None and parent.status == "deleting":
        finish_fleets(world, parent)


def _forget_dispatches(world: World, fleet: Fleet) -> None:
    # Kept for the fleet's life (contract 10, row 7), and outputs can be long.
    for dispatch in world.dispatches.values():
        if dispatch.fleet_id == fleet.id:
            dispatch.results.clear()
            world.touch(dispatch)


def _key_in_use(world: World, key_id: str) -> bool:
    return any(one.key_id == key_id and one.status != "deleted" for one in world.fleets.values())


def _due_in(world: World, machine: Machine, *, span_ms: tuple[int, int], what: str) -> None:
    rng = rng_for(world.config.seed, what, machine.fleet_id, machine.machine_id)
    wait_ms = rng.randint(*span_ms) * world.dials.create_time_factor
    _due_at(world, machine, due_ms=world.now_ms() + max(1, int(wait_ms)))


def _due_at(world: World, machine: Machine, *, due_ms: int) -> None:
    machine.due_ms = due_ms
    world.touch(machine)
    world.scheduler.at(due_ms, kind="machine", entity_id=machine.id)
