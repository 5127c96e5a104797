"""The model router, OpenAI-compatible (contract 1.2, 5): what may be called, and one call.

What processes inside machines speak to; a refusal has the router's own body.
"""

import secrets
from typing import Any

from emulator.auth import requests_left
from emulator.call_rates import take_turn
from emulator.calls import Answer, Call, LateAnswer, until
from emulator.errors import ApiError, forbidden, not_supported
from emulator.ids import rng_for
from emulator.modelcalls import is_unservable, not_servable
from emulator.money import usd_text
from emulator.prices import MODELS, ModelPrice, call_cost_nusd, find_model, worst_case_nusd
from emulator.resources.backend_body import served_model
from emulator.router import begin_call
from emulator.shapes import anything, closed, flag, from_up, listed, number, open_object, text
from emulator.strict import NUMBER

JsonObject = dict[str, Any]
CHARACTERS_PER_TOKEN = 4
_SHAPE = closed(
    {
        "model": text,
        "messages": listed(open_object, least=1),
        "max_tokens": from_up(1),
        "max_completion_tokens": from_up(1),
        "temperature": from_up(0, of=NUMBER),
        "top_p": number,
        "stop": anything,
        "seed": anything,
        "user": text,
        "metadata": open_object,
        "tools": listed(open_object),
        "tool_choice": anything,
        "response_format": open_object,
        "reasoning_effort": text,
        "stream": flag,
    },
    required=("model", "messages"),
)


def models(_call: Call) -> Answer:
    rows = [
        {"id": name, "object": "model", "owned_by": price.provider}
        for name, price in MODELS.items()
        if "/" in name
    ]
    return Answer({"object": "list", "data": rows})


def chat(call: Call) -> LateAnswer:
    """One call: held at its worst case, settled at its cost when it answers."""
    world, body = call.world, call.body
    _SHAPE(body, "body")
    if body.get("stream", False):
        raise not_supported("Streamed router calls are left out of the emulator.")
    asked = body["model"]
    served = served_model(world, asked)
    refusal = not_servable(world, call.key, model=served, asked=asked)
    price = find_model(served)
    call_id = f"gen-{secrets.token_hex(12)}"
    if price is None or is_unservable(world, asked, draw=call_id):
        raise _refused(503, f"No provider serves {asked}.", code="model_unavailable")
    if refusal is not None:
        raise forbidden(refusal.message)
    wait_ms = take_turn(world, call.key)
    if wait_ms is not None:
        raise _too_fast(wait_ms)
    tokens = _tokens(body, price, draw=call_id)
    held = worst_case_nusd(price, input_tokens=tokens[0], output_limit=_limit(body))
    cost = call_cost_nusd(price, fresh=tokens[0], cached=0, output=tokens[1])
    try:
        begun = begin_call(
            world, call_id=call_id, key_id=call.key.id, held_nusd=held, cost_nusd=cost
        )
    except ApiError as error:
        # Contract 1.2: what it would have taken, in millionths of a dollar.
        error.headers |= {
            "X-Payment-Required": str(-(-held // 1000)),
            "X-Payment-Currency": "USD",
            "X-Payment-Methods": "credits",
        }
        raise
    answer = Answer(
        _completion(call_id, served, tokens, at_ms=world.now_ms()),
        headers=_headers(call, price, call_id=call_id, asked=asked, served=served),
    )

    async def wait() -> Answer:
        await until(world, call_id, is_done=lambda: begun.is_settled)
        return answer

    return LateAnswer(wait)


def _tokens(body: JsonObject, price: ModelPrice, *, draw: str) -> tuple[int, int]:
    """Input by the length of what was sent; output drawn, never above the limit."""
    length = sum(len(str(message.get("content", ""))) for message in body["messages"])
    limit = min(_limit(body) or price.largest_output, price.largest_output)
    drawn = rng_for("router", draw).randint(40, 400)
    return max(1, length // CHARACTERS_PER_TOKEN), min(drawn, limit)


def _limit(body: JsonObject) -> int | None:
    found: int | None = body.get("max_completion_tokens", body.get("max_tokens"))
    return found


def _completion(call_id: str, model: str, tokens: tuple[int, int], *, at_ms: int) -> JsonObject:
    message = {"role": "assistant", "content": "The emulator answers; no model was called."}
    return {
        "id": call_id,
        "object": "chat.completion",
        "created": at_ms // 1000,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
        },
    }


def _headers(
    call: Call, price: ModelPrice, *, call_id: str, asked: str, served: str
) -> dict[str, str]:
    found = {
        "X-Generation-Id": call_id,
        "X-Tangle-Price-Input": usd_text(price.input_nusd * 1_000_000),
        "X-Tangle-Price-Output": usd_text(price.output_nusd * 1_000_000),
        "X-Tangle-Cache": "miss",
    }
    if find_model(asked) != price:
        found |= {"X-Tangle-Served-Model": served, "X-Tangle-Failover": "true"}
    limit, left, reset_s = requests_left(call.world)
    if limit:
        found |= {
            "X-RateLimit-Limit": str(limit),
            "X-RateLimit-Remaining": str(left),
            "X-RateLimit-Reset": str(reset_s),
        }
    return found


def _refused(status: int, message: str, *, code: str) -> ApiError:
    return ApiError(status, {"error": {"message": message, "type": "api_error", "code": code}})


def _too_fast(wait_ms: int) -> ApiError:
    error = _refused(429, "The key's rpmLimit is reached.", code="rate_limit_exceeded")
    error.headers["Retry-After"] = str(-(-wait_ms // 1000))
    return error
