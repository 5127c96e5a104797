"""Reading what a sandbox should be (contract 2.2): alone, or as a machine of a fleet."""

from dataclasses import dataclass
from typing import Any

from emulator.entities import Machine
from emulator.journal import mask
from emulator.money import dumps, loads
from emulator.prices import PRESETS
from emulator.resources.backend_body import check_backend
from emulator.resources.sandbox_fields import CHECKS, check_sandbox, read_resources
from emulator.shell import WORKSPACE
from emulator.strict import ANY
from emulator.world import World

DEFAULT_LIFETIME_S = 86_400
DEFAULT_IDLE_S = 3_600
SANDBOX = dict.fromkeys(CHECKS, ANY)
# What a machine keeps of its create beside what has a place of its own.
_KEPT = (
    "environment", "image", "egressPolicy", "ownerContext", "capabilities", "driver",
    "publicTemplateId", "deleteAfterStoppedSeconds", "agent", "bare", "secrets",
)  # fmt: skip


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
    files: dict[str, str]
    wanted: dict[str, Any]


def read_machine(
    world: World,
    wanted: dict[str, Any],
    *,
    role: str,
    longest_s: int | None,
    where: str,
    may_hold_keys: bool = False,
) -> MachineSpec:
    """The machine that was asked for; the fields' names are checked already.

    `may_hold_keys`: a model's raw key is accepted in `backend` (never for a fleet's machine).
    """
    check_sandbox(world, wanted, where=where)
    if "backend" in wanted:
        check_backend(wanted["backend"], where=f"{where}.backend", may_hold_keys=may_hold_keys)
    resources = read_resources(wanted, default=PRESETS["small"])
    lifetime_s = wanted.get("maxLifetimeSeconds", DEFAULT_LIFETIME_S)
    machine_id = wanted.get("machineId", "")
    return MachineSpec(
        machine_id=machine_id,
        role=role,
        name=str(wanted.get("name", machine_id)),
        resources=resources,
        metadata=wanted.get("metadata", {}),
        backend=_backend(wanted),
        lifetime_s=min(lifetime_s, longest_s or lifetime_s),
        idle_s=wanted.get("idleTimeoutSeconds", DEFAULT_IDLE_S),
        env=_env(world, wanted),
        files=_files(wanted),
        wanted={name: wanted[name] for name in _KEPT if name in wanted},
    )


def make_machine(
    world: World, spec: MachineSpec, *, sandbox_id: str, fleet_id: str, key_id: str
) -> Machine:
    """A machine that is still to be created, put into the world."""
    machine = Machine(
        id=sandbox_id,
        fleet_id=fleet_id,
        machine_id=spec.machine_id or sandbox_id,
        role=spec.role,
        name=spec.name or sandbox_id,
        resources=spec.resources,
        metadata=spec.metadata,
        backend=spec.backend,
        lifetime_s=spec.lifetime_s,
        idle_s=spec.idle_s,
        created_ms=world.now_ms(),
        key_id=key_id,
        env=spec.env,
        files=spec.files,
        wanted=spec.wanted,
    )
    world.machines[machine.id] = machine
    world.touch(machine)
    return machine


def _backend(wanted: dict[str, Any]) -> dict[str, Any] | None:
    """As it was asked for, without any key in full."""
    if "backend" not in wanted:
        return None
    kept: dict[str, Any] = loads(mask(dumps(wanted["backend"])))
    return kept


def _env(world: World, wanted: dict[str, Any]) -> dict[str, str]:
    """Its secrets by their names, then its variables; what looks like a key is not kept in full."""
    names = wanted.get("secrets", [])
    if names == "all":
        names = [one.id for one in world.secrets.values() if not one.is_deleted]
    secret = {name: world.secrets[name].value for name in names}
    plain = {name: mask(value) for name, value in wanted.get("env", {}).items()}
    return {**secret, **plain}


def _files(wanted: dict[str, Any]) -> dict[str, str]:
    """What a clone leaves to be seen; its token is not kept."""
    git = wanted.get("git")
    if git is None:
        return {}
    head = git.get("ref") or "main"
    return {
        f"{WORKSPACE}/.git/HEAD": f"ref: refs/heads/{head}\n",
        f"{WORKSPACE}/.git/config": f'[remote "origin"]\n\turl = {mask(git["url"])}\n',
    }
