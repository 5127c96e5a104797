"""Model calls through the router: refused, held at their worst case, settled (contract 5)."""

from typing import NamedTuple

from emulator.call_rates import take_turn
from emulator.entities import Execution, Key
from emulator.errors import ApiError
from emulator.ids import rng_for
from emulator.prices import call_cost_nusd, find_model, worst_case_nusd
from emulator.scripts import CallPlan
from emulator.world import World


class Refusal(NamedTuple):
    """Why the router did not make the call; `code` becomes the turn's errorCode.

    With `wait_ms` the harness asks again after that time instead of failing.
    """

    code: str
    message: str
    wait_ms: int | None = None


def begin(world: World, execution: Execution, *, call: CallPlan, index: int) -> Refusal | None:
    """Hold the call's worst case; a refusal when it may not or does not fit."""
    key = world.ledger.keys[execution.key_id]
    asked = execution.asked_model or execution.model
    refusal = not_servable(world, key, model=execution.model, asked=asked)
    price = find_model(execution.model)
    if refusal is not None or price is None:
        return refusal
    if is_unservable(world, asked, draw=f"{execution.session_id} {execution.turn_id} {index}"):
        return _unserved(asked)
    wait_ms = take_turn(world, key)
    if wait_ms is not None:
        return Refusal("RATE_LIMITED", "The key's rpmLimit is reached.", wait_ms)
    now_ms = world.now_ms()
    amount = worst_case_nusd(
        price, input_tokens=call.input_tokens, output_limit=execution.output_limit
    )
    execution.call = index
    try:
        world.ledger.hold(key, amount=amount, ref=f"{execution.id}:{index}", now_ms=now_ms)
    except ApiError as error:
        return Refusal("budget_exceeded", error.body["error"]["message"])
    execution.held_nusd, execution.held_ms = amount, now_ms
    return None


def settle(world: World, execution: Execution, *, call: CallPlan) -> None:
    """Charge the call in flight in full, whenever and however it ends."""
    price = find_model(execution.model)
    if price is None or execution.held_nusd is None or execution.held_ms is None:
        return
    fresh = call.input_tokens - call.cached_tokens
    cost = call_cost_nusd(price, fresh=fresh, cached=call.cached_tokens, output=call.output_tokens)
    # A profile may limit the output below what the script would have said.
    cost = min(cost, execution.held_nusd)
    world.ledger.settle(
        world.ledger.keys[execution.key_id],
        held=execution.held_nusd,
        actual=cost,
        ref=f"{execution.id}:{execution.call}",
        held_ms=execution.held_ms,
        now_ms=world.now_ms(),
    )
    execution.held_nusd = execution.held_ms = None
    execution.cost_nusd += cost
    execution.fresh_tokens += fresh
    execution.cached_tokens += call.cached_tokens
    execution.output_tokens += call.output_tokens
    execution.reasoning_tokens += call.reasoning_tokens
    world.touch(execution)


def not_servable(world: World, key: Key, *, model: str, asked: str | None = None) -> Refusal | None:
    """What the router looks at before money; `asked` is the model that was asked for."""
    asked = asked or model
    if any(one.revoked_ms is not None for one in world.ledger.chain(key)):
        return Refusal("UNAUTHORIZED", "The key was revoked.")
    if key.expires_ms is not None and key.expires_ms <= world.now_ms():
        return Refusal("UNAUTHORIZED", "The key has expired.")
    if key.product not in (None, "router"):
        return Refusal("FORBIDDEN", f"The key is for {key.product}, not for router.")
    if key.allowed_models is not None and asked not in key.allowed_models:
        return Refusal("MODEL_NOT_ALLOWED", f"The key does not allow {asked}.")
    return None if find_model(model) is not None else _unserved(asked)


def is_unservable(world: World, asked: str, *, draw: str) -> bool:
    """True when dial `unservable_models` says that this call meets a 503."""
    share = world.dials.unservable_models.get(asked, 0.0)
    return share > 0 and rng_for(world.config.seed, "unservable", asked, draw).random() < share


def _unserved(asked: str) -> Refusal:
    return Refusal("provider_inference_unavailable", f"503: no provider serves {asked}.")
