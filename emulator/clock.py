"""The emulator's own clock: wall time, faster or slower, with jumps forward."""

import time
from datetime import UTC, datetime


class Clock:
    """Milliseconds since the epoch. Never runs backwards."""

    def __init__(self) -> None:
        self._base_ms = time.time() * 1000
        self._base_monotonic_s = time.monotonic()
        self.speed = 1.0

    def now_ms(self) -> int:
        elapsed_s = time.monotonic() - self._base_monotonic_s
        return int(self._base_ms + elapsed_s * 1000 * self.speed)

    def set_speed(self, speed: float) -> None:
        """`speed` emulated seconds pass in one real second from now on."""
        self._rebase(0.0)
        self.speed = speed

    def advance(self, seconds: float) -> None:
        """Jump forward; negative jumps are refused with ValueError."""
        if seconds < 0:
            raise ValueError("the clock never runs backwards")
        self._rebase(seconds * 1000)

    def real_seconds(self, emulated_ms: float) -> float:
        """How long a wait of `emulated_ms` takes in real seconds."""
        return max(0.0, emulated_ms / 1000 / self.speed)

    def _rebase(self, jump_ms: float) -> None:
        now_s = time.monotonic()
        self._base_ms += (now_s - self._base_monotonic_s) * 1000 * self.speed + jump_ms
        self._base_monotonic_s = now_s


def iso(at_ms: int) -> str:
    """The wire's form of an instant: ISO 8601, UTC, milliseconds."""
    moment = datetime.fromtimestamp(at_ms / 1000, tz=UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at_ms % 1000:03d}Z"


def parse_iso(text: str) -> int | None:
    """Milliseconds of an ISO instant, None when it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    return int(moment.timestamp() * 1000)
