"""The kill matrix: who dies, what goes wrong at the platform meanwhile, all drawn from a seed.

Round `n` of a seed is always the same. Any thirty rounds in a row pair every process with every
family of faults once. The first ten already kill each process, use each family with two of its
faults and come at every kind of moment.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tests.integration.chaos.striking import LAUNCH, WORK, Moment, Strike, drawn_strike

JsonObject = dict[str, Any]

VICTIMS: Final = ("worker", "web", "emulator", "beat", "postgres", "follow")
_READS: Final = ("sessions.list", "sessions.events", "keys.read", "fleets.get")
_ANY: Final = ("*", "sessions.dispatch", *_READS, *LAUNCH)
# Struck so often, a turn's stream is whole at the last of its readings.
_MOST_STREAMS: Final = 2
# Where a kill can strike whom: what it does itself, or anything where it only stands by.
_PLACES: Final = {"follow": ("sessions.events", "sessions.dispatch"), "worker": (*WORK, *LAUNCH)}
_MOMENTS: Final = {
    "worker": tuple(Moment),
    "postgres": tuple(Moment),
    "web": (Moment.UNANSWERED, Moment.UNCOMMITTED),
    "follow": (Moment.UNANSWERED, Moment.HALF_WRITTEN),
}


@dataclass(frozen=True, slots=True)
class Round:
    """One fleet, one kill, one fault. `fault` is what the emulator's control is told."""

    number: int
    strike: Strike
    family: str
    fault: JsonObject
    empties_redis: bool
    form: dict[str, str]

    def __str__(self) -> str:
        strike = self.strike
        at = f"{strike.operation}+{strike.skip} {strike.moment.value}"
        fault = " ".join(f"{name}={value}" for name, value in self.fault.items())
        redis = ", Redis emptied" if self.empties_redis else ""
        return f"round {self.number}: {strike.victim} at {at} ({strike.fate.value}); {fault}{redis}"


def drawn_round(seed: int, number: int) -> Round:
    """Round `number` (from 0) of this seed."""
    rng = random.Random(f"{seed}:{number}")
    place_of_victim = number % len(VICTIMS)
    victim = VICTIMS[place_of_victim]
    family = tuple(_FAMILIES)[number % len(_FAMILIES)]
    kinds = _FAMILIES[family]
    moments = _MOMENTS.get(victim, (Moment.UNANSWERED,))
    # Not everybody's first kill comes at the same kind of moment.
    moment = moments[(number // len(VICTIMS) + place_of_victim + 1) % len(moments)]
    place = rng.choice(_PLACES.get(victim, WORK))
    agents = rng.randint(4, 6)
    return Round(
        number=number,
        strike=drawn_strike(rng, victim, moment, place),
        family=family,
        fault=kinds[number // len(_FAMILIES) % len(kinds)](rng),
        empties_redis=rng.random() < 0.2,
        form={
            "name": f"round-{seed}-{number}",
            "count": str(agents),
            "at_once": str(rng.randint(2, agents)),
            "prompt": f"[[ok]] [[slow {rng.choice((1, 2))}]] Review part {{index}}.",
            "idempotency_key": f"round-{seed}-{number}",
        },
    )


def _refused(rng: random.Random) -> JsonObject:
    return {"operation": rng.choice(_ANY), "kind": "rate_limit", "retryAfter": 1, "count": 2}


def _broken(rng: random.Random) -> JsonObject:
    status = rng.choice((500, 502, 503))
    return {"operation": rng.choice(_ANY), "kind": "error", "status": status, "count": 3}


def _reset(rng: random.Random) -> JsonObject:
    return {"operation": rng.choice(_ANY), "kind": "reset", "count": rng.randint(1, 3)}


def _cut(rng: random.Random) -> JsonObject:
    return {"operation": rng.choice(_ANY), "kind": "truncate", "count": rng.randint(1, 3)}


def _late(rng: random.Random) -> JsonObject:
    share = rng.choice((0.3, 1.0))
    wait_ms = rng.randint(200, 1200)
    return {"operation": "*", "kind": "latency", "latencyMs": wait_ms, "probability": share}


def _unheard(rng: random.Random) -> JsonObject:
    acts = ("sessions.dispatch", "sessions.dispatch", *LAUNCH)
    more = {"latencyMs": rng.randint(200, 1500), "count": rng.randint(1, 3)}
    return {"operation": rng.choice(acts), "kind": "timed_out_but_happened", **more}


def _stalled(rng: random.Random) -> JsonObject:
    more = {"afterEvents": rng.randint(0, 6), "count": rng.randint(1, _MOST_STREAMS)}
    return {"operation": "sessions.events", "kind": "stall_stream", **more}


def _short(rng: random.Random) -> JsonObject:
    more = {"afterBytes": rng.randint(0, 6_000), "count": rng.randint(1, _MOST_STREAMS)}
    return {"operation": "sessions.events", "kind": "truncate", **more}


def _frames(kind: str) -> Callable[[random.Random], JsonObject]:
    def drawn(rng: random.Random) -> JsonObject:
        count = _MOST_STREAMS if kind == "drop_event" else 6
        share = rng.choice((0.1, 0.3, 0.6))
        return {"operation": "sessions.events", "kind": kind, "share": share, "count": count}

    return drawn


_FAMILIES: Final[dict[str, tuple[Callable[[random.Random], JsonObject], ...]]] = {
    "refused": (_refused, _broken),
    "broken": (_reset, _cut),
    "late": (_unheard, _late),
    "streams": (_stalled, _short),
    "frames": (_frames("drop_event"), _frames("duplicate_event"), _frames("reorder_event")),
}
FAMILIES: Final = tuple(_FAMILIES)
