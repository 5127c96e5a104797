"""Everything that happens later, by the kind that the scheduler knows it by."""

from collections.abc import Callable

from emulator.batches import batch_due, cancel_batch
from emulator.lifecycle import machine_due
from emulator.resources.dispatch import stop_attached
from emulator.router import call_due
from emulator.spawning import spawner_due
from emulator.turns import turn_due
from emulator.world import World


def handlers_of(world: World) -> dict[str, Callable[[str], None]]:
    """What the scheduler calls, each with the id of its thing."""
    return {
        "turn": lambda found: turn_due(world, found),
        "machine": lambda found: machine_due(world, found),
        "spawner": lambda found: spawner_due(world, found),
        "batch": lambda found: batch_due(world, found),
        "leave": lambda found: cancel_batch(world, world.batches[found]),
        "router": lambda found: call_due(world, found),
        "events": lambda found: _forget_events(world, found),
        "wake": world.wake_readers,
        "drop": lambda found: stop_attached(world, world.executions[found]),
    }


def _forget_events(world: World, execution_id: str) -> None:
    if execution_id in world.executions:
        world.prune_events(execution_id)
        if not world.events.get(execution_id):
            world.events.pop(execution_id, None)
