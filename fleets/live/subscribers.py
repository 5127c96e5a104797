"""The open streams of one process and the bounded queue of each."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from fleets.live import frames
from fleets.live.tokens import Ticket

QUEUE_SIZE = 64
# In the queue it stands for: read what is new from the connection's own cursor.
WAKE = b""


@dataclass(slots=True, eq=False)
class Subscriber:
    """One open stream. `None` in the queue means: end it. `cursor`: how far it was appended to.

    `offers` counts what was queued.
    """

    ticket: Ticket
    cursor: str = ""
    offers: int = 0
    is_woken: bool = False
    queue: asyncio.Queue[bytes | None] = field(
        default_factory=lambda: asyncio.Queue(maxsize=QUEUE_SIZE)
    )

    def offer(self, message: bytes) -> None:
        """Queue a message; a client that is too slow is emptied and told to fetch everything."""
        if self.queue.full():
            self._empty()
            message = frames.resync()
        self.queue.put_nowait(message)
        self.offers += 1

    def wake(self) -> None:
        """Let the connection read what is new, once for all that happened until it does."""
        if not self.is_woken:
            self.offer(WAKE)
            self.is_woken = True

    def end(self) -> None:
        """End the stream, whatever waits."""
        self._empty()
        self.queue.put_nowait(None)

    def _empty(self) -> None:
        self.is_woken = False
        while not self.queue.empty():
            self.queue.get_nowait()


class Subscribers:
    """Who listens to what: by page and topic, because that is what is rendered once."""

    def __init__(self) -> None:
        self._all: set[Subscriber] = set()
        self._by_topic: dict[str, dict[str, set[Subscriber]]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Subscriber]:
        return iter(tuple(self._all))

    def add(self, subscriber: Subscriber) -> None:
        """Start listening."""
        self._all.add(subscriber)
        for topic in subscriber.ticket.topics:
            pages = self._by_topic.setdefault(topic, {})
            pages.setdefault(subscriber.ticket.page, set()).add(subscriber)

    def discard(self, subscriber: Subscriber) -> None:
        """Stop listening; a topic nobody hears is forgotten."""
        self._all.discard(subscriber)
        page = subscriber.ticket.page
        for topic in subscriber.ticket.topics:
            pages = self._by_topic.get(topic, {})
            pages.get(page, set()).discard(subscriber)
            if not pages.get(page):
                pages.pop(page, None)
            if not pages:
                self._by_topic.pop(topic, None)

    def topics(self) -> tuple[str, ...]:
        """Everything that somebody listens to."""
        return tuple(self._by_topic)

    def pages_of(self, topic: str) -> tuple[str, ...]:
        """Kinds of page that hear this topic."""
        return tuple(self._by_topic.get(topic, ()))

    def hearing(self, topic: str, page: str) -> tuple[Subscriber, ...]:
        """Everybody on that kind of page who hears the topic."""
        return tuple(self._by_topic.get(topic, {}).get(page, ()))

    def of_user(self, user_id: int) -> Iterable[Subscriber]:
        """All open streams of one user."""
        return [one for one in self if one.ticket.user_id == user_id]
