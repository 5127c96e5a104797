"""Reading what a sandbox should be (contract 2.2): alone, or as a machine of a fleet."""

from dataclasses import dataclass
from typing import Any

from emulator.errors import bad_request
from emulator.journal import mask
from emulator.money import dumps
from emulator.prices import PRESETS
from emulator.resources.backend_body import check_backend
from emulator.strict import ANY, BOOL, INT, LIST, NUMBER, OBJECT, TEXT, check_fields, positive

DEFAULT_LIFETIME_S = 86_400
DEFAULT_IDLE_S = 3_600
LONGEST_BODY = 240_000
LONGEST_METADATA = 64 * 1024
LONGEST_ENV_VALUE = 120_000

SANDBOX = {
    "name": TEXT,
    "environment": TEXT,
    "resources": OBJECT,
    "env": OBJECT,
    "git": OBJECT,
    "backend": OBJECT,
    "maxLifetimeSeconds": INT,
    "idleTimeoutSeconds": INT,
    "deleteAfterStoppedSeconds": INT,
    "metadata": OBJECT,
    "secrets": ANY,
    "egressPolicy": OBJECT,
    "ownerContext": TEXT,
    "capabilities": LIST,
    "fromSnapshot": TEXT,
    "fromSandboxId": TEXT,
    "storage": OBJECT,
    "driver": OBJECT,
    "publicTemplateId": TEXT,
    "sshEnabled": BOOL,
    "sshPublicKey": TEXT,
    "webTerminalEnabled": BOOL,
    "bare": BOOL,
    "teamId": TEXT,
    "billingOwnerId": TEXT,
    "permissions": OBJECT,
    "tools": ANY,
    "agent": BOOL,
    "confidential": OBJECT,
}
_RESOURCES = {"cpuCores": NUMBER, "memoryMB": INT, "diskGB": INT, "accelerator": OBJECT}


@dataclass(frozen=True, slots=True)
class MachineSpec:
    """One machine to make: for a fleet its entry over the defaults."""

    machine_id: str
    role: str
    name: str
    resources: dict[str, Any]
    metadata: dict[str, Any]
    backend: dict[str, Any] | None
    lifetime_s: int
    idle_s: int
    env: dict[str, str]


def read_machine(
    wanted: dict[str, Any], *, role: str, longest_s: int | None, where: str
) -> MachineSpec:
    """The machine that was asked for; the fields' names and types are checked already."""
    resources = wanted.get("resources", PRESETS["small"])
    check_fields(resources, where="resources", fields=_RESOURCES, required=("cpuCores", "memoryMB"))
    positive(resources, where="resources", names=("cpuCores", "memoryMB", "diskGB"))
    times = ("maxLifetimeSeconds", "idleTimeoutSeconds", "deleteAfterStoppedSeconds")
    positive(wanted, where=where, names=times)
    if "backend" in wanted:
        check_backend(wanted["backend"], where=f"{where}.backend")
    metadata = wanted.get("metadata", {})
    if len(dumps(metadata)) > LONGEST_METADATA:
        raise bad_request(f"{where}.metadata is above 64 KiB.", field=f"{where}.metadata")
    lifetime_s = wanted.get("maxLifetimeSeconds", DEFAULT_LIFETIME_S)
    machine_id = wanted.get("machineId", "")
    return MachineSpec(
        machine_id=machine_id,
        role=role,
        name=str(wanted.get("name", machine_id)),
        resources=resources,
        metadata=metadata,
        backend=wanted.get("backend"),
        lifetime_s=min(lifetime_s, longest_s or lifetime_s),
        idle_s=wanted.get("idleTimeoutSeconds", DEFAULT_IDLE_S),
        env=_env(wanted.get("env", {}), where=f"{where}.env"),
    )


def _env(env: dict[str, Any], *, where: str) -> dict[str, str]:
    """The variables; what looks like a key is not kept in full."""
    check_fields(env, where=where, fields=dict.fromkeys(env, TEXT))
    if any(len(value) > LONGEST_ENV_VALUE for value in env.values()):
        raise bad_request(f"A value of {where} is above 120 KB.", field=where)
    return {name: mask(value) for name, value in env.items()}
