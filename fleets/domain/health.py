"""How well each part does, from measured facts: thresholds and words, no I/O and no clock."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from fleets.domain.numbers import show_duration_s

SILENT_S: Final = 20.0
SLOW_S: Final = 2.0
WAITING_S: Final = 15.0
LAG_S: Final = 1.5
DISK_LEFT_PERCENT: Final = 10


class Condition(StrEnum):
    """How a part does, from best to worst; `UNKNOWN` where nothing was heard at all."""

    OK = "ok"
    SLOW = "slow"
    UNKNOWN = "unknown"
    DOWN = "down"


_RANK: Final = (Condition.OK, Condition.UNKNOWN, Condition.SLOW, Condition.DOWN)


@dataclass(frozen=True, slots=True)
class Part:
    """One line of the health page. `heard_s`: how long ago it last answered; None: not known."""

    name: str
    condition: Condition
    detail: str
    latency_s: float | None = None
    heard_s: float | None = None


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker's last word."""

    name: str
    age_s: float
    places: int
    busy: int


def overall(parts: Sequence[Part]) -> tuple[Condition, str]:
    """The worst condition of all and one sentence that names the parts that have it."""
    worst = max((part.condition for part in parts), key=_RANK.index, default=Condition.UNKNOWN)
    if worst is Condition.OK:
        return worst, "Everything works."
    names = ", ".join(part.name for part in parts if part.condition is worst)
    words = {
        Condition.SLOW: f"Slow: {names}.",
        Condition.UNKNOWN: f"Not heard of: {names}.",
        Condition.DOWN: f"Down: {names}.",
    }
    return worst, words[worst]


def by_age(age_s: float | None, *, silent_s: float = SILENT_S) -> Condition:
    """Down after `silent_s` without a word, unknown when there never was one."""
    if age_s is None:
        return Condition.UNKNOWN
    return Condition.DOWN if age_s > silent_s else Condition.OK


def percentile_s(
    buckets: Sequence[int], bounds_s: Sequence[float], *, percent: int
) -> float | None:
    """Upper bound in seconds of the bucket that holds the percentile; None of nothing.

    `buckets` has one more than `bounds_s`, for what took longer than all; that is shown as the
    last bound.
    """
    total = sum(buckets)
    if total == 0:
        return None
    needed = total * percent / 100
    seen = 0
    for bound, count in zip(bounds_s, buckets, strict=False):
        seen += count
        if seen >= needed:
            return bound
    return bounds_s[-1]


def workers_part(workers: Iterable[Worker]) -> Part:
    """All workers as one line: the living, and how many of their places are taken."""
    known = list(workers)
    living = [worker for worker in known if worker.age_s <= SILENT_S]
    if not living:
        heard_s = min((worker.age_s for worker in known), default=None)
        detail = "none alive: nothing is launched, driven or stopped"
        return Part("Workers", Condition.DOWN, detail, heard_s=heard_s)
    places = sum(worker.places for worker in living)
    busy = min(places, sum(worker.busy for worker in living))
    silent = len(known) - len(living)
    detail = f"{len(living)} alive, {busy} of {places} places busy"
    if silent:
        detail += f"; {silent} fell silent within the last hour"
    return Part("Workers", Condition.OK, detail, heard_s=min(worker.age_s for worker in living))


def queue_part(depths: dict[str, int], *, oldest_s: float | None) -> Part:
    """The queues: messages in each, and how long the work that is most overdue has waited."""
    words = ", ".join(f"{name} {count:,}" for name, count in depths.items())
    is_late = oldest_s is not None and oldest_s > WAITING_S
    if oldest_s is not None:
        words += f"; oldest work due for {show_duration_s(int(oldest_s))}"
    return Part("Queue", Condition.SLOW if is_late else Condition.OK, words)


@dataclass(frozen=True, slots=True)
class PlatformFacts:
    """What is known of one connection. Times in seconds; `tokens` of the rate budget's burst."""

    name: str
    latency_s: float | None
    ok_age_s: float | None
    error_age_s: float | None
    error: str
    calls: int
    troubles: int
    limited: int
    blocked_s: float
    tokens: float
    burst: int
    waiting: int


def platform_part(facts: PlatformFacts) -> Part:
    """One platform account: its last answers, its pace and what went wrong last."""
    words = [f"{facts.calls:,} calls in 5 min"]
    if facts.limited:
        words.append(f"429 {facts.limited:,} times")
    if facts.blocked_s > 0:
        words.append(f"backing off {show_duration_s(max(1, int(facts.blocked_s)))}")
    waiting = f", {facts.waiting:,} waiting" if facts.waiting else ""
    words.append(f"rate budget {int(facts.tokens):,} of {facts.burst:,}{waiting}")
    if facts.error:
        words.append(f"last trouble: {facts.error}")
    return Part(
        f"Platform, {facts.name}",
        _platform_condition(facts),
        "; ".join(words),
        latency_s=facts.latency_s,
        heard_s=facts.ok_age_s,
    )


def _platform_condition(facts: PlatformFacts) -> Condition:
    if facts.ok_age_s is None and facts.error_age_s is None:
        return Condition.UNKNOWN
    failed_last = facts.error_age_s is not None and (
        facts.ok_age_s is None or facts.error_age_s < facts.ok_age_s
    )
    if failed_last and (facts.ok_age_s is None or facts.ok_age_s > SILENT_S):
        return Condition.DOWN
    is_slow = facts.latency_s is not None and facts.latency_s > SLOW_S
    if is_slow or facts.limited or facts.blocked_s > 0 or facts.troubles * 10 > facts.calls:
        return Condition.SLOW
    return Condition.OK
