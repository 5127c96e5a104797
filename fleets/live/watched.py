"""Which topics somebody looks at right now, known to every process.

Each web process says it every few seconds for its open streams; what is not said again is
forgotten. A Redis that is down makes everything look unwatched, which costs liveness only.
"""

import time
from collections.abc import Iterable
from typing import Any, Final

import redis
import structlog

from fleets.live.publish import connection
from fleets.pulse import sign

log = structlog.get_logger(__name__)

WATCHED_KEY: Final = "fleetdash:live:watched"
MARK_S: Final = 5.0
FORGET_S: Final = 15.0


def mark_watched(topics: Iterable[str]) -> None:
    """Say that these topics are looked at; good for `FORGET_S` seconds."""
    marks: dict[Any, float] = dict.fromkeys(topics, time.time() + FORGET_S)
    if not marks:
        return
    try:
        connection().zadd(WATCHED_KEY, marks)
    except redis.RedisError as error:
        log.warning("live.mark_failed", error=str(error))


def watched_topics() -> frozenset[str]:
    """Topics that somebody looks at; empty without Redis."""
    now = time.time()
    try:
        pipe = connection().pipeline(transaction=False)
        pipe.zremrangebyscore(WATCHED_KEY, "-inf", now)
        pipe.zrangebyscore(WATCHED_KEY, now, "+inf")
        _, found = pipe.execute()
    except redis.RedisError as error:
        log.warning("live.watched_failed", error=str(error))
        return frozenset()
    return frozenset(topic.decode() for topic in found)


FOLLOWERS_KEY: Final = "fleetdash:live:followers"


def mark_follower(owner: str) -> None:
    """Say that this follower lives; good for `FORGET_S` seconds."""
    sign("follow", owner)
    try:
        connection().zadd(FOLLOWERS_KEY, {owner: time.time() + FORGET_S})
    except redis.RedisError as error:
        log.warning("live.mark_failed", error=str(error))


def living_followers() -> list[str]:
    """The followers that said a moment ago that they live. Raises RedisError without Redis."""
    now = time.time()
    pipe = connection().pipeline(transaction=False)
    pipe.zremrangebyscore(FOLLOWERS_KEY, "-inf", now)
    pipe.zrange(FOLLOWERS_KEY, 0, -1)
    _, found = pipe.execute()
    return [owner.decode() for owner in found]
