"""One detached turn: admitted at most once per `turnId` (contract 3.2, 3.3 and 10, row 13)."""

import secrets
from typing import Any

from emulator.auth import check_product, check_turn_key
from emulator.calls import Answer, Call
from emulator.entities import Execution, Machine, Session
from emulator.errors import bad_request, not_supported, wrong_state
from emulator.frames import run_control_ref
from emulator.ids import digest, execution_id, trace_id
from emulator.money import dumps
from emulator.resources.backend_body import check_backend, effective_backend
from emulator.resources.sandboxes import find_machine
from emulator.strict import ANY, BOOL, INT, LIST, OBJECT, TEXT, check_fields, positive, read_prompt
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


def dispatch(call: Call) -> Answer:
    """202 with a receipt; the turn outlives every connection."""
    world, body = call.world, call.body
    prompt = _read(body)
    machine = find_machine(world, call.params["sandboxId"])
    call.entry.ids.update(
        fleetId=machine.fleet_id, sessionId=body["sessionId"], turnId=body["turnId"]
    )
    check_product(call.key, base="sandbox")
    outside = check_turn_key(world, call.key, fleet=world.fleets[machine.fleet_id])
    session = _session(world, machine, body["sessionId"])
    found = execution_id(machine.id, body["sessionId"], body["turnId"])
    call.entry.admitted = False
    existing = world.executions.get(found)
    if existing is not None:
        call.entry.execution_id = existing.id
        return _receipt(existing, dispatched=False, existed=True)
    if session.active_execution_id is not None:
        active = world.executions[session.active_execution_id]
        call.entry.execution_id = active.id
        return _receipt(active, dispatched=False, existed=False)
    if machine.status != "running" or machine.deleting:
        raise wrong_state("The sandbox is not running.", current=machine.status, required="running")
    execution = _execution(call, machine=machine, session=session, prompt=prompt)
    execution.outside = outside
    machine.activity_ms = world.now_ms()
    world.touch(machine)
    begin_turn(world, execution)
    call.entry.admitted, call.entry.execution_id = True, execution.id
    return _receipt(execution, dispatched=True, existed=False)


def _read(body: dict[str, Any]) -> str:
    required = ("sessionId", "parts", "turnId")
    check_fields(body, where="body", fields=_TURN, required=required)
    if not body.get("detach", False):
        raise not_supported("Only detached turns (detach: true) are emulated so far.")
    positive(body, where="body", names=("timeoutMs",))
    for name in ("sessionId", "turnId"):
        if not 0 < len(body[name]) <= LONGEST_ID or "/" in body[name]:
            raise bad_request(f"{name} has a form that is not allowed.", field=name)
    if "backend" in body:
        check_backend(body["backend"], where="backend")
    return read_prompt(body["parts"])


def _session(world: World, machine: Machine, session_id: str) -> Session:
    session_key = f"{machine.id}/{session_id}"
    session = world.sessions.get(session_key)
    if session is None:
        session = Session(
            id=session_key,
            session_id=session_id,
            sandbox_id=machine.id,
            native_id="ses_" + digest(world.config.seed, "native", session_key)[:26],
            created_ms=world.now_ms(),
        )
    return session


def _execution(call: Call, *, machine: Machine, session: Session, prompt: str) -> Execution:
    world, body = call.world, call.body
    if session.id not in world.sessions:
        world.sessions[session.id] = session
        world.sessions_by_machine.setdefault(machine.id, []).append(session.id)
    backend = effective_backend(body.get("backend"), machine)
    now_ms = world.now_ms()
    limit_ms = body.get("timeoutMs")
    return Execution(
        id=execution_id(machine.id, session.session_id, body["turnId"]),
        session_key=session.id,
        session_id=session.session_id,
        sandbox_id=machine.id,
        turn_id=body["turnId"],
        key_id=call.key.id,
        trace_id=trace_id(world.config.seed, machine.id, session.session_id, body["turnId"]),
        prompt=prompt,
        harness=backend.harness,
        model=backend.model,
        provider=backend.provider,
        source=backend.source,
        profile=backend.profile,
        output_limit=backend.output_limit,
        timeout_ms=limit_ms,
        deadline_ms=None if limit_ms is None else now_ms + limit_ms,
        request_id=secrets.token_hex(16),
        request_digest="sha256:" + digest(dumps(body)),
        time_factor=world.dials.turn_time_factor,
        failure_share=world.dials.failure_share,
        context_tokens=session.context_tokens,
        started_ms=now_ms,
    )


def _receipt(execution: Execution, *, dispatched: bool, existed: bool) -> Answer:
    body = {
        "sessionId": execution.session_id,
        "executionId": execution.id,
        "status": execution.status,
        "dispatched": dispatched,
        "alreadyExisted": existed,
        "runControlRef": run_control_ref(execution),
    }
    return Answer(body, status=202)
