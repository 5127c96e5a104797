"""Sandboxes of fleets (contract 2.1, 2.3): read, list, stop, resume, delete."""

from typing import Any

from emulator.calls import Answer, Call
from emulator.clock import iso
from emulator.entities import Machine
from emulator.errors import bad_request, not_found, wrong_state
from emulator.lifecycle import cease, finish_delete, lifetime_end_ms
from emulator.lifecycle import resume as resume_machine
from emulator.quotas import check_room
from emulator.strict import check_fields, read_page
from emulator.world import World

STATUSES = ("pending", "provisioning", "running", "stopped", "failed", "deleted", "expired")


def find_machine(world: World, sandbox_id: str) -> Machine:
    """The machine, 404 when it is not there or was deleted."""
    machine = world.machines.get(sandbox_id)
    if machine is None or machine.status == "deleted":
        raise not_found("sandbox", sandbox_id)
    return machine


def list_sandboxes(call: Call) -> Answer:
    limit, offset = read_page(call.query)
    wanted = call.query.getlist("status")
    for status in wanted:
        if status not in STATUSES:
            raise bad_request(f"{status} is not a status.", field="status")
    found = [
        machine
        for machine in call.world.machines.values()
        if machine.status != "deleted" and (not wanted or machine.status in wanted)
    ]
    return Answer({"sandboxes": [view(machine) for machine in found[offset : offset + limit]]})


def get(call: Call) -> Answer:
    return Answer(view(find_machine(call.world, call.params["sandboxId"])))


def delete(call: Call) -> Answer:
    """Done when it answers; a second time says `already_absent`."""
    check_fields(call.body, where="body", fields={})
    machine = call.world.machines.get(call.params["sandboxId"])
    if machine is None:
        raise not_found("sandbox", call.params["sandboxId"])
    outcome = "already_absent"
    if machine.status != "deleted":
        finish_delete(call.world, machine)
        outcome = "destroyed"
    return Answer({"success": True, "sandboxId": machine.id, "outcome": outcome})


def stop(call: Call) -> Answer:
    """Running turns end as failed; the meter stops."""
    check_fields(call.body, where="body", fields={})
    machine = find_machine(call.world, call.params["sandboxId"])
    if machine.status == "running" and not machine.deleting:
        cease(call.world, machine, status="stopped", error_code="SANDBOX_STOPPED")
    elif machine.status != "stopped":
        raise wrong_state(
            "Only a running sandbox can be stopped.", current=machine.status, required="running"
        )
    return Answer(view(machine))


def resume(call: Call) -> Answer:
    check_fields(call.body, where="body", fields={})
    machine = find_machine(call.world, call.params["sandboxId"])
    if machine.status == "stopped" and not machine.deleting:
        check_room(call.world, machines=1)
        resume_machine(call.world, machine)
    elif machine.status != "running":
        raise wrong_state(
            "Only a stopped sandbox can be resumed.", current=machine.status, required="stopped"
        )
    return Answer(view(machine))


def view(machine: Machine) -> dict[str, Any]:
    body: dict[str, Any] = {
        "id": machine.id,
        "name": machine.name,
        "status": machine.status,
        "createdAt": iso(machine.created_ms),
        "metadata": machine.metadata,
        "machineId": machine.machine_id,
        "resources": machine.resources,
        "region": "emulated",
    }
    if machine.started_ms is not None:
        body["startedAt"] = iso(machine.started_ms)
        body["expiresAt"] = iso(lifetime_end_ms(machine))
    if machine.activity_ms is not None:
        body["lastActivityAt"] = iso(machine.activity_ms)
    if machine.error is not None:
        body["error"] = machine.error
    return body
