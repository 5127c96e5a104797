"""`rpmLimit`: model calls a minute of a key, its children's among them (contract 5)."""

from collections import deque

from emulator.entities import Key
from emulator.world import World

WINDOW_MS = 60_000


def take_turn(world: World, key: Key) -> int | None:
    """Count a call that begins now; when a limit is reached, the ms to wait and nothing counted."""
    now_ms = world.now_ms()
    limited = [one for one in world.ledger.chain(key) if one.rpm_limit is not None]
    wait_ms = max((_wait_ms(world, one, now_ms=now_ms) for one in limited), default=0)
    if wait_ms:
        return wait_ms
    for one in limited:
        world.calls_by_key[one.id].append(now_ms)
    return None


def _wait_ms(world: World, key: Key, *, now_ms: int) -> int:
    begun = world.calls_by_key.setdefault(key.id, deque())
    while begun and begun[0] <= now_ms - WINDOW_MS:
        begun.popleft()
    limit = key.rpm_limit or 0
    if limit <= 0:
        return WINDOW_MS
    return 0 if len(begun) < limit else begun[len(begun) - limit] + WINDOW_MS - now_ms
