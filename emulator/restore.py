"""Bringing a world back from its file: what was under way goes on from where it stood."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from emulator.entities import Dispatch, Execution, Fleet, Key, Machine, Session, Spawner
from emulator.kept import Batch, RouterCall, SavedProfile, Secret
from emulator.store import Event, Store

if TYPE_CHECKING:
    from emulator.world import World

_KINDS: dict[str, Any] = {
    "fleet": Fleet,
    "machine": Machine,
    "session": Session,
    "execution": Execution,
    "dispatch": Dispatch,
    "spawner": Spawner,
    "secret": Secret,
    "savedprofile": SavedProfile,
    "batch": Batch,
    "routercall": RouterCall,
}


def restore(world: World, store: Store) -> bool:
    """Fill the empty world; False when the file holds none.

    Everything due is moved by the time that the emulator was down, and so are the meters.
    """
    meta = store.meta()
    if "saved_ms" not in meta:
        return False
    gap_ms = world.now_ms() - int(meta["saved_ms"])
    if gap_ms < 0:
        # Its clock was ahead of ours, and a world's clock never runs backwards.
        world.clock.advance(-gap_ms / 1000)
        gap_ms = 0
    for body in store.things("key"):
        key = Key(**body)
        key.metered_ms += gap_ms
        world.ledger.load(key)
        world.keys_by_hash[key.secret_hash] = key.id
    world.ledger.entries = store.entries()
    world.journal.load(store.requests())
    for kind, maker in _KINDS.items():
        for body in store.things(kind):
            thing = maker(**body)
            _take(world, thing, gap_ms=gap_ms)
            _take_kept(world, thing, gap_ms=gap_ms)
    _restore_events(world, store)
    return True


def _take(world: World, thing: Any, *, gap_ms: int) -> None:
    if isinstance(thing, Fleet):
        world.fleets[thing.id] = thing
        if thing.idempotency_key is not None:
            world.fleets_by_idempotency[thing.idempotency_key] = thing.id
    elif isinstance(thing, Dispatch):
        world.dispatches[thing.id] = thing
    elif isinstance(thing, Spawner):
        world.spawners[thing.id] = thing
        thing.due_ms += gap_ms
        world.scheduler.at(thing.due_ms, kind="spawner", entity_id=thing.id)
    elif isinstance(thing, Session):
        world.sessions[thing.id] = thing
        world.sessions_by_machine.setdefault(thing.sandbox_id, []).append(thing.id)
    elif isinstance(thing, Machine):
        world.machines[thing.id] = thing
        if thing.idempotency_key is not None:
            world.machines_by_idempotency[thing.idempotency_key] = thing.id
        _resume_machine(world, thing, gap_ms=gap_ms)
    elif isinstance(thing, Execution):
        world.executions[thing.id] = thing
        _resume_turn(world, thing, gap_ms=gap_ms)


def _take_kept(world: World, thing: Any, *, gap_ms: int) -> None:
    if isinstance(thing, Secret):
        world.secrets[thing.id] = thing
    elif isinstance(thing, SavedProfile):
        world.profiles[thing.id] = thing
    elif isinstance(thing, RouterCall):
        if not thing.is_settled:
            thing.due_ms += gap_ms
            world.router_calls[thing.id] = thing
            world.scheduler.at(thing.due_ms, kind="router", entity_id=thing.id)
    elif isinstance(thing, Batch):
        _resume_batch(world, thing)


def _resume_turn(world: World, execution: Execution, *, gap_ms: int) -> None:
    if execution.status != "running":
        return
    execution.due_ms += gap_ms
    if execution.deadline_ms is not None:
        execution.deadline_ms += gap_ms
    world.scheduler.at(execution.due_ms, kind="turn", entity_id=execution.id)
    if execution.attached:
        # Whoever waited for it was cut off when the emulator went down.
        world.scheduler.at(world.now_ms(), kind="drop", entity_id=execution.id)


def _resume_batch(world: World, batch: Batch) -> None:
    world.batches[batch.id] = batch
    if batch.idempotency_key is not None:
        world.batches_by_idempotency[batch.idempotency_key] = batch.id
    if batch.status == "running":
        # Whoever waited for one without a key was cut off when the emulator went down.
        kind = "batch" if batch.idempotency_key is not None else "leave"
        world.scheduler.at(world.now_ms(), kind=kind, entity_id=batch.id)


def _resume_machine(world: World, machine: Machine, *, gap_ms: int) -> None:
    if machine.running_ms is not None:
        machine.running_ms += gap_ms
    if machine.due_ms is None:
        return
    machine.due_ms += gap_ms
    machine.paused_ms += gap_ms
    if machine.activity_ms is not None:
        machine.activity_ms += gap_ms
    world.scheduler.at(machine.due_ms, kind="machine", entity_id=machine.id)


def _restore_events(world: World, store: Store) -> None:
    oldest_ms = world.now_ms() - int(world.dials.event_retention_s * 1000)
    store.forget_events(before_ms=oldest_ms)
    for row in store.events(since_ms=oldest_ms):
        world.events.setdefault(row[0], deque()).append(Event(*row[1:]))
