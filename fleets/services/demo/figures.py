"""Tokens and money of one turn, drawn for it alone: two fillings give the same figures."""

import hashlib
import random
from dataclasses import dataclass

from fleets.domain.prices import model_price


@dataclass(frozen=True, slots=True)
class Figures:
    """What a turn used. Money in nanodollars, None where its model has no price."""

    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reasoning_tokens: int
    cost_nusd: int | None


def draw(*parts: object) -> random.Random:
    """A generator that depends on what it is for, never on order."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()
    return random.Random(int(digest[:16], 16))


def hex_of(*parts: object, digits: int) -> str:
    """Hex digits that name exactly these parts."""
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:digits]


def figures_of(model: str, dice: random.Random) -> Figures:
    """A turn of three to nine calls, each re-reading most of its conversation from the cache."""
    calls = dice.randint(3, 9)
    fresh = sum(dice.randint(900, 4_200) for _ in range(calls))
    cached = sum(dice.randint(2_000, 11_000) for _ in range(calls - 1))
    output = sum(dice.randint(60, 520) for _ in range(calls))
    reasoning = dice.randint(0, 900)
    price = model_price(model)
    cost = None
    if price is not None:
        cost = price.cost_nusd(
            fresh_tokens=fresh,
            cached_tokens=cached,
            output_tokens=output,
            reasoning_tokens=reasoning,
        )
    return Figures(fresh + cached, cached, output + reasoning, reasoning, cost)
