"""Memory of machines: what each agent takes, and who dies when there is none left (contract 4.4).

Measured: an idle sandbox about 180 MiB, an OpenCode agent 450-570 MiB, and 12 agents in 4 GiB lost
4. Ours: the draw between the two ends, the tenth that the kernel gets back before it kills, and
that it kills the agent which came last.
"""

from emulator.entities import Execution
from emulator.harnesses import HARNESSES
from emulator.ids import rng_for
from emulator.turn_ends import fail
from emulator.world import World

IDLE_MIB = 180
HEAVY_MIB = (450, 570)
LIGHT_MIB = (120, 180)
RECLAIMED_PERCENT = 10
KILLED = ("OUT_OF_MEMORY", "The kernel killed the agent: the sandbox had no memory left.")


def needed_mib(world: World, execution: Execution) -> int:
    """What the session's agent takes: drawn once per session, most often near the middle."""
    harness = HARNESSES.get(execution.harness)
    low, high = HEAVY_MIB if harness is None or harness.is_heavy else LIGHT_MIB
    rng = rng_for(world.config.seed, "memory", execution.session_id)
    third = (high - low) // 3
    return low + sum(rng.randint(0, third) for _ in range(3))


def used_mib(world: World, sandbox_id: str) -> int:
    """What the machine's running agents leave no room for, the idle machine included."""
    running = [
        world.sessions[one].active_execution_id
        for one in world.sessions_by_machine.get(sandbox_id, [])
    ]
    agents = sum(world.executions[one].memory_mib for one in running if one is not None)
    return IDLE_MIB + agents * (100 - RECLAIMED_PERCENT) // 100


def kill_one(world: World, sandbox_id: str, *, session_id: str | None) -> None:
    """Kill the agent that runs in the session, or the largest one of the machine."""
    running = [
        world.executions[active]
        for one in world.sessions_by_machine.get(sandbox_id, [])
        if (active := world.sessions[one].active_execution_id) is not None
        and session_id in (None, world.sessions[one].session_id)
    ]
    if running:
        victim = max(running, key=lambda one: (one.memory_mib, one.id))
        fail(world, victim, code=KILLED[0], message=KILLED[1])


def take(world: World, execution: Execution) -> bool:
    """Give the agent its memory; False when the machine has not that much left."""
    machine = world.machines[execution.sandbox_id]
    execution.memory_mib = needed_mib(world, execution)
    world.touch(execution)
    if not world.dials.memory_model:
        return True
    return used_mib(world, machine.id) <= int(machine.resources["memoryMB"])
