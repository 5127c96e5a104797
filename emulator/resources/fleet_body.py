"""Reading the body of a fleet create (contract 2.2, 4.2 and 10, row 1)."""

from typing import Any

from emulator.errors import bad_request
from emulator.money import to_nusd
from emulator.prices import compute_nusd_per_s
from emulator.resources.sandbox_body import SANDBOX, MachineSpec, read_machine
from emulator.resources.sandbox_fields import check_length
from emulator.strict import BOOL, INT, LIST, NUMBER, OBJECT, TEXT, check_fields, positive
from emulator.world import World

_FLEET = {
    "fleetId": TEXT,
    "machines": LIST,
    "coordinator": OBJECT,
    "defaults": OBJECT,
    "policy": OBJECT,
    "maxConcurrentCreates": INT,
    "parent": OBJECT,
    "cleanupOnFailure": BOOL,
    "metadata": OBJECT,
}
_POLICY = {
    "maxMachines": INT,
    "maxConcurrentCreates": INT,
    "maxSpendUsd": NUMBER,
    "maxLifetimeSeconds": INT,
    "allowAccelerators": BOOL,
}


def check_create(body: dict[str, Any]) -> None:
    """400 for anything but the fields of row 1, or for one of a wrong type."""
    check_fields(body, where="body", fields=_FLEET)
    check_fields(body.get("defaults", {}), where="defaults", fields=SANDBOX)
    check_fields(body.get("policy", {}), where="policy", fields=_POLICY)
    numbers = ("maxMachines", "maxConcurrentCreates", "maxLifetimeSeconds", "maxSpendUsd")
    positive(body.get("policy", {}), where="policy", names=numbers)
    positive(body, where="body", names=("maxConcurrentCreates",))
    if "parent" in body:
        fields = {"fleetId": TEXT, "agentId": TEXT}
        check_fields(body["parent"], where="parent", fields=fields, required=("fleetId",))
    if not body.get("machines") and "coordinator" not in body:
        raise bad_request("A fleet needs at least one machine.", field="machines")
    check_length(body)


def read_machines(world: World, body: dict[str, Any]) -> list[MachineSpec]:
    """All machines, the coordinator first; refuses doubles and what the policy forbids."""
    entries = [("worker", entry) for entry in body.get("machines", [])]
    if "coordinator" in body:
        entries.insert(0, ("coordinator", body["coordinator"]))
    specs = [
        _read(world, entry, role=role, body=body, where=f"machines[{index}]")
        for index, (role, entry) in enumerate(entries)
    ]
    if len({spec.machine_id for spec in specs}) < len(specs):
        raise bad_request("Two machines have the same machineId.", field="machines")
    _check_policy(body.get("policy", {}), specs)
    return specs


def _read(world: World, entry: Any, *, role: str, body: dict[str, Any], where: str) -> MachineSpec:
    if not isinstance(entry, dict):
        raise bad_request(f"{where} must be an object.", field=where)
    fields = {**SANDBOX, "machineId": TEXT}
    check_fields(entry, where=where, fields=fields, required=("machineId",))
    wanted = {**body.get("defaults", {}), **entry}
    longest_s = body.get("policy", {}).get("maxLifetimeSeconds")
    return read_machine(world, wanted, role=role, longest_s=longest_s, where=where)


def _check_policy(policy: dict[str, Any], specs: list[MachineSpec]) -> None:
    if len(specs) > policy.get("maxMachines", len(specs)):
        raise bad_request("More machines than policy.maxMachines.", field="machines")
    if not policy.get("allowAccelerators", False):
        for spec in specs:
            if "accelerator" in spec.resources:
                raise bad_request("The policy allows no accelerators.", field="resources")
    if "maxSpendUsd" in policy:
        # Contract 4.2: refused when the worst case over the lifetime costs more.
        most = sum(compute_nusd_per_s(spec.resources) * spec.lifetime_s for spec in specs)
        if most > (to_nusd(policy["maxSpendUsd"]) or 0):
            raise bad_request(
                "The machines may cost more over their lifetime than policy.maxSpendUsd.",
                field="policy.maxSpendUsd",
            )
