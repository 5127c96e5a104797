"""Fleets (contract 4 and 10, rows 1-5)."""

import re
import secrets
from typing import Any

from emulator.auth import is_related
from emulator.calls import Answer, Call
from emulator.clock import iso
from emulator.entities import Fleet, Machine
from emulator.errors import bad_request, forbidden, not_found, wrong_state
from emulator.ids import sandbox_id
from emulator.lifecycle import begin_delete, children_of, finish_fleets, start_creates
from emulator.quotas import check_room
from emulator.resources.fleet_body import check_create, read_machines
from emulator.resources.sandbox_body import MachineSpec, make_machine
from emulator.strict import check_fields, read_page
from emulator.world import World, body_digest

FLEET_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
DEFAULT_CONCURRENT_CREATES = 4


def create(call: Call) -> Answer:
    """201 at once with status `provisioning`; the machines come a few at a time."""
    world, body = call.world, call.body
    replay = _replayed(call)
    if replay is not None:
        return Answer({"fleet": view(world, replay)}, status=201)
    check_create(body)
    fleet_id = _new_id(world, body)
    parent = _parent(call)
    specs = read_machines(world, body)
    policy = body.get("policy", {})
    ceiling = policy.get("maxConcurrentCreates")
    concurrent = body.get("maxConcurrentCreates", ceiling or DEFAULT_CONCURRENT_CREATES)
    if ceiling is not None and concurrent > ceiling:
        raise bad_request(
            "maxConcurrentCreates is above the policy's.", field="maxConcurrentCreates"
        )
    check_room(world, machines=len(specs))
    idempotency_key = call.headers.get("idempotency-key")
    fleet = Fleet(
        id=fleet_id,
        key_id=call.key.id,
        created_ms=world.now_ms(),
        parent=parent,
        policy=policy,
        metadata=body.get("metadata", {}),
        concurrent_creates=concurrent,
        cleanup_on_failure=body.get("cleanupOnFailure", False),
        idempotency_key=idempotency_key,
        body_digest=body_digest(body),
    )
    world.fleets[fleet.id] = fleet
    if idempotency_key is not None:
        world.fleets_by_idempotency[idempotency_key] = fleet.id
    for spec in specs:
        add_machine(world, fleet, spec)
    world.touch(fleet)
    start_creates(world, fleet)
    call.entry.ids["fleetId"] = fleet.id
    return Answer({"fleet": view(world, fleet)}, status=201)


def list_fleets(call: Call) -> Answer:
    world = call.world
    limit, offset = read_page(call.query)
    parent_id = call.query.get("parentFleetId")
    fleets = [
        fleet
        for fleet in world.fleets.values()
        if fleet.status != "deleted"
        and (parent_id is None or (fleet.parent or {}).get("fleetId") == parent_id)
    ]
    page = fleets[offset : offset + limit]
    return Answer({"fleets": [view(world, fleet) for fleet in page], "total": len(fleets)})


def get(call: Call) -> Answer:
    return Answer({"fleet": view(call.world, find_fleet(call.world, call.params["fleetId"]))})


def delete(call: Call) -> Answer:
    """202 while a machine of the tree is left, 200 once none is, 404 after that (row 5)."""
    check_fields(call.body, where="body", fields={})
    world = call.world
    fleet = world.fleets.get(call.params["fleetId"])
    if fleet is None or (fleet.status == "deleted" and fleet.deletion_confirmed):
        raise not_found("fleet", call.params["fleetId"])
    if fleet.status != "deleted":
        _delete_tree(world, fleet)
    if fleet.status != "deleted":
        machines = [
            {"machineId": machine.machine_id, "outcome": _outcome(machine)}
            for machine in world.machines_of(fleet)
        ]
        body = {"fleetId": fleet.id, "status": "deleting", "machines": machines}
        return Answer(body, status=202)
    fleet.deletion_confirmed = True
    world.touch(fleet)
    return Answer({"fleetId": fleet.id, "status": "deleted"})


def _delete_tree(world: World, fleet: Fleet) -> None:
    for child in children_of(world, fleet):
        if child.status != "deleted":
            _delete_tree(world, child)
    fleet.status = "deleting"
    world.touch(fleet)
    for machine in world.machines_of(fleet):
        begin_delete(world, machine)
    finish_fleets(world, fleet)


def _outcome(machine: Machine) -> str:
    return "destroyed" if machine.status == "deleted" else "deleting"


def view(world: World, fleet: Fleet) -> dict[str, Any]:
    """The fleet object of contract 10, row 1."""
    return {
        "fleetId": fleet.id,
        "status": fleet.status,
        "parent": fleet.parent,
        "policy": fleet.policy,
        "metadata": fleet.metadata,
        "createdAt": iso(fleet.created_ms),
        "machines": [machine_view(machine) for machine in world.machines_of(fleet)],
    }


def machine_view(machine: Machine) -> dict[str, Any]:
    body = {
        "machineId": machine.machine_id,
        "sandboxId": machine.id,
        "role": machine.role,
        "status": machine.status,
        "resources": machine.resources,
        "metadata": machine.metadata,
    }
    if machine.error is not None:
        body["error"] = machine.error
    return body


def find_fleet(world: World, fleet_id: str) -> Fleet:
    """The fleet, 404 when it is not there or was deleted."""
    fleet = world.fleets.get(fleet_id)
    if fleet is None or fleet.status == "deleted":
        raise not_found("fleet", fleet_id)
    return fleet


def _replayed(call: Call) -> Fleet | None:
    """The fleet that this idempotency key made before; 409 for another body or a deleted one."""
    found = call.world.fleets_by_idempotency.get(call.headers.get("idempotency-key", ""))
    if found is None:
        return None
    fleet = call.world.fleets[found]
    call.entry.ids["fleetId"] = fleet.id
    if fleet.body_digest != body_digest(call.body):
        raise wrong_state("This idempotency key was used with another body.", current=fleet.status)
    if fleet.status == "deleted":
        raise wrong_state("The fleet of this idempotency key was deleted.", current="deleted")
    return fleet


def _new_id(world: World, body: dict[str, Any]) -> str:
    fleet_id: str = body.get("fleetId", f"fleet-{secrets.token_hex(6)}")
    if FLEET_ID.fullmatch(fleet_id) is None or fleet_id == "capabilities":
        raise bad_request("fleetId has a form that is not allowed.", field="fleetId")
    if fleet_id in world.fleets:
        raise wrong_state("A fleet of this id exists.", current=world.fleets[fleet_id].status)
    return fleet_id


def _parent(call: Call) -> dict[str, Any] | None:
    body = call.body.get("parent")
    if body is None:
        return None
    parent = find_fleet(call.world, body["fleetId"])
    if parent.status in ("deleting", "failed"):
        raise wrong_state("The parent fleet takes no children.", current=parent.status)
    above = call.world.ledger.keys[parent.key_id]
    if above.budget_nusd is not None and (
        call.key.id == above.id
        or call.key.budget_nusd is None
        or not is_related(call.world, call.key, to_id=above.id)
    ):
        raise forbidden("A child of a budgeted fleet needs a key minted from the parent's key.")
    return {"fleetId": parent.id, "agentId": body.get("agentId")}


def add_machine(world: World, fleet: Fleet, spec: MachineSpec) -> None:
    """Add a machine that is still to be created."""
    machine = make_machine(
        world,
        spec,
        sandbox_id=sandbox_id(world.config.seed, fleet.id, spec.machine_id),
        fleet_id=fleet.id,
        key_id=fleet.key_id,
    )
    fleet.machine_ids.append(machine.id)
