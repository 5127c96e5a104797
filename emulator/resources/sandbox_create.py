"""Sandboxes of no fleet: create and keep alive (contract 1.4, 2.1, 2.2)."""

import secrets

from emulator.calls import Answer, Call
from emulator.entities import Machine
from emulator.errors import wrong_state
from emulator.ids import digest
from emulator.lifecycle import keep_alive, start_create
from emulator.quotas import check_room
from emulator.resources.sandbox_body import SANDBOX, make_machine, read_machine
from emulator.resources.sandbox_fields import check_length
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
    check_length(body)
    spec = read_machine(
        world, body, role="worker", longest_s=None, where="body", may_hold_keys=True
    )
    check_room(world, machines=1)
    name = secrets.token_hex(16) if idempotency_key is None else idempotency_key
    machine = make_machine(
        world,
        spec,
        sandbox_id="sandbox-" + digest(world.config.seed, call.key.id, name)[:12],
        fleet_id="",
        key_id=call.key.id,
    )
    machine.idempotency_key, machine.body_digest = idempotency_key, body_digest(body)
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
