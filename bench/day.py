"""A day of random fleets in accelerated time, with faults on: what is left when it is over.

The platform's clock runs `SPEED` times as fast as ours (`SPEED`, `SEED` in the environment); the
product's own waits are in real time. Fleets are launched evenly over the day, some are cancelled,
cut off or deleted while they work; at its end all are deleted, with the faults still on.
"""

import os
import random
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bench import house
from bench.drive import prepare
from bench.machine import children, memory_mb
from bench.tables import say, show

DAY_S = 86_400
SPEED = 120
SAMPLES = 12
# After the day: how long everything may take to be gone, in real seconds.
LIMIT_S = 420.0
NUSD_PER_CENT = 10_000_000
DIALS = {
    "failure_share": 0.06,
    "machine_failure_share": 0.03,
    "turn_time_factor": 10,
    "create_time_factor": 10,
    "cold_start_race": 1,
}
FAULTS: tuple[dict[str, Any], ...] = (
    {"operation": "*", "kind": "rate_limit", "probability": 0.005, "retryAfter": 1},
    {"operation": "*", "kind": "reset", "probability": 0.01},
    {"operation": "*", "kind": "error", "probability": 0.01, "status": 502},
    {"operation": "sessions.list", "kind": "latency", "probability": 0.05, "latencyMs": 400},
    {"operation": "fleets.create", "kind": "timed_out_but_happened", "probability": 0.05,
     "latencyMs": 200},
    {"operation": "sessions.dispatch", "kind": "timed_out_but_happened", "probability": 0.02,
     "latencyMs": 200},
    {"operation": "sessions.events", "kind": "truncate", "probability": 0.03},
    {"operation": "sessions.events", "kind": "drop_event", "probability": 0.05},
    {"operation": "sessions.events", "kind": "duplicate_event", "probability": 0.05},
    {"operation": "sessions.dispatch", "kind": "out_of_memory", "probability": 0.02},
)  # fmt: skip
PROMPTS = (
    "Review part {index}.",
    "Review part {index}. [[ok]]",
    "[[slow 900]] Migrate part {index}.",
    "[[ask question]] Decide on part {index}.",
    "[[fail tool]] Deploy part {index}.",
    "[[spawn 1]] Split part {index}.",
)
WEIGHTS = (6, 6, 2, 1, 1, 1)
HEAD = (
    "hour", "launched", "fleets", "sandboxes", "keys", "open tasks", "open operations",
    "emulator: tasks", "due", "waited for", "MB", "worker MB", "beat MB",
)  # fmt: skip


@dataclass
class Day:
    """What runs, and what has been launched and ordered so far."""

    platform: house.Server
    pids: dict[str, int]
    actor: Any
    rng: random.Random
    launched: int = 0

    def ask(self, path: str) -> Any:
        return house.control(self.platform, "GET", path)


def main(fleets: list[int]) -> None:
    """A day for each number of fleets."""
    for count in fleets:
        _day(count)


def _day(count: int) -> None:
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(1_000_000))
    speed = int(os.environ.get("SPEED") or SPEED)
    say(f"a day of {count} fleets at {speed} times real time, seed {seed}")
    house.empty()
    with house.emulator() as platform:
        dials = {**DIALS, "event_retention_s": 300 * speed}
        house.control(platform, "POST", "dials", dials)
        actor = prepare(platform)
        house.control(platform, "POST", "clock", {"speed": speed})
        for fault in FAULTS:
            house.control(platform, "POST", "faults", fault)
        with house.workers() as pids:
            day = Day(platform, pids, actor, random.Random(seed))
            rows = _live_through(day, count, speed=speed)
            ended = _end(day)
            rows.append(_sample(day, "end"))
            note = f"{ended}\n{_told(day)}"
            show(f"A day of {count} fleets, {speed} times real time, seed {seed}", HEAD, rows, note)


def _live_through(day: Day, count: int, *, speed: int) -> list[tuple[str, ...]]:
    """Launch and order as planned; a row every two hours."""
    gap_s = DAY_S / count / speed
    began = time.monotonic()
    orders: list[tuple[float, str, Any]] = []
    rows = [_sample(day, "0")]
    for number in range(count):
        due = began + number * gap_s
        while time.monotonic() < due:
            orders = _carry_out(day, orders)
            time.sleep(min(0.2, max(0.0, due - time.monotonic())))
        fleet = _launch(day, number)
        if fleet is not None and day.rng.random() < 0.3:
            act = day.rng.choice(("cancel", "cancel", "cut", "delete"))
            orders.append((time.monotonic() + day.rng.uniform(2, 20), act, fleet))
        if (number + 1) % max(1, count // SAMPLES) == 0:
            rows.append(_sample(day, f"{(number + 1) * 24 / count:.0f}"))
    return rows


def _launch(day: Day, number: int) -> Any:
    from fleets.domain.errors import DomainError
    from fleets.domain.spec import LaunchSpec
    from fleets.services.launch import launch_fleet

    rng = day.rng
    has_budget = rng.random() < 0.7
    spec = LaunchSpec(
        name=f"day-{number}",
        team_slug="bench",
        count=rng.randint(1, 6),
        prompt=rng.choices(PROMPTS, WEIGHTS)[0],
        # Above what a small machine may cost over its lifetime, or the platform refuses the fleet.
        budget_nusd=rng.randint(110, 400) * NUSD_PER_CENT if has_budget else None,
        at_once=None if has_budget and rng.random() < 0.5 else rng.randint(1, 4),
        after_delay_s=rng.randint(0, 20),
        lifetime_s=12 * 3_600,
        task_timeout_s=3_600,
    )
    try:
        fleet = launch_fleet(spec, actor=day.actor, idempotency_key=f"day-{number}")
    except DomainError as error:
        say(f"fleet {number} was refused: {error}")
        return None
    day.launched += 1
    return fleet


def _carry_out(day: Day, orders: list[tuple[float, str, Any]]) -> list[tuple[float, str, Any]]:
    """Do what is due; the orders that are left."""
    from fleets.domain.errors import DomainError
    from fleets.services.cancel import cancel_fleet
    from fleets.services.cut_off import cut_off_fleet

    acts: dict[str, Any] = {"cancel": cancel_fleet, "cut": cut_off_fleet, "delete": _delete}
    left = []
    for due, act, fleet in orders:
        if due > time.monotonic():
            left.append((due, act, fleet))
            continue
        try:
            acts[act](fleet, actor=day.actor, reason="a day of random fleets")
        except DomainError:
            # Its work had ended, or it has no key: that is a day like any other.
            continue
    return left


def _delete(fleet: Any, *, actor: Any, reason: str) -> None:
    from fleets.services.delete import delete_fleet

    delete_fleet(fleet, actor=actor, reason=reason, typed_name=fleet.name)


def _end(day: Day) -> str:
    """Delete all, and wait until nothing is left or the limit is reached; a sentence on it."""
    from fleets.domain.errors import DomainError
    from fleets.models import Fleet

    began = time.monotonic()
    for fleet in Fleet.objects.filter(delete_requested_at__isnull=True):
        # Most are gone already: their machines went after their last task.
        with suppress(DomainError):
            _delete(fleet, actor=day.actor, reason="the day is over")
    while time.monotonic() - began < LIMIT_S:
        left = day.ask("left")
        if not any(left.values()) and not any(_open_here()):
            return f"All was gone {time.monotonic() - began:.0f} s after the day."
        time.sleep(1)
    return f"NOT all was gone {LIMIT_S:.0f} s after the day."


def _open_here() -> tuple[int, int]:
    """(tasks, operations) that the product still holds open."""
    from fleets.domain.status import OperationState, TaskState
    from fleets.models import Operation, Task

    tasks = Task.objects.filter(state__in=[TaskState.QUEUED, TaskState.RUNNING])
    operations = Operation.objects.filter(state__in=[OperationState.QUEUED, OperationState.RUNNING])
    return tasks.count(), operations.count()


def _sample(day: Day, hour: str) -> tuple[str, ...]:
    left, load = day.ask("left"), day.ask("load")
    tasks, operations = _open_here()
    worker = max(map(memory_mb, children(day.pids["worker"])), default=0.0)
    row = (
        hour,
        str(day.launched),
        *(str(len(left[name])) for name in ("fleets", "sandboxes", "keys")),
        str(tasks),
        str(operations),
        *(str(load[name]) for name in ("tasks", "due", "waiting")),
        f"{memory_mb(day.platform.pid):.0f}",
        f"{worker:.0f}",
        f"{memory_mb(day.pids['beat']):.0f}",
    )
    say("  ".join(f"{name} {value}" for name, value in zip(HEAD, row, strict=True)))
    return row


def _told(day: Day) -> str:
    """How fleets, tasks and operations ended, what struck, and what is left."""
    from fleets.models import Fleet, Operation, Task

    def by(rows: Any, *names: str) -> str:
        found = Counter(" ".join(row) for row in rows.values_list(*names))
        return ", ".join(f"{name} {count}" for name, count in found.most_common())

    failed = Operation.objects.filter(kind="launch", state="failed")
    faults: Counter[str] = Counter()
    for one in day.ask("faults")["faults"]:
        faults[one["kind"]] += one["hits"]
    struck = ", ".join(f"{kind} {hits}" for kind, hits in faults.most_common())
    return "\n".join(
        (
            f"Requests: {day.ask('load')['requests']:,}. Faults that struck: {struck}.",
            f"Fleets: {by(Fleet.objects.all(), 'state')}.",
            f"Tasks: {by(Task.objects.all(), 'state')}.",
            f"Operations: {by(Operation.objects.all(), 'kind', 'state')}.",
            f"Launches that failed: {by(failed, 'sentence') or 'none'}",
            f"Left: {day.ask('left')}.",
        )
    )
