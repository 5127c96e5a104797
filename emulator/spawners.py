"""Processes that an agent leaves behind in its machine: they know the fleet's key (contract 11).

An interrupt ends the agent's turn and not them; only the key, or the end of the machine, does.
"""

from emulator.entities import Execution, Spawner
from emulator.world import World

EVERY_MS = 2_000


def start_spawner(world: World, execution: Execution, *, children: int) -> None:
    """Leave one behind; its first round comes at once."""
    machine = world.machines[execution.sandbox_id]
    spawner = Spawner(
        id=f"spawner-{execution.id.removeprefix('exec-')}",
        execution_id=execution.id,
        sandbox_id=execution.sandbox_id,
        session_id=execution.session_id,
        fleet_id=machine.fleet_id,
        key_id=execution.key_id,
        model=execution.model,
        output_limit=execution.output_limit,
        children=children if machine.fleet_id else 0,
        every_ms=max(1, round(EVERY_MS * execution.time_factor)),
        due_ms=world.now_ms(),
    )
    world.spawners[spawner.id] = spawner
    world.touch(spawner)
    world.scheduler.at(spawner.due_ms, kind="spawner", entity_id=spawner.id)
