"""One command on many machines, six upstream connections per request (contract 4.1; 10 row 27)."""

import asyncio
import heapq
import secrets
from typing import Any

from emulator.calls import Answer, Call, LateAnswer, until
from emulator.entities import Dispatch, Fleet, Machine
from emulator.errors import bad_request, not_found, not_supported
from emulator.host_shell import HostOutcome
from emulator.resources.fleets import find_fleet
from emulator.shell import DEFAULT_TIMEOUT_MS, Outcome, run_line
from emulator.strict import BOOL, INT, TEXT, TEXTS, check_fields, positive
from emulator.world import World

UPSTREAM_CONNECTIONS = 6
# What a request and each of its commands take beside the command itself; from the measured
# 9.7 s and 17.8 s for six and twelve commands of 8 s.
REQUEST_MS = 1_600
COMMAND_MS = 100
JsonObject = dict[str, Any]
_BODY = {
    "type": TEXT,
    "command": TEXT,
    "machines": TEXTS,
    "maxConcurrent": INT,
    "timeoutMs": INT,
    "bufferResults": BOOL,
}


def dispatch(call: Call) -> LateAnswer:
    """Answers when all have ended; the results are in the order in which they were asked for."""
    body, world = call.body, call.world
    check_fields(body, where="body", fields=_BODY, required=("type",))
    if body["type"] != "exec":
        raise not_supported("Only exec dispatches are emulated (contract 10, row 6).")
    check_fields(body, where="body", fields=_BODY, required=("command",))
    positive(body, where="body", names=("maxConcurrent", "timeoutMs"))
    fleet = find_fleet(world, call.params["fleetId"])
    machines = _wanted(world, fleet, names=body.get("machines"))
    dispatch_id = f"dispatch-{secrets.token_hex(8)}"
    limit_ms = body.get("timeoutMs", DEFAULT_TIMEOUT_MS)
    if world.host is not None:
        call.entry.ids["dispatchId"] = dispatch_id
        return LateAnswer(lambda: _on_host(call, fleet, machines, dispatch_id=dispatch_id))
    rows = [_run(world, one, command=body["command"], limit_ms=limit_ms) for one in machines]
    took_ms = _in_waves(
        world,
        [row["duration"] for row in rows],
        at_once=min(body.get("maxConcurrent", UPSTREAM_CONNECTIONS), UPSTREAM_CONNECTIONS),
    )
    due_ms = world.now_ms() + took_ms
    world.scheduler.at(due_ms, kind="wake", entity_id=dispatch_id)

    async def wait() -> Answer:
        await until(world, dispatch_id, is_done=lambda: world.now_ms() >= due_ms)
        for machine, row in zip(machines, rows, strict=True):
            if row["ok"] and machine.status != "running":
                _refuse(row, f"The sandbox is {machine.status}.")
        return _keep(world, Dispatch(dispatch_id, fleet.id, rows))

    call.entry.ids["dispatchId"] = dispatch_id
    return LateAnswer(wait)


async def _on_host(
    call: Call, fleet: Fleet, machines: list[Machine], *, dispatch_id: str
) -> Answer:
    """The command itself, in the folder of each machine, as many at once as there are ways."""
    body = call.body
    at_once = min(body.get("maxConcurrent", UPSTREAM_CONNECTIONS), UPSTREAM_CONNECTIONS)
    ways = asyncio.Semaphore(at_once)
    limit_ms = body.get("timeoutMs", DEFAULT_TIMEOUT_MS)

    async def one(machine: Machine) -> JsonObject:
        async with ways:
            return await _run_on_host(
                call.world, machine, command=body["command"], limit_ms=limit_ms
            )

    rows = await asyncio.gather(*(one(machine) for machine in machines))
    return _keep(call.world, Dispatch(dispatch_id, fleet.id, list(rows)))


async def _run_on_host(
    world: World, machine: Machine, *, command: str, limit_ms: int
) -> JsonObject:
    row: JsonObject = {"machineId": machine.machine_id, "ok": True, "duration": 0}
    if world.host is None or machine.status != "running" or machine.deleting:
        _refuse(row, f"The sandbox is {machine.status}.")
        return row
    machine.activity_ms = world.now_ms()
    outcome = await world.host.run(machine, command, limit_ms=limit_ms)
    row["duration"] = outcome.took_ms
    if machine.status != "running":
        _refuse(row, f"The sandbox is {machine.status}.")
    elif outcome.exit_code is None:
        _refuse(row, f"The command did not end within {limit_ms} ms.")
    else:
        row["result"] = _result(outcome)
    return row


def _keep(world: World, done: Dispatch) -> Answer:
    with world.lock:
        world.dispatches[done.id] = done
        world.touch(done)
    return Answer(_view(done))


def read(call: Call) -> Answer:
    """The same body again, for the fleet's life; 404 before the dispatch has ended (row 7)."""
    fleet = find_fleet(call.world, call.params["fleetId"])
    found = call.world.dispatches.get(call.params["dispatchId"])
    if found is None or found.fleet_id != fleet.id:
        raise not_found("dispatch", call.params["dispatchId"])
    return Answer(_view(found))


def _wanted(world: World, fleet: Fleet, *, names: list[str] | None) -> list[Machine]:
    machines = {one.machine_id: one for one in world.machines_of(fleet)}
    for name in names or ():
        if name not in machines:
            raise bad_request(f"The fleet has no machine {name}.", field="machines")
    return [machines[name] for name in (names or machines)]


def _run(world: World, machine: Machine, *, command: str, limit_ms: int) -> JsonObject:
    row: JsonObject = {"machineId": machine.machine_id, "ok": True, "duration": 0}
    if machine.status != "running" or machine.deleting:
        _refuse(row, f"The sandbox is {machine.status}.")
        return row
    outcome = run_line(machine, command)
    machine.activity_ms = world.now_ms()
    world.touch(machine)
    row["duration"] = min(outcome.took_ms, limit_ms)
    if outcome.took_ms > limit_ms:
        _refuse(row, f"The command did not end within {limit_ms} ms.")
    else:
        row["result"] = _result(outcome)
    return row


def _result(outcome: Outcome | HostOutcome) -> JsonObject:
    return {
        "exitCode": outcome.exit_code,
        "stdout": outcome.stdout,
        "stderr": outcome.stderr,
    }


def _refuse(row: JsonObject, message: str) -> None:
    row.pop("result", None)
    row |= {"ok": False, "error": {"message": message}}


def _in_waves(world: World, durations_ms: list[int], *, at_once: int) -> int:
    """How long it takes when each connection takes the next command once it is free."""
    factor = world.dials.turn_time_factor
    free_ms = [0.0] * at_once
    for duration_ms in durations_ms:
        begun_ms = heapq.heappop(free_ms)
        heapq.heappush(free_ms, begun_ms + duration_ms + COMMAND_MS * factor)
    return round(REQUEST_MS * factor + max(free_ms))


def _view(done: Dispatch) -> JsonObject:
    return {"dispatchId": done.id, "results": done.results}
