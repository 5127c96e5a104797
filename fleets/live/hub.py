"""One reader per process: gathers changes for a moment, renders each once, hands it to everybody.

The hub lives in the event loop of the ASGI server. It reads while somebody listens and rests
otherwise. Rendering happens in threads of its own, whose database connections go back at once.
"""

import asyncio
import os
import socket
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar
from weakref import WeakKeyDictionary

import structlog
from django.db import connections
from redis.exceptions import RedisError

from fleets.live import frames
from fleets.live.appends import Appended, append, growing_topic
from fleets.live.channels import Change, Position, session_topic
from fleets.live.fragments import Piece, load_renderers, render
from fleets.live.reader import MissedError, StreamReader
from fleets.live.subscribers import Subscriber, Subscribers
from fleets.live.watched import MARK_S, mark_watched
from fleets.pulse import sign

log = structlog.get_logger(__name__)
T = TypeVar("T")

GATHER_S = 0.25
RETRY_S = 2.0
_REPLAYS_KEPT = 64
_NAME = f"{socket.gethostname()}:{os.getpid()}"

Gathered = dict[str, list[Change]]


class Hub:
    """The fan-out of one event loop."""

    def __init__(self) -> None:
        self.subscribers = Subscribers()
        self.is_live = False
        self.position: Position | None = None
        # From a change's entry in Redis to its last byte in the queues, at the last flush.
        self.lag_s = 0.0
        self._reader = StreamReader()
        self._task: asyncio.Task[None] | None = None
        self._marking: asyncio.Task[None] | None = None
        self._joined = asyncio.Event()
        self._started = asyncio.Event()
        self._threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="live-render")
        self._replays: dict[tuple[str, str, str, str], asyncio.Task[bytes]] = {}

    @property
    def entry(self) -> str:
        """Where the hub stands, as an event id; "" while Redis does not speak."""
        return str(self.position) if self.position and self.is_live else ""

    async def join(self, subscriber: Subscriber, *, since: str) -> None:
        """Start listening, and queue what happened after `since` or a resync."""
        # Listening comes first: what arrives while the replay is read is sent twice, never lost.
        self.subscribers.add(subscriber)
        if self._task is None:
            self._started = asyncio.Event()
            self._reader = StreamReader()
            self._task = asyncio.create_task(
                self._run(self._reader, self._started), name="live-hub"
            )
            self._marking = asyncio.create_task(self._mark(), name="live-watched")
        await self._started.wait()
        subscriber.offer(frames.beat(is_live=self.is_live, entry=""))
        if self.is_live:
            told = subscriber.offers
            replayed = await self._replay(subscriber, since)
            if replayed:
                is_overtaken = subscriber.offers != told
                subscriber.offer(replayed)
                if is_overtaken:
                    # It may have been read before what was sent meanwhile: fetched once more.
                    subscriber.offer(frames.resync(entry=self.entry))
        await self._in_thread(load_renderers)
        if growing_topic(subscriber.ticket.page, subscriber.ticket.topics):
            # Whether or not anything was missed: the cursor says.
            subscriber.wake()
            self._joined.set()

    async def appended(self, subscriber: Subscriber) -> bytes:
        """What is new of a growing page since the connection's own cursor."""
        ticket = subscriber.ticket
        topic = growing_topic(ticket.page, ticket.topics)
        subscriber.is_woken = False
        if topic is None:
            return b""
        try:
            news = await self._in_thread(_append_and_let_go, ticket.page, topic, subscriber.cursor)
        except Exception:
            log.exception("live.append_failed", page=ticket.page, topic=topic)
            return frames.resync(entry=self.entry)
        subscriber.cursor = news.cursor
        return frames.appended(news, entry=self.entry)

    def leave(self, subscriber: Subscriber) -> None:
        """Stop listening; the last one out stops the reader."""
        self.subscribers.discard(subscriber)
        if not self.subscribers and self._task is not None:
            self._task.cancel()
            self._task = None
            if self._marking is not None:
                self._marking.cancel()
            self.is_live = False

    async def _mark(self) -> None:
        """Tell the other processes what is looked at here."""
        while True:
            await self._in_thread(mark_watched, self.subscribers.topics())
            streams, lag_s = len(self.subscribers), round(self.lag_s, 3)
            await self._in_thread(partial(sign, "web", _NAME, streams=streams, lag_s=lag_s))
            await asyncio.sleep(MARK_S)

    async def _in_thread(self, work: Callable[..., T], *facts: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *facts)

    async def _run(self, reader: StreamReader, started: asyncio.Event) -> None:
        try:
            while True:
                try:
                    await self._follow(reader, started)
                except RedisError as error:
                    log.warning("live.redis_lost", error=str(error))
                    self._tell_live(is_live=False)
                    started.set()
                    await asyncio.sleep(RETRY_S)
                except MissedError:
                    self._tell_all(frames.resync())
        finally:
            await reader.close()

    async def _follow(self, reader: StreamReader, started: asyncio.Event) -> None:
        was_lost = started.is_set() and not self.is_live
        self.position = await reader.now()
        self._tell_live(is_live=True)
        if was_lost:
            self._tell_all(frames.resync(entry=self.entry))
        started.set()
        while True:
            gathered, self.position = await reader.read(self.position, wait=True)
            if not gathered:
                continue
            await asyncio.sleep(GATHER_S)
            more, self.position = await reader.read(self.position, wait=False)
            await self._flush(merged([*gathered, *more]))
            self.lag_s = max(0.0, time.time() - self.position.order[0] / 1000)

    async def _flush(self, gathered: Gathered) -> None:
        for topic, changes in self._with_sessions(gathered).items():
            kind, _, who = topic.partition(":")
            if kind == "rights":
                for subscriber in self.subscribers.of_user(int(who)):
                    subscriber.end()
                continue
            for page in self.subscribers.pages_of(topic):
                message = await self._rendered(page, topic, changes)
                for subscriber in self.subscribers.hearing(topic, page):
                    if message:
                        subscriber.offer(message)
                    if topic == growing_topic(page, subscriber.ticket.topics):
                        subscriber.wake()

    def _with_sessions(self, gathered: Gathered) -> Gathered:
        """Changes of agents are news of their sessions too, for those that somebody looks at."""
        heard = {topic for topic in self.subscribers.topics() if topic.startswith("session:")}
        if not heard:
            return gathered
        told = {topic: list(changes) for topic, changes in gathered.items()}
        for changes in gathered.values():
            for change in changes:
                if change.get("kind") == "agents":
                    for topic in heard & {session_topic(pk) for pk in change["ids"]}:
                        told.setdefault(topic, []).append({"kind": "agent"})
        return told

    async def _rendered(self, page: str, topic: str, changes: list[Change]) -> bytes:
        try:
            found = await self._in_thread(_render_and_let_go, page, topic, changes)
        except Exception:
            # One broken renderer must not silence the other pages; this one fetches by itself.
            log.exception("live.render_failed", page=page, topic=topic)
            return frames.resync(entry=self.entry)
        return frames.pieces(found, entry=self.entry)

    async def _replay(self, subscriber: Subscriber, since: str) -> bytes:
        """What was missed between `since` and now; rendered once for all who missed the same."""
        try:
            entries, reached = await self._reader.missed(since)
        except (RedisError, MissedError):
            return frames.resync(entry=self.entry)
        sent = b""
        for topic, changes in merged(entries).items():
            if topic not in subscriber.ticket.topics:
                continue
            key = (subscriber.ticket.page, topic, since, str(reached))
            if key not in self._replays:
                while len(self._replays) >= _REPLAYS_KEPT:
                    self._replays.pop(next(iter(self._replays)))
                self._replays[key] = asyncio.create_task(
                    self._rendered(subscriber.ticket.page, topic, changes)
                )
            sent += await self._replays[key]
        return sent

    def _tell_live(self, *, is_live: bool) -> None:
        if is_live != self.is_live:
            self.is_live = is_live
            self._tell_all(frames.beat(is_live=is_live, entry=self.entry))

    def _tell_all(self, message: bytes) -> None:
        for subscriber in self.subscribers:
            subscriber.offer(message)


def merged(entries: Iterable[tuple[str, list[Change]]]) -> Gathered:
    """All changes by topic, in order, each different one once."""
    gathered: Gathered = {}
    for topic, changes in entries:
        listed = gathered.setdefault(topic, [])
        listed.extend(change for change in changes if change not in listed)
    return gathered


def _render_and_let_go(page: str, topic: str, changes: list[Change]) -> list[Piece]:
    try:
        return render(page, topic, changes)
    finally:
        connections.close_all()


def _append_and_let_go(page: str, topic: str, cursor: str) -> Appended:
    try:
        return append(page, topic, cursor)
    finally:
        connections.close_all()


_hubs: "WeakKeyDictionary[asyncio.AbstractEventLoop, Hub]" = WeakKeyDictionary()


def hub() -> Hub:
    """The hub of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _hubs:
        _hubs[loop] = Hub()
    return _hubs[loop]
