"""Calls that come to the router by themselves: held, answered after a while, settled."""

from emulator.ids import rng_for
from emulator.kept import RouterCall
from emulator.world import World

TAKES_MS = (700, 2_500)


def begin_call(
    world: World, *, call_id: str, key_id: str, held_nusd: int, cost_nusd: int
) -> RouterCall:
    """Hold the worst case (402 when it does not fit); it settles when the call is due."""
    now_ms = world.now_ms()
    key = world.ledger.keys[key_id]
    world.ledger.hold(key, amount=held_nusd, ref=call_id, now_ms=now_ms)
    takes_ms = rng_for(world.config.seed, "router", call_id).randint(*TAKES_MS)
    due_ms = now_ms + max(1, round(takes_ms * world.dials.turn_time_factor))
    call = RouterCall(call_id, key_id, held_nusd, now_ms, cost_nusd, due_ms)
    world.router_calls[call.id] = call
    world.touch(call)
    world.scheduler.at(due_ms, kind="router", entity_id=call.id)
    return call


def call_due(world: World, call_id: str) -> None:
    """The scheduler's call: charge what it really cost."""
    call = world.router_calls.pop(call_id, None)
    if call is None:
        return
    call.is_settled = True
    world.ledger.settle(
        world.ledger.keys[call.key_id],
        held=call.held_nusd,
        actual=min(call.cost_nusd, call.held_nusd),
        ref=call.id,
        held_ms=call.held_ms,
        now_ms=world.now_ms(),
    )
    world.touch(call)
    world.wake_readers(call.id)
