"""How long a stream may be quiet before it says that it is still there."""

import asyncio

from emulator.world import World

KEEP_ALIVE_S = 15.0


async def frame_or_quiet(world: World, signal: asyncio.Event) -> bool:
    """True once there may be something to send, False when it is time for a keep-alive."""
    try:
        async with asyncio.timeout(KEEP_ALIVE_S):
            await signal.wait()
    except TimeoutError:
        return world.stopping.is_set()
    return True
