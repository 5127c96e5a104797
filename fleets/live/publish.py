"""Ringing the doorbell: on commit, after the row is written, and never at the cost of the work."""

import time
from functools import cache, partial
from typing import Any

import redis
import structlog
from django.conf import settings
from django.db import transaction

from fleets.live.channels import (
    EPOCH_KEY,
    MAX_ENTRIES,
    STREAM_KEY,
    Change,
    Position,
    encode,
    new_epoch,
)

log = structlog.get_logger(__name__)

_TIMEOUT_S = 1.0
# After a failure the doorbell stays silent for a while: a tick must not wait for a dead Redis.
_REST_S = 5.0


class _Doorbell:
    """Remembers until when Redis is given a rest."""

    def __init__(self) -> None:
        self.rests_until = 0.0

    def ring(self, topic: str, changes: tuple[Change, ...]) -> None:
        if time.monotonic() < self.rests_until:
            return
        fields: dict[Any, Any] = {**encode(topic, changes)}
        try:
            connection().xadd(STREAM_KEY, fields, maxlen=MAX_ENTRIES, approximate=True)
        except redis.RedisError as error:
            self.rests_until = time.monotonic() + _REST_S
            log.warning("live.publish_failed", topic=topic, error=str(error))


_doorbell = _Doorbell()


@cache
def connection() -> redis.Redis:
    """The process's own connection pool to Redis."""
    return redis.Redis.from_url(
        settings.REDIS_URL,
        protocol=2,
        socket_timeout=_TIMEOUT_S,
        socket_connect_timeout=_TIMEOUT_S,
    )


def publish(topic: str, *changes: Change) -> None:
    """Say on commit that something of `topic` changed; pages render it from the database.

    A change is a small dict: `{"kind": "agents", "ids": [7, 9]}`, `{"kind": "head"}`. A Redis that
    is down loses the ring, never the work: pages notice the silence and read again.
    """
    transaction.on_commit(partial(_doorbell.ring, topic, changes))


def position() -> str:
    """Where the stream stands now; read it **before** the page's data. "" when Redis is down."""
    try:
        pipe = connection().pipeline(transaction=False)
        pipe.set(EPOCH_KEY, new_epoch(), nx=True)
        pipe.get(EPOCH_KEY)
        pipe.xrevrange(STREAM_KEY, count=1)
        _, epoch, last = pipe.execute()
    except redis.RedisError as error:
        log.warning("live.position_failed", error=str(error))
        return ""
    entry = last[0][0].decode() if last else "0-0"
    return str(Position(epoch.decode(), entry))
