"""One open event stream: what has come, up to where nothing is missing, and how it ended."""

import asyncio
import time
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final

from fleets.domain.status import StreamEnd
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import PlatformError
from fleets.platform_api.reading import TurnFold
from fleets.platform_api.resources.turns import is_expiry
from fleets.platform_api.sse import StreamEvent
from fleets.services.event_store import event_number
from fleets.services.following import Heard, Stream

# Frames may overtake each other by a moment; what stays away for longer is missing.
REORDER_S: Final = 1.0
LINE_S: Final = 1.0
# With so many frames unwritten the stream is left to wait.
MOST_WAITING: Final = 2_000
ROOM_S: Final = 0.05
# After so many gaps at a turn what did not come is not waited for: the tick reads it at the end.
MOST_GAPS: Final = 2


@dataclass(slots=True)
class Listening:
    """What a follower remembers of a turn between two writes, and between two streams of it."""

    stream: Stream
    fold: TurnFold = field(default_factory=TurnFold)
    cursor: int = 0
    tries: int = 0
    gaps: int = 0
    waiting: list[StreamEvent] = field(default_factory=list)
    # A fold that missed the beginning knows no sums.
    is_whole: bool = True
    _ahead: set[int] = field(default_factory=set)
    _ahead_since: float = 0.0
    _folded: int = 0
    _told_at: float = 0.0
    _told: str | None = None

    def __post_init__(self) -> None:
        self.cursor = self.stream.since

    async def listen(self, client: PlatformClient) -> StreamEnd:
        """Hear the stream to its end. A turn heard by another process before is told anew, for
        the sums; what is stored already is not kept again.
        """
        self._ahead.clear()
        stream = self.stream
        events = client.sessions.events(
            stream.sandbox_id,
            stream.session_id,
            execution_id=stream.execution_id,
            since=str(self._folded) if self._folded else None,
        )
        is_over = False
        try:
            async with aclosing(events):
                async for event in events:
                    self.tries = 0
                    self.take(event)
                    while len(self.waiting) >= MOST_WAITING:
                        await asyncio.sleep(ROOM_S)
                    is_over = is_over or event.is_terminal
                    if self.misses_frames(now_s=time.monotonic()):
                        return StreamEnd.GAP
        except PlatformError:
            return StreamEnd.TERMINAL if is_over else StreamEnd.UNFINISHED
        if self._ahead and self.gaps < MOST_GAPS:
            return StreamEnd.GAP
        return StreamEnd.TERMINAL if is_over else StreamEnd.UNFINISHED

    def take(self, event: StreamEvent) -> None:
        """One frame, as it came."""
        number = event_number(event)
        if is_expiry(event):
            # The frames before are gone for good: nothing to wait for, and no sum is right.
            self.is_whole, self.gaps = False, MOST_GAPS
        if number is None:
            return
        self.fold.add(event)
        self._folded = max(self._folded, number)
        if number <= self.cursor or number in self._ahead:
            return
        self.waiting.append(event)
        self._count(number)

    def _count(self, number: int) -> None:
        if self.gaps >= MOST_GAPS:
            self.cursor = max(self.cursor, number)
            return
        if not self._ahead:
            self._ahead_since = time.monotonic()
        self._ahead.add(number)
        while self.cursor + 1 in self._ahead:
            self.cursor += 1
            self._ahead.discard(self.cursor)

    def misses_frames(self, *, now_s: float) -> bool:
        """Whether a frame has stayed away while later ones came."""
        return bool(self._ahead) and now_s - self._ahead_since > REORDER_S

    def start_over(self, *, end: StreamEnd) -> None:
        """Prepare for the next stream of the turn: after a gap from the last whole place."""
        self.tries += 1
        if end is StreamEnd.GAP:
            self.gaps += 1
            self._folded = self.cursor

    def news(self, *, now_s: float) -> Heard | None:
        """What is to be written by now; None when that is nothing."""
        line, usage = None, None
        if now_s - self._told_at >= LINE_S:
            reading = self.fold.reading()
            said = reading.last_line
            if said and said != self._told:
                line, self._told, self._told_at = said, said, now_s
                usage = reading.usage if self.is_whole else None
        if not self.waiting and line is None:
            return None
        return Heard(self.stream.turn_pk, tuple(self.waiting), self.cursor, line, usage)

    def written(self, heard: Heard) -> None:
        """Forget what was stored."""
        del self.waiting[: len(heard.frames)]
