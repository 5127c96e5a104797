"""Sandboxes of no fleet: create and keep alive (contract 1.4, 2.1, 2.2)."""

import secrets

from emulator.calls import Answer, Call
from emulator.entities import Machine
from emulator.errors import bad_request, wrong_state
from emulator.ids import digest
from emulator.lifecycle import keep_alive, start_create
from emulator.money import dumps
from emulator.resources.sandbox_body import LONGEST_BODY, SANDBOX, read_machine
from emulator.resources.sandboxes import find_machine, view
from emulator.strict import INT, check_fields, positive
from emulator.world import body_digest


def create(call: Call) -> Answer:
    """201 at once; a keyed create names its sandbox by the key, so that a replay finds it."""
    world, body = call.world, call.body
    idempotency_key = call.headers.get("idempotency-key")
    known = world.machines.get(world.machines_by_idempotency.get(idempotency_key or "", ""))
    if known is not None:
        call.entry.ids["sandboxId"] = known.id
        return Answer(view(_same(known, body_digest(body))), status=201)
    check_fields(body, where="body", fields=SANDBOX)
    if len(dumps(body)) > LONGEST_BODY:
        raise bad_request(f"The body is longer than {LONGEST_BODY} characters.")
    spec = read_machine(body, role="worker", longest_s=None, where="body")
    name = secrets.token_hex(16) if idempotency_key is None else idempotency_key
    sandbox_id = "sandbox-" + digest(world.config.seed, call.key.id, name)[:12]
    machine = Machine(
        id=sandbox_id,
        fleet_id="",
        machine_id=sandbox_id,
        role=spec.role,
        name=spec.name or sandbox_id,
        resources=spec.resources,
        metadata=spec.metadata,
        backend=spec.backend,
        lifetime_s=spec.lifetime_s,
        idle_s=spec.idle_s,
        created_ms=world.now_ms(),
        key_id=call.key.id,
        env=spec.env,
        idempotency_key=idempotency_key,
        body_digest=body_digest(body),
    )
    world.machines[machine.id] = machine
    if idempotency_key is not None:
        world.machines_by_idempotency[idempotency_key] = machine.id
    start_create(world, machine)
    call.entry.ids["sandboxId"] = machine.id
    return Answer(view(machine), status=201)


def _same(machine: Machine, digest_now: str) -> Machine:
    if machine.body_digest != digest_now:
        raise wrong_state(
            "This idempotency key was used with another body.", current=machine.status
        )
    if machine.status == "deleted":
        raise wrong_state("The sandbox of this idempotency key was deleted.", current="deleted")
    return machine


def patch(call: Call) -> Answer:
    """Keep-alive: the idle time starts again, with a new length."""
    fields = {"idleTimeoutSeconds": INT}
    check_fields(call.body, where="body", fields=fields, required=("idleTimeoutSeconds",))
    positive(call.body, where="body", names=("idleTimeoutSeconds",))
    machine = find_machine(call.world, call.params["sandboxId"])
    if machine.status not in ("pending", "provisioning", "running") or machine.deleting:
        raise wrong_state(
            "Only a running sandbox can be kept alive.", current=machine.status, required="running"
        )
    keep_alive(call.world, machine, idle_s=call.body["idleTimeoutSeconds"])
    return Answer(view(machine))
