"""A jump of the clock in which everything that falls due happens, each thing at its moment."""

import asyncio

from emulator.world import World


async def advance(world: World, *, seconds: float) -> None:
    """Jump from one due moment to the next; requests are answered in between."""
    end_ms = world.now_ms() + int(seconds * 1000)
    while True:
        with world.lock:
            now_ms, due_ms = world.now_ms(), world.scheduler.next_due_ms()
            if due_ms is None or due_ms > end_ms:
                break
            if due_ms > now_ms:
                world.clock.advance((due_ms - now_ms) / 1000)
            world.scheduler.run_due()
        await asyncio.sleep(0)
    if world.now_ms() < end_ms:
        world.clock.advance((end_ms - world.now_ms()) / 1000)
