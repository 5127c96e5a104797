"""Batches: every task once for every backend, on machines of their own (contract 7 and 10, row 18).

An item is `{task, backend, state, sandboxId, executionId, retries}`; `state` is queued, running,
completed or failed. Ours: a machine does the items of one backend one after the other; an item
whose turn ended before its first model call is tried once more.
"""

from typing import Any

from emulator.admission import new_execution, session_of
from emulator.closing import token_usage
from emulator.entities import Execution, Machine
from emulator.ids import execution_id
from emulator.kept import Batch
from emulator.lifecycle import begin_delete
from emulator.money import Usd
from emulator.turn_ends import abort
from emulator.turns import begin_turn
from emulator.world import World

JsonObject = dict[str, Any]
MOST_RETRIES = 1
_GONE = ("stopped", "failed", "deleted", "expired")


def batch_due(world: World, batch_id: str) -> None:
    """The scheduler's call after anything happened to the batch: take ends, begin what may."""
    batch = world.batches.get(batch_id)
    if batch is None or batch.status != "running":
        return
    for item in batch.items:
        if item["state"] == "running":
            _collect(world, batch, item)
    for sandbox_id, backend_id in batch.machines:
        _occupy(world, batch, world.machines[sandbox_id], backend_id=backend_id)
    _give_up(world, batch)
    if all(item["state"] in ("completed", "failed") for item in batch.items):
        _finish(world, batch, status="completed")
    _changed(world, batch)


def cancel_batch(world: World, batch: Batch) -> None:
    """Stop what runs, never begin the rest; what was completed stays (contract 10, row 29)."""
    if batch.status != "running":
        return
    for item in batch.items:
        if item["state"] == "running":
            execution = world.executions[item["executionId"]]
            if execution.status == "running":
                abort(world, execution)
            _collect(world, batch, item)
        if item["state"] == "queued":
            _fail(world, batch, item, code="CANCELLED", message="The batch was cancelled.")
    _finish(world, batch, status="cancelled")
    _changed(world, batch)


def counts(batch: Batch) -> tuple[int, int]:
    """(completed, failed) so far."""
    states = [item["state"] for item in batch.items]
    return states.count("completed"), states.count("failed")


def say(world: World, batch: Batch, kind: str, data: JsonObject) -> None:
    """Add an event to the batch's stream."""
    batch.events.append([kind, data])
    _changed(world, batch)


def _changed(world: World, batch: Batch) -> None:
    world.touch(batch)
    world.wake_readers(batch.id)


def _occupy(world: World, batch: Batch, machine: Machine, *, backend_id: str) -> None:
    """Begin the backend's next item on the machine, if it is free."""
    busy = any(
        item["state"] == "running" and item["sandboxId"] == machine.id for item in batch.items
    )
    if busy or machine.status != "running" or machine.deleting:
        return
    for item in batch.items:
        if item["state"] == "queued" and item["backend"]["id"] == backend_id:
            _begin(world, batch, item, machine)
            return


def _begin(world: World, batch: Batch, item: JsonObject, machine: Machine) -> None:
    task, backend = item["task"], item["backend"]
    turn_id = f"t1-{item['retries'] + 1}"
    session = session_of(world, machine, f"{batch.id}-{item['number']}")
    body: JsonObject = {"backend": {"type": backend["type"]}, "timeoutMs": item["timeoutMs"]}
    if "model" in backend:
        body["backend"]["model"] = backend["model"]
    execution = new_execution(
        world,
        body,
        key_id=batch.key_id,
        machine=machine,
        session=session,
        prompt=item["prompt"],
        turn_id=turn_id,
    )
    item |= {"state": "running", "sandboxId": machine.id, "executionId": execution.id}
    machine.activity_ms = world.now_ms()
    begin_turn(world, execution)
    if item["retries"] == 0:
        say(world, batch, "task.started", {"taskId": task["id"], "backendId": backend["id"]})


def _collect(world: World, batch: Batch, item: JsonObject) -> None:
    """Take the end of the item's turn, if it has ended."""
    execution = world.executions[item["executionId"]]
    if execution.status == "running":
        return
    if execution.status == "completed" and execution.waiting is None:
        item["state"] = "completed"
        say(world, batch, "task.completed", result_of(world, item))
        return
    is_early = execution.status == "failed" and not execution.output_tokens
    machine_lives = world.machines[execution.sandbox_id].status == "running"
    if is_early and machine_lives and item["retries"] < MOST_RETRIES:
        item["state"] = "queued"
        item["retries"] += 1
        return
    waiting = None if execution.waiting is None else execution.waiting["status"]
    code = waiting or execution.error_code or execution.status
    message = execution.error or "The agent waits for an answer, which a batch cannot give."
    _fail(world, batch, item, code=code, message=message)


def _give_up(world: World, batch: Batch) -> None:
    """Fail what waits for machines of which none is left."""
    for item in batch.items:
        mine = [one for one, backend in batch.machines if backend == item["backend"]["id"]]
        if item["state"] == "queued" and all(world.machines[one].status in _GONE for one in mine):
            message = "No sandbox of this batch is left for its backend."
            _fail(world, batch, item, code="SANDBOX_FAILED", message=message)


def _fail(world: World, batch: Batch, item: JsonObject, *, code: str, message: str) -> None:
    item |= {"state": "failed", "error": message, "errorCode": code}
    say(world, batch, "task.failed", result_of(world, item))


def result_of(world: World, item: JsonObject) -> JsonObject:
    """An ended item as its event and the results say it."""
    body: JsonObject = {"taskId": item["task"]["id"], "backendId": item["backend"]["id"]}
    execution: Execution | None = world.executions.get(item["executionId"] or "")
    duration_ms = 0
    if execution is not None:
        duration_ms = (execution.ended_ms or world.now_ms()) - execution.started_ms
    if item["state"] == "failed":
        body |= {"error": item["error"], "errorCode": item["errorCode"]}
    else:
        body["response"] = "" if execution is None else execution.said
    body |= {"durationMs": duration_ms, "retries": item["retries"]}
    if execution is not None:
        body |= {
            "tokenUsage": token_usage(execution),
            "costUsd": Usd(_cost_nusd(world, item)),
            "traceId": execution.trace_id,
        }
    return body


def _cost_nusd(world: World, item: JsonObject) -> int:
    """What all its turns cost, a retried one's first included."""
    session_id = item["executionId"] and world.executions[item["executionId"]].session_id
    found = (
        world.executions.get(execution_id(item["sandboxId"], session_id, f"t1-{number + 1}"))
        for number in range(item["retries"] + 1)
    )
    return sum(one.cost_nusd for one in found if one is not None)


def _finish(world: World, batch: Batch, *, status: str) -> None:
    batch.status, batch.ended_ms = status, world.now_ms()
    done, failed = counts(batch)
    data = {
        "totalSuccess": done,
        "totalFailure": failed,
        "results": [
            {**result_of(world, item), "success": item["state"] == "completed"}
            for item in batch.items
        ],
        "costUsd": Usd(sum(_cost_nusd(world, item) for item in batch.items)),
    }
    say(world, batch, "batch.completed", data)
    if not batch.is_persistent:
        for sandbox_id, _backend in batch.machines:
            begin_delete(world, world.machines[sandbox_id])
