"""What the processes tell of themselves, for the health page and the metrics: kept in Redis.

Signs of life are written every few seconds and forgotten after an hour; calls to the platform are
counted in memory and added up every two seconds. A Redis that is away costs figures, never work.
"""

import json
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import redis
import structlog
from django.conf import settings

# What every reader below raises while Redis is away.
Away = redis.RedisError

log = structlog.get_logger(__name__)

SIGN_S: Final = 5.0
FLUSH_S: Final = 2.0
FORGET_S: Final = 3_600
WINDOW_MIN: Final = 5
# Upper bounds of the buckets in seconds; what takes longer is in the last one, without a bound.
BOUNDS_S: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

_SIGNS: Final = "fleetdash:pulse:signs"
_TOTALS: Final = "fleetdash:pulse:totals"
_MINUTE: Final = "fleetdash:pulse:minute:{}:{}"
_LAST: Final = "fleetdash:pulse:last:{}"
_TIMEOUT_S: Final = 1.0
_REST_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Sign:
    """A process's last word. `age_s` is how long ago; `facts` what it said."""

    kind: str
    name: str
    age_s: float
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One call to the platform as it went. `outcome` is `ok` or the name of the error; `words`
    are there when the platform gave no usable answer: a refusal is one.
    """

    connection: str
    operation: str
    outcome: str
    duration_s: float
    words: str = ""


@dataclass(frozen=True, slots=True)
class Lately:
    """A connection's last minutes. Counts by outcome; `buckets` as `BOUNDS_S` and one more."""

    outcomes: Mapping[str, int]
    buckets: tuple[int, ...]
    ok_age_s: float | None
    error_age_s: float | None
    error: str


@dataclass
class _Book:
    """What this process has counted and not yet written."""

    totals: Counter[str] = field(default_factory=Counter)
    minutes: dict[str, Counter[str]] = field(default_factory=dict)
    last: dict[str, dict[str, str]] = field(default_factory=dict)
    flushed_at: float = 0.0
    rests_until: float = 0.0

    def take(self) -> tuple[Counter[str], dict[str, Counter[str]], dict[str, dict[str, str]]]:
        taken = (self.totals, self.minutes, self.last)
        self.totals, self.minutes, self.last = Counter(), {}, {}
        return taken


_book = _Book()
_signed: dict[str, float] = {}


@cache
def connection() -> redis.Redis:
    """The process's own connection pool."""
    return redis.Redis.from_url(
        settings.REDIS_URL,
        protocol=2,
        socket_timeout=_TIMEOUT_S,
        socket_connect_timeout=_TIMEOUT_S,
    )


def sign(kind: str, name: str, **facts: Any) -> None:
    """Say that a process lives, at most every `SIGN_S` seconds; more often it costs nothing."""
    now = time.monotonic()
    key = f"{kind} {name}"
    if now < _signed.get(key, 0.0):
        return
    _signed[key] = now + SIGN_S
    said = json.dumps({"at": time.time(), **facts})
    try:
        connection().hset(_SIGNS, key, said)
    except redis.RedisError as error:
        log.warning("pulse.sign_failed", error=str(error))


def signs() -> list[Sign]:
    """Every process's last word of the last hour. Raises `Away`."""
    now = time.time()
    found: list[Sign] = []
    kept: Any = connection().hgetall(_SIGNS)
    for key, said in kept.items():
        facts = json.loads(said)
        age_s = max(0.0, now - facts.pop("at"))
        if age_s > FORGET_S:
            connection().hdel(_SIGNS, key)
            continue
        kind, _, name = key.decode().partition(" ")
        found.append(Sign(kind, name, age_s, facts))
    return sorted(found, key=lambda one: (one.kind, one.name))


def count_call(call: Call) -> None:
    """Count one call to the platform; written within two seconds, or by `flush`."""
    bucket = bisect_left(BOUNDS_S, call.duration_s)
    _book.totals[f"call|{call.operation}|{call.outcome}"] += 1
    minute = _MINUTE.format(call.connection, int(time.time() // 60))
    counted = _book.minutes.setdefault(minute, Counter())
    counted[f"outcome|{call.outcome}"] += 1
    counted[f"bucket|{bucket}"] += 1
    last = _book.last.setdefault(_LAST.format(call.connection), {})
    if call.words:
        last["error_at"], last["error"] = str(time.time()), call.words[:300]
    else:
        last["ok_at"] = str(time.time())
    _flush_if_due()


def observe(name: str, seconds: float) -> None:
    """Count how long something took (`tick`), for a histogram."""
    _book.totals[f"seconds|{name}|{bisect_left(BOUNDS_S, seconds)}"] += 1
    _book.totals[f"micros|{name}"] += round(seconds * 1e6)
    _flush_if_due()


def _flush_if_due() -> None:
    if time.monotonic() - _book.flushed_at >= FLUSH_S:
        flush()


def flush() -> None:
    """Write what was counted. After a failure the counts wait, and Redis has a rest."""
    now = time.monotonic()
    if now < _book.rests_until or not (_book.totals or _book.minutes):
        return
    _book.flushed_at = now
    totals, minutes, last = _book.take()
    try:
        pipe = connection().pipeline(transaction=False)
        for name, count in totals.items():
            pipe.hincrby(_TOTALS, name, count)
        for key, counted in minutes.items():
            for name, count in counted.items():
                pipe.hincrby(key, name, count)
            pipe.expire(key, (WINDOW_MIN + 2) * 60)
        for key, words in last.items():
            pipe.hset(key, mapping=dict[Any, Any](words))
        pipe.execute()
    except redis.RedisError as error:
        # Counted twice would be worse than not at all: what was on its way is let go.
        _book.rests_until = now + _REST_S
        log.warning("pulse.flush_failed", error=str(error))


def totals() -> dict[str, int]:
    """Counts since Redis was empty: `call|operation|outcome`, `seconds|name|bucket`,
    `micros|name`. Raises `Away`.
    """
    kept: Any = connection().hgetall(_TOTALS)
    return {name.decode(): int(count) for name, count in kept.items()}


def lately(connection_pk: int) -> Lately:
    """The last five minutes of a connection. Raises `Away`."""
    minute = int(time.time() // 60)
    pipe = connection().pipeline(transaction=False)
    for past in range(WINDOW_MIN):
        pipe.hgetall(_MINUTE.format(connection_pk, minute - past))
    pipe.hgetall(_LAST.format(connection_pk))
    *counts, last = pipe.execute()
    summed: Counter[str] = Counter()
    for counted in counts:
        summed.update({name.decode(): int(count) for name, count in counted.items()})
    words = {name.decode(): text.decode() for name, text in last.items()}
    return Lately(
        outcomes=_part(summed, "outcome"),
        buckets=tuple(summed[f"bucket|{number}"] for number in range(len(BOUNDS_S) + 1)),
        ok_age_s=_age(words.get("ok_at")),
        error_age_s=_age(words.get("error_at")),
        error=words.get("error", ""),
    )


def queue_depths(queues: tuple[str, ...]) -> dict[str, int]:
    """Messages that wait in each queue of the broker. Raises `Away`."""
    prefix = settings.CELERY_BROKER_TRANSPORT_OPTIONS["global_keyprefix"]
    pipe = connection().pipeline(transaction=False)
    for queue in queues:
        pipe.llen(f"{prefix}{queue}")
    return dict(zip(queues, pipe.execute(), strict=True))


def server() -> tuple[float, int]:
    """Seconds a ping took and bytes in use. Raises `Away`."""
    began = time.monotonic()
    connection().ping()
    took_s = time.monotonic() - began
    info: Any = connection().info("memory")
    return took_s, int(info["used_memory"])


def _part(summed: Counter[str], kind: str) -> dict[str, int]:
    return {
        name.partition("|")[2]: count for name, count in summed.items() if name.startswith(kind)
    }


def _age(at: str | None) -> float | None:
    return None if at is None else max(0.0, time.time() - float(at))
