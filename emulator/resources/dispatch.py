"""Turns: admitted at most once per `turnId` (contract 3.2, 3.3 and 10, row 13)."""

import secrets
from dataclasses import dataclass
from typing import Any

from emulator.admission import new_execution, session_of
from emulator.auth import check_product, check_turn_key
from emulator.calls import Answer, AnyAnswer, Call, StreamAnswer
from emulator.entities import Execution
from emulator.errors import bad_request, wrong_state
from emulator.frames import run_control_ref
from emulator.ids import execution_id
from emulator.resources.backend_body import check_backend
from emulator.resources.events import frames_of
from emulator.resources.sandboxes import find_machine
from emulator.strict import (
    ANY,
    BOOL,
    INT,
    LIST,
    OBJECT,
    TEXT,
    check_fields,
    positive,
    read_cursor,
    read_prompt,
)
from emulator.turn_ends import abort
from emulator.turns import begin_turn
from emulator.world import World

LONGEST_ID = 200
_TURN = {
    "id": TEXT,
    "sessionId": TEXT,
    "parts": LIST,
    "timeoutMs": INT,
    "backend": OBJECT,
    "turnId": TEXT,
    "executionId": TEXT,
    "lastEventId": TEXT,
    "detach": BOOL,
    "context": OBJECT,
    "metadata": OBJECT,
    "runControlRef": OBJECT,
    "interactions": ANY,
    "requireVisibleAssistantOutput": BOOL,
}


@dataclass(frozen=True, slots=True)
class Admission:
    """`dispatched`: this request began the turn; `existed`: the turn was there before."""

    execution: Execution
    dispatched: bool
    existed: bool


def dispatch(call: Call) -> AnyAnswer:
    """Detached: 202 with a receipt, and the turn outlives every connection. Else its stream."""
    if not call.body.get("detach", False):
        return attached(call)
    check_fields(call.body, where="body", fields=_TURN, required=("sessionId", "parts", "turnId"))
    admission = admit(call, turn_id=call.body["turnId"])
    return Answer(_receipt(admission), status=202)


def attached(call: Call) -> StreamAnswer:
    """The turn's frames; a stream that its caller drops stops the turn (contract 3.3)."""
    # All checks come before the admission: what is refused must not have begun.
    check_fields(call.body, where="body", fields=_TURN)
    cursor = read_cursor(call.body.get("lastEventId") or "0", name="lastEventId")
    execution = admit_attached(call).execution
    return StreamAnswer(
        frames_of(call.world, execution, cursor=cursor),
        on_end=lambda: stop_attached(call.world, execution),
    )


def admit_attached(call: Call) -> Admission:
    """Begin or join a turn whose caller waits; 409 while another turn of its session is active."""
    check_fields(call.body, where="body", fields=_TURN, required=("sessionId", "parts"))
    turn_id = call.body.get("turnId") or f"turn-{secrets.token_hex(8)}"
    admission = admit(call, turn_id=turn_id)
    if not (admission.dispatched or admission.existed):
        raise wrong_state(
            f"{admission.execution.id} is active on this session.",
            current="running",
            required="idle",
        )
    admission.execution.attached = admission.execution.attached or admission.dispatched
    return admission


def stop_attached(world: World, execution: Execution) -> None:
    """The caller is gone: end the turn, unless it was dispatched to live without one."""
    with world.lock:
        if execution.attached and execution.status == "running" and not world.stopping.is_set():
            abort(world, execution)
    world.save()


def admit(call: Call, *, turn_id: str) -> Admission:
    """Begin the turn unless it exists or another one of its session is active."""
    world, body = call.world, call.body
    prompt = _read(body, turn_id=turn_id)
    machine = find_machine(world, call.params["sandboxId"])
    call.entry.ids.update(fleetId=machine.fleet_id, sessionId=body["sessionId"], turnId=turn_id)
    check_product(call.key, base="sandbox")
    outside = check_turn_key(world, call.key, owner=world.key_of(machine))
    session = session_of(world, machine, body["sessionId"])
    found = execution_id(machine.id, body["sessionId"], turn_id)
    call.entry.admitted = False
    existing = world.executions.get(found)
    if existing is not None:
        call.entry.execution_id = existing.id
        return Admission(existing, dispatched=False, existed=True)
    if session.active_execution_id is not None:
        active = world.executions[session.active_execution_id]
        call.entry.execution_id = active.id
        return Admission(active, dispatched=False, existed=False)
    if machine.status != "running" or machine.deleting:
        raise wrong_state("The sandbox is not running.", current=machine.status, required="running")
    execution = new_execution(
        world,
        body,
        key_id=call.key.id,
        machine=machine,
        session=session,
        prompt=prompt,
        turn_id=turn_id,
    )
    execution.outside = outside
    machine.activity_ms = world.now_ms()
    world.touch(machine)
    if call.entry.fault == "out_of_memory":
        execution.doom = "out_of_memory"
    begin_turn(world, execution)
    call.entry.admitted, call.entry.execution_id = True, execution.id
    return Admission(execution, dispatched=True, existed=False)


def _read(body: dict[str, Any], *, turn_id: str) -> str:
    positive(body, where="body", names=("timeoutMs",))
    for name, value in (("sessionId", body["sessionId"]), ("turnId", turn_id)):
        if not 0 < len(value) <= LONGEST_ID or "/" in value:
            raise bad_request(f"{name} has a form that is not allowed.", field=name)
    if "backend" in body:
        check_backend(body["backend"], where="backend")
    return read_prompt(body["parts"])


def _receipt(admission: Admission) -> dict[str, Any]:
    execution = admission.execution
    return {
        "sessionId": execution.session_id,
        "executionId": execution.id,
        "status": execution.status,
        "dispatched": admission.dispatched,
        "alreadyExisted": admission.existed,
        "runControlRef": run_control_ref(execution),
    }
