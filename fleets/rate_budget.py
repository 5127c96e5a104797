"""One budget of requests per connection, shared by every process, spent by priority.

The platform counts a plan's requests in a sliding minute. The bucket holds a burst of 10 % of the
plan and refills at 0.85 of it, so no 60 s ever see more than 95 %. A bucket that does not exist
(first use, Redis wiped) starts empty, so a wipe cannot add to what was spent before it.

A request waits in line: whoever is more urgent, or was there earlier with the same urgency, has a
token kept for it first. Below the reserve only stopping is served.
"""

import asyncio
import logging
import math
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, Self

from redis.asyncio import Redis
from redis.exceptions import RedisError

log = logging.getLogger(__name__)

BURST_SHARE: Final = 0.10
REFILL_SHARE: Final = 0.85
RESERVE_SHARE: Final = 0.25  # of the burst
SMALLEST_PLAN: Final = 20
POLL_S: Final = 1.0
PATIENCE_MS: Final = 1_500  # how long a place in line outlives its next poll
ANSWER_S: Final = 1.0  # a Redis that takes longer counts as not there
CALLS_AT_ONCE: Final = 16  # of one process to Redis
AWAY_S: Final = 0.5  # between two tries while Redis is away
STOP_PATIENCE: Final = 3  # failures in a row after which an order to stop goes out all the same
LONGEST_DRAIN_S: Final = 3600.0

_UNAVAILABLE = (RedisError, OSError, TimeoutError)


class Priority(IntEnum):
    """Who goes first: the higher number."""

    READ = 0
    WATCHED_READ = 1
    DISPATCH = 2
    STOP = 3


@dataclass(slots=True)
class _Question:
    """Requests that ask Redis together: priority and place of each, and one answer for all."""

    places: list[tuple[Priority, str]]
    answer: "asyncio.Task[list[int]]"


@dataclass(frozen=True, slots=True)
class RateState:
    """The bucket as it stands, for the health page."""

    tokens: float
    blocked_s: float
    waiting: dict[Priority, int]


# KEYS: bucket, line of each priority (READ … STOP), places in line by their expiry.
# `at` is when `tokens` was right; in the future it means: blocked until then.
_OPEN = """
local now = tonumber(ARGV[1])
if now == 0 then
  local t = redis.call('TIME')
  now = t[1] * 1000 + math.floor(t[2] / 1000)
end
local burst, refill = tonumber(ARGV[2]), tonumber(ARGV[3])
for _, place in ipairs(redis.call('ZRANGEBYSCORE', KEYS[6], '-inf', now)) do
  redis.call('ZREM', KEYS[2 + tonumber(string.sub(place, 1, 1))], place)
  redis.call('ZREM', KEYS[6], place)
end
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(kept[1] or 0), tonumber(kept[2] or now)
if at - now > 3600000 then tokens, at = 0, now end
if now > at then
  tokens = math.min(burst, tokens + (now - at) * refill)
  at = now
end
local function keep()
  redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', at)
  redis.call('PEXPIRE', KEYS[1], 86400000)
end
"""

# ARGV from the seventh on: priority and place of each request, in the order in which they asked.
_TAKE = (
    _OPEN
    + """
local reserve, poll, patience = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local function take(priority, place)
  local line = KEYS[2 + priority]
  local ahead = redis.call('ZRANK', line, place) or redis.call('ZCARD', line)
  for urgent = priority + 1, 3 do
    ahead = ahead + redis.call('ZCARD', KEYS[2 + urgent])
  end
  local needed = 1 + ahead
  if priority < 3 then needed = needed + reserve end
  if at <= now and tokens >= needed - 0.000001 then
    tokens = tokens - 1
    redis.call('ZREM', line, place)
    redis.call('ZREM', KEYS[6], place)
    return 0
  end
  local wait = math.max(1, math.ceil((needed - tokens) / refill) + math.max(0, at - now))
  redis.call('ZADD', line, 'NX', now, place)
  redis.call('ZADD', KEYS[6], now + math.min(wait, poll) + patience, place)
  redis.call('PEXPIRE', line, 86400000)
  redis.call('PEXPIRE', KEYS[6], 86400000)
  return wait
end
local waits = {}
for index = 7, #ARGV, 2 do
  waits[#waits + 1] = take(tonumber(ARGV[index]), ARGV[index + 1])
end
keep()
return waits
"""
)

_DRAIN = (
    _OPEN
    + """
tokens, at = 0, math.max(at, now + tonumber(ARGV[4]))
keep()
return at - now
"""
)

_LOOK = (
    _OPEN
    + """
keep()
local state = {string.format('%.6f', tokens), math.max(0, at - now)}
for priority = 0, 3 do state[3 + priority] = redis.call('ZCARD', KEYS[2 + priority]) end
return state
"""
)


class RateBudget:
    """One per connection, process and event loop; the bucket itself is in Redis.

    `now_ms` None means Redis' own clock, the only one all processes share.
    """

    def __init__(
        self,
        redis: Redis,
        *,
        connection: str,
        per_minute: int,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now_ms: Callable[[], int] | None = None,
    ) -> None:
        if per_minute < SMALLEST_PLAN:
            raise ValueError(f"a plan of fewer than {SMALLEST_PLAN} requests a minute")
        self.burst = max(2, math.floor(per_minute * BURST_SHARE))
        self.reserve = max(1, math.floor(self.burst * RESERVE_SHARE))
        self.refill_per_s = per_minute * REFILL_SHARE / 60
        self._redis = redis
        self._calls = asyncio.Semaphore(CALLS_AT_ONCE)
        self._asking = asyncio.Lock()
        self._next: _Question | None = None
        self._sleep = sleep
        self._now_ms = now_ms
        base = f"fleetdash:rate:{{{connection}}}"
        self._keys = [base, *(f"{base}:line:{rank}" for rank in range(4)), f"{base}:places"]
        self._take = redis.register_script(_TAKE)
        self._drain = redis.register_script(_DRAIN)
        self._look = redis.register_script(_LOOK)

    @classmethod
    def at(cls, redis_url: str, *, connection: str, per_minute: int) -> Self:
        """A budget with a Redis client of its own, made in the loop that uses it; see `aclose`."""
        redis = Redis.from_url(redis_url, socket_timeout=ANSWER_S, socket_connect_timeout=ANSWER_S)
        return cls(redis, connection=connection, per_minute=per_minute)

    async def aclose(self) -> None:
        """Let go of the Redis client."""
        await self._redis.aclose()

    async def acquire(self, priority: Priority) -> None:
        """Returns when one request of this priority may be sent.

        Without Redis nothing is sent: it waits and tries again. Only stopping goes out unmetered,
        after `STOP_PATIENCE` failures: to keep it waiting would cost more than a 429.
        """
        place = f"{int(priority)}{uuid.uuid4().hex}"
        failures = 0
        while True:
            try:
                wait_s = await self._try(priority, place) / 1000
                failures = 0
            except _UNAVAILABLE as error:
                failures += 1
                if failures == 1:
                    log.warning("rate budget: Redis is away (%s), requests wait", type(error))
                if priority is Priority.STOP and failures >= STOP_PATIENCE:
                    log.warning("rate budget: an order to stop goes out unmetered")
                    return
                wait_s = AWAY_S
            if wait_s <= 0:
                return
            await self._sleep(min(wait_s, POLL_S))

    async def drain(self, retry_after_s: float) -> None:
        """After a 429: empty the bucket and leave it so for `retry_after_s`."""
        bounded_ms = math.ceil(min(max(retry_after_s, 0.0), LONGEST_DRAIN_S) * 1000)
        try:
            await self._run(self._drain, [bounded_ms])
        except _UNAVAILABLE:
            log.warning("rate budget: Redis is away, a 429 is not passed on")

    async def look(self) -> RateState:
        """The bucket now; raises RedisError without Redis."""
        tokens, blocked_ms, *waiting = await self._run(self._look, [])
        return RateState(
            tokens=float(tokens),
            blocked_s=int(blocked_ms) / 1000,
            waiting={priority: int(waiting[priority]) for priority in Priority},
        )

    async def _try(self, priority: Priority, place: str) -> int:
        """Milliseconds until it is worth asking again; 0 = granted.

        Whoever asks while Redis answers others goes with the next question: a hundred requests
        that start together cost two.
        """
        if self._next is None or self._next.answer.done():  # done: cancelled before it began
            places: list[tuple[Priority, str]] = []
            self._next = _Question(places, asyncio.create_task(self._ask(places)))
        question = self._next
        index = len(question.places)
        question.places.append((priority, place))
        return (await asyncio.shield(question.answer))[index]

    async def _ask(self, places: list[tuple[Priority, str]]) -> list[int]:
        async with self._asking:
            self._next = None
            facts: list[Any] = [self.reserve, int(POLL_S * 1000), PATIENCE_MS]
            for priority, place in places:
                facts += [int(priority), place]
            return [int(wait) for wait in await self._run(self._take, facts)]

    async def _run(self, script: Any, facts: list[Any]) -> Any:
        now = 0 if self._now_ms is None else self._now_ms()
        arguments = [now, self.burst, self.refill_per_s / 1000, *facts]
        # A thousand requests that ask at once must not open a thousand connections.
        async with self._calls, asyncio.timeout(ANSWER_S):
            return await script(keys=self._keys, args=arguments)
