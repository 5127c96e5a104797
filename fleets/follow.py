"""The follower: holds event streams of running turns and hands what it hears to services.

It only listens. Everything completes without it; two of it share the turns by leases.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import structlog
from django.db import Error as DatabaseError
from django.utils import timezone

from fleets.domain.status import StreamEnd
from fleets.gateway import ask_database, for_a_watcher, gateway
from fleets.live.watched import mark_follower, watched_topics
from fleets.platform_api.client import PlatformClient
from fleets.services import following
from fleets.services.following import Stream
from fleets.services.listening import Listening

log = structlog.get_logger(__name__)

STREAMS: Final = 40
FLUSH_S: Final = 0.25
BALANCE_S: Final = 1.0
# Streams nobody looks at may take this share of an account's requests.
UNWATCHED_SHARE: Final = 0.10
REMEMBERED: Final = 500


@dataclass(slots=True)
class Follower:
    """One process's streams. `most` is how many it holds at once."""

    owner: str
    most: int = STREAMS
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    _tasks: dict[int, "asyncio.Task[StreamEnd]"] = field(default_factory=dict)
    _turns: dict[int, Listening] = field(default_factory=dict)
    _allowed: dict[int, float] = field(default_factory=dict)
    _watched: frozenset[str] = frozenset()

    async def run(self) -> None:
        """Follow until `stopping` is set, then let go of everything."""
        try:
            balanced_at = 0.0
            while not self.stopping.is_set():
                await self._guarded(self._flush)
                if time.monotonic() - balanced_at >= BALANCE_S:
                    balanced_at = time.monotonic()
                    await self._guarded(self._balance)
                await self._pause()
        finally:
            await self._let_go()

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(FLUSH_S):
                await self.stopping.wait()
        except TimeoutError:
            return

    async def _guarded(self, work: Callable[[], Awaitable[object]]) -> None:
        """Without a database nothing is lost: what was heard waits, and the platform keeps it."""
        try:
            await work()
        except DatabaseError as error:
            log.warning("follow.database_lost", error=str(error).splitlines()[0])
            await asyncio.sleep(BALANCE_S)

    # --- writing

    async def _flush(self) -> None:
        now_s = time.monotonic()
        news = [heard for turn in self._turns.values() if (heard := turn.news(now_s=now_s))]
        if news:
            work = partial(following.write, news, owner=self.owner, watched=self._watched)
            written = await ask_database(lambda: work(now=timezone.now()))
            for heard in news:
                if heard.turn_pk in written:
                    self._turns[heard.turn_pk].written(heard)
        await self._take_ends()

    async def _take_ends(self) -> None:
        ended = [
            pk for pk, task in self._tasks.items() if task.done() and not self._turns[pk].waiting
        ]
        for pk in ended:
            await ask_database(self._end(pk, self._tasks.pop(pk)))

    def _end(self, pk: int, task: "asyncio.Task[StreamEnd]") -> Callable[[], None]:
        """What is to be written about a stream that has ended."""
        turn, now = self._turns[pk], timezone.now()
        if task.cancelled():
            return partial(following.give_back, {pk: None}, owner=self.owner, now=now)
        end = _end_of(task)
        if end is StreamEnd.TERMINAL:
            del self._turns[pk]
            return partial(following.give_back, {pk: end}, owner=self.owner, now=now)
        turn.start_over(end=end)
        log.info("follow.stream_broke", turn=pk, end=end.value, tries=turn.tries)
        return partial(following.hold_off, pk, owner=self.owner, end=end, tries=turn.tries, now=now)

    # --- leasing

    async def _balance(self) -> None:
        self._watched = await ask_database(self._look_around)
        if self._tasks:
            renew = partial(following.renew, list(self._tasks), owner=self.owner)
            held = await ask_database(lambda: renew(now=timezone.now()))
            for pk in set(self._tasks) - held:
                # The tick has ended it, or another follower has taken it over.
                self._turns[pk].waiting.clear()
                self._tasks[pk].cancel()
        streams = await self._choose()
        if not streams:
            return
        claim = partial(following.claim, streams, owner=self.owner)
        ours = await ask_database(lambda: claim(now=timezone.now()))
        taken = [stream for stream in streams if stream.turn_pk in ours]
        await ask_database(lambda: following.count_streams(taken))
        for stream in taken:
            await self._begin(stream)

    def _look_around(self) -> frozenset[str]:
        mark_follower(self.owner)
        return watched_topics()

    async def _choose(self) -> list[Stream]:
        """What to take now: what is looked at, in place of what is not when there is no room."""
        room = self.most - len(self._tasks)
        look = partial(
            following.candidates, watched=self._watched, most=self.most, only_watched=room <= 0
        )
        found = await ask_database(lambda: look(now=timezone.now()))
        urgent = [stream for stream in found if stream.is_watched]
        if len(urgent) > room:
            self._make_room(len(urgent) - room)
            return urgent[: max(room, 0)]  # the rest as soon as the others have let go
        others = [stream for stream in found if not stream.is_watched][: room - len(urgent)]
        return urgent + [stream for stream in others if self._may_open(stream)]

    def _make_room(self, many: int) -> None:
        idle = [pk for pk, turn in self._turns.items() if not self._is_watched(turn)]
        for pk in [pk for pk in idle if pk in self._tasks][:many]:
            self._tasks[pk].cancel()

    def _is_watched(self, turn: Listening) -> bool:
        return f"session:{turn.stream.agent_pk}" in self._watched

    def _may_open(self, stream: Stream) -> bool:
        """A small share of the account's rate, saved up for at most ten seconds."""
        pk = stream.connection.pk
        per_s = stream.connection.rate_per_minute / 60 * UNWATCHED_SHARE
        now = time.monotonic()
        # Kept as the moment from which on the allowance is counted.
        start = max(self._allowed.get(pk, 0.0), now - 10.0)
        if (now - start) * per_s < 1:
            self._allowed[pk] = start
            return False
        self._allowed[pk] = start + 1 / per_s
        return True

    async def _begin(self, stream: Stream) -> None:
        turn = self._turns.pop(stream.turn_pk, None) or Listening(stream)
        self._turns[stream.turn_pk] = turn
        client = await gateway().account_on_loop(stream.connection)
        self._tasks[stream.turn_pk] = asyncio.create_task(
            _listen(turn, client, is_watched=stream.is_watched), name=f"turn-{stream.turn_pk}"
        )
        for pk in [pk for pk in self._turns if pk not in self._tasks][:-REMEMBERED]:
            del self._turns[pk]

    async def _let_go(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        ends = dict.fromkeys(self._tasks)
        give_back = partial(following.give_back, ends, owner=self.owner, now=timezone.now())
        await self._guarded(lambda: ask_database(give_back))


async def _listen(turn: Listening, client: PlatformClient, *, is_watched: bool) -> StreamEnd:
    if not is_watched:
        return await turn.listen(client)
    with for_a_watcher():
        return await turn.listen(client)


def _end_of(task: "asyncio.Task[StreamEnd]") -> StreamEnd:
    error = task.exception()
    if error is not None:
        log.error("follow.stream_failed", exc_info=error)
        return StreamEnd.UNFINISHED
    return task.result()
