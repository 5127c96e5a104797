"""Turns that will fail for a reason outside their script: decided when they are admitted."""

from emulator.entities import Execution, Machine
from emulator.harnesses import HARNESSES
from emulator.ids import rng_for
from emulator.memory import KILLED
from emulator.world import World

HARNESS_FAILED = ("HARNESS_START_FAILED", "The harness ended with code 1 before its first call.")
DOOMS = {
    "harness": HARNESS_FAILED,
    "credential": (
        "MODEL_CREDENTIAL_SUPERSEDED",
        "Another first turn on this cold sandbox took the model credential.",
    ),
    "out_of_memory": KILLED,
    "mismatch": (
        "HARNESS_MODEL_MISMATCH",
        "The harness runs models of one provider only, and this one is another's.",
    ),
}


def doom_of(world: World, execution: Execution, machine: Machine) -> str | None:
    """The turn's doom, None for almost all."""
    if _loses_credential(world, execution, machine):
        return "credential"
    harness = HARNESSES.get(execution.harness)
    lock = None if harness is None else harness.provider
    if world.dials.provider_locks and lock not in (None, execution.provider):
        return "mismatch"
    share = world.dials.failing_harnesses.get(execution.harness, 0.0)
    rng = rng_for(world.config.seed, "harness", execution.session_id, execution.turn_id)
    return "harness" if rng.random() < share else None


def _loses_credential(world: World, execution: Execution, machine: Machine) -> bool:
    """On a cold machine one first turn wins (contract 3.3); it is warm from row 25's moment on."""
    if not world.dials.cold_start_race or machine.warm:
        return False
    first = world.executions.get(machine.first_execution_id or "")
    if first is not None and first.status == "running":
        return True
    machine.first_execution_id = execution.id
    return False
