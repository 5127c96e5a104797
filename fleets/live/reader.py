"""Reading the Redis stream from asyncio: from a position on, and what was missed since one."""

import time
from typing import Any

import redis.asyncio
from django.conf import settings

from fleets.live.channels import (
    EPOCH_KEY,
    STREAM_KEY,
    Change,
    Position,
    decode,
    entry_order,
    new_epoch,
    parse_position,
)

_BLOCK_MS = 2_000
_TIMEOUT_S = 5.0
_BATCH = 5_000
# A viewer who missed more than this fetches the page's fragments instead.
_MOST_REPLAYED = 500
_EPOCH_CHECK_S = 2.0

Entry = tuple[str, list[Change]]


class MissedError(Exception):
    """The stream was emptied or trimmed past the position: what happened since is not known."""


class StreamReader:
    """One connection for waiting, one for questions."""

    def __init__(self) -> None:
        self._client: Any = None  # redis-py's answers are typed as unions of every protocol
        self._epoch_read_at = 0.0

    async def now(self) -> Position:
        """Where the stream stands; makes the epoch when there is none. Raises RedisError."""
        pipe = self._redis().pipeline(transaction=False)
        pipe.set(EPOCH_KEY, new_epoch(), nx=True)
        pipe.get(EPOCH_KEY)
        pipe.xrevrange(STREAM_KEY, count=1)
        _, epoch, last = await pipe.execute()
        return Position(epoch.decode(), last[0][0].decode() if last else "0-0")

    async def read(self, position: Position, *, wait: bool) -> tuple[list[Entry], Position]:
        """Entries after `position` and where that leads; with `wait`, blocks for up to 2 s.

        Raises RedisError, and MissedError when the stream is not the one it was.
        """
        answer = await self._redis().xread(
            {STREAM_KEY: position.entry}, count=_BATCH, block=_BLOCK_MS if wait else None
        )
        await self._check_epoch(position)
        rows = answer[0][1] if answer else []
        entries = [decode(fields) for _, fields in rows]
        last = rows[-1][0].decode() if rows else position.entry
        return entries, Position(position.epoch, last)

    async def missed(self, since: str) -> tuple[list[Entry], Position]:
        """Entries after `since`. Raises RedisError, and MissedError when they are not all there."""
        position = parse_position(since)
        now = await self.now()
        if position is None or position.epoch != now.epoch or position.order > now.order:
            raise MissedError(since)
        if position.order == now.order:
            return [], now
        rows = await self._redis().xrange(
            STREAM_KEY, min=f"({position.entry}", count=_MOST_REPLAYED + 1
        )
        if len(rows) > _MOST_REPLAYED or await self._is_trimmed_past(position):
            raise MissedError(since)
        return [decode(fields) for _, fields in rows], now

    async def close(self) -> None:
        """Give the connections back."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _is_trimmed_past(self, position: Position) -> bool:
        info = await self._redis().xinfo_stream(STREAM_KEY)
        first = info["first-entry"]
        was_trimmed = info["entries-added"] > info["length"]
        return bool(was_trimmed and first and entry_order(first[0].decode()) > position.order)

    async def _check_epoch(self, position: Position) -> None:
        if time.monotonic() - self._epoch_read_at < _EPOCH_CHECK_S:
            return
        self._epoch_read_at = time.monotonic()
        epoch = await self._redis().get(EPOCH_KEY)
        if epoch is None or epoch.decode() != position.epoch:
            raise MissedError(str(position))

    def _redis(self) -> Any:
        if self._client is None:
            self._client = redis.asyncio.Redis.from_url(
                settings.REDIS_URL,
                protocol=2,
                socket_timeout=_TIMEOUT_S,
                socket_connect_timeout=2.0,
            )
        return self._client
