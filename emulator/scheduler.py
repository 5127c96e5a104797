"""What happens later: one heap of due moments on the emulator's clock, run by one task."""

import asyncio
import heapq
import logging
import time
from collections.abc import Callable

from emulator.clock import Clock

LONGEST_BATCH_S = 0.004
logger = logging.getLogger("emulator")

Handler = Callable[[str], None]


class Scheduler:
    """Calls `handlers[kind](id)` when due; the handler checks that it still is."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heap: list[tuple[int, int, str, str]] = []
        self._count = 0
        self._wake: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.handlers: dict[str, Handler] = {}

    def at(self, due_ms: int, *, kind: str, entity_id: str) -> None:
        """Call the handler of `kind` at `due_ms` or as soon after as possible."""
        self._count += 1
        heapq.heappush(self._heap, (due_ms, self._count, kind, entity_id))
        if self._heap[0][1] == self._count:
            self.wake()

    def clear(self) -> None:
        self._heap.clear()

    def __len__(self) -> int:
        return len(self._heap)

    def next_due_ms(self) -> int | None:
        """The earliest moment that something waits for."""
        return self._heap[0][0] if self._heap else None

    def wake(self) -> None:
        """Look at the clock again; may be called from any thread."""
        if self._wake is None or self._loop is None or self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._wake.set)

    def run_due(self) -> int:
        """Run what is due, for a few milliseconds at most; the number of calls made."""
        done = 0
        stop_s = time.perf_counter() + LONGEST_BATCH_S
        now_ms = self._clock.now_ms()
        while self._heap and self._heap[0][0] <= now_ms and time.perf_counter() < stop_s:
            _due, _count, kind, entity_id = heapq.heappop(self._heap)
            try:
                self.handlers[kind](entity_id)
            except Exception:
                logger.exception("the emulator failed at %s %s", kind, entity_id)
            done += 1
        return done

    async def run(self, step: Callable[[], int]) -> None:
        """Until cancelled: `step` (which calls `run_due` under the lock), then sleep."""
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        while True:
            self._wake.clear()
            if step():
                await asyncio.sleep(0)
                continue
            wait_s = 1.0
            if self._heap:
                wait_s = self._clock.real_seconds(self._heap[0][0] - self._clock.now_ms())
            try:
                async with asyncio.timeout(min(wait_s, 1.0) + 0.0005):
                    await self._wake.wait()
            except TimeoutError:
                continue
