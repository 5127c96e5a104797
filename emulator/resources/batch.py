"""Batch runs: create, join, replay, cancel (contract 7 and 10, rows 18 and 29)."""

import secrets
from collections.abc import AsyncIterator
from typing import Any

from emulator.batches import cancel_batch, counts, say
from emulator.calls import Answer, Call, StreamAnswer
from emulator.errors import not_found, wrong_state
from emulator.ids import digest
from emulator.kept import Batch
from emulator.lifecycle import start_create
from emulator.money import dumps
from emulator.quotas import check_room
from emulator.resources.batch_body import machines_for, read_items
from emulator.resources.sandbox_body import make_machine, read_machine
from emulator.strict import check_fields
from emulator.waiting import frame_or_quiet
from emulator.world import World, body_digest

JsonObject = dict[str, Any]


def run(call: Call) -> StreamAnswer:
    """The batch's events from its start; without a key it is cancelled when its caller leaves."""
    world = call.world
    key = call.headers.get("idempotency-key")
    known = world.batches.get(world.batches_by_idempotency.get(key or "", ""))
    if known is not None and known.body_digest != body_digest(call.body):
        raise wrong_state("This idempotency key was used with another body.", current=known.status)
    batch = known or _begin(call, key=key)
    call.entry.ids["batchId"] = batch.id
    call.entry.admitted = known is None

    def leave() -> None:
        with world.lock:
            if batch.idempotency_key is None and not world.stopping.is_set():
                cancel_batch(world, batch)
        world.save()

    return StreamAnswer(_frames(world, batch), on_end=leave)


def cancel(call: Call) -> Answer:
    """What was completed stays; a second time changes nothing."""
    check_fields(call.body, where="body", fields={})
    batch = call.world.batches.get(call.params["batchId"])
    if batch is None:
        raise not_found("batch", call.params["batchId"])
    cancel_batch(call.world, batch)
    done, failed = counts(batch)
    body = {"batchId": batch.id, "status": batch.status}
    return Answer({**body, "totalSuccess": done, "totalFailure": failed})


def _begin(call: Call, *, key: str | None) -> Batch:
    world = call.world
    items = read_items(call.body)
    wanted = machines_for(items, mode=call.body.get("scalingMode", "balanced"))
    check_room(world, machines=len(wanted))
    name = secrets.token_hex(16) if key is None else key
    batch = Batch(
        id="batch-" + digest(world.config.seed, call.key.id, name)[:12],
        key_id=call.key.id,
        idempotency_key=key,
        body_digest=body_digest(call.body),
        items=items,
        machines=[],
        is_persistent=call.body.get("persistent", False),
        created_ms=world.now_ms(),
    )
    world.batches[batch.id] = batch
    if key is not None:
        world.batches_by_idempotency[key] = batch.id
    say(world, batch, "batch.started", {"batchId": batch.id, "total": len(items)})
    for number, backend_id in enumerate(wanted, start=1):
        _add_machine(call, batch, number=number, backend_id=backend_id)
    return batch


def _add_machine(call: Call, batch: Batch, *, number: int, backend_id: str) -> None:
    world = call.world
    wanted = {
        "name": f"{batch.id}-{number}",
        "metadata": {"batchId": batch.id, "backendId": backend_id},
        "env": {"TANGLE_BATCH_JOB_ID": batch.id},
    }
    spec = read_machine(world, wanted, role="worker", longest_s=None, where="batch")
    machine = make_machine(
        world,
        spec,
        sandbox_id="sandbox-" + digest(world.config.seed, batch.id, number)[:12],
        fleet_id="",
        key_id=call.key.id,
    )
    machine.batch_id = batch.id
    batch.machines.append([machine.id, backend_id])
    start_create(world, machine)


async def _frames(world: World, batch: Batch) -> AsyncIterator[str]:
    sent = 0
    while not world.stopping.is_set():
        with world.lock:
            fresh = list(batch.events[sent:])
            ended = batch.status != "running"
        for kind, data in fresh:
            sent += 1
            yield f"id: {sent}\nevent: {kind}\ndata: {dumps(data)}\n\n"
        if not fresh and ended:
            return
        if not fresh and not await frame_or_quiet(world, world.signal_of(batch.id)):
            yield ": keep-alive\n\n"
