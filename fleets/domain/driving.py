"""What one tick of a run does next: pure decisions over what is known, no I/O and no clock.

A run is driven by ticks. Each reads what may have changed, then begins as many turns as are
allowed at that moment. The rules here say which; the services carry them out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from fleets.domain.status import TurnState

FAST_READ_S: Final = 0.5
SLOWEST_READ_S: Final = 5.0
KEY_READ_S: Final = 2.0
REDISPATCH_FIRST_S: Final = 1.0
REDISPATCH_LAST_S: Final = 30.0
TIMEOUT_GRACE_S: Final = 30.0
# A request without an answer may still arrive; after so long nobody expects it any more.
UNANSWERED_S: Final = 30.0
# How often a fleet's row is read while its machines are made, sooner in the first moments, and the
# least that the account's rate allows: a fifth of the requests.
UNSETTLED_READ_S: Final = 0.5
UNSETTLED_FIRST_S: Final = 0.1
UNSETTLED_SHARE: Final = 0.2
# Reading may take this share of the account's requests; the rest is for dispatches and stopping.
READ_SHARE: Final = 0.5
# A round of calls takes about this long at the account's rate, so that a tick stays short.
ROUND_S: Final = 3
SMALLEST_ROUND: Final = 8
# However large the plan: what a round brings is in memory at once, and a round that takes minutes
# is overtaken by the turns it has begun.
LARGEST_ROUND: Final = 500


@dataclass(frozen=True, slots=True)
class MachineView:
    """A machine as the driver sees it. `is_warm`: a turn on it has reached a model."""

    machine: int
    is_ready: bool
    is_warm: bool


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A turn that has not ended. `is_due`: it may be sent (again) now."""

    turn: int
    machine: int
    state: TurnState
    is_due: bool


@dataclass(frozen=True, slots=True)
class QueuedTask:
    """A task that waits for a turn. Without agent and machine it is any free agent's."""

    task: int
    machine: int | None = None
    agent: int | None = None


@dataclass(frozen=True, slots=True)
class FreeAgent:
    """An agent of a pool that has no turn under way."""

    agent: int
    machine: int


@dataclass(frozen=True, slots=True)
class Beginning:
    """Which turns to send now: first dispatches of tasks, and repeats of turns already written.

    `takers`: which agent takes a task that had none.
    """

    tasks: tuple[int, ...]
    turns: tuple[int, ...]
    takers: Mapping[int, int] = field(default_factory=dict)


def choose(
    *,
    queued: Sequence[QueuedTask],
    open_turns: Sequence[OpenTurn],
    machines: Sequence[MachineView],
    slots: int,
    most: int,
    may_begin: bool,
    free_agents: Sequence[FreeAgent] = (),
) -> Beginning:
    """Choose what to send.

    `slots` is how many turns may be in flight at once in all, `most` how many are sent in one
    round; `may_begin` is False while the fleet is held, stopping or refused by its budget. A
    machine that is not warm yet gets one turn only, an agent never two at once. Repeats of a turn
    that was written before come first: whether they run already is unknown, and only their own id
    can tell. Tasks of nobody go to `free_agents`, first to first.
    """
    ready = {view.machine: view for view in machines if view.is_ready}
    due = tuple(
        turn.turn
        for turn in open_turns
        if turn.state in {TurnState.QUEUED, TurnState.DISPATCHING}
        and turn.is_due
        and turn.machine in ready
    )
    if not may_begin:
        return Beginning(tasks=(), turns=())
    repeats = due[:most]
    places = _Places(ready, {turn.machine for turn in open_turns})
    waiting = iter(free_agents)
    free = min(most, max(0, slots - len(open_turns)))
    tasks: list[int] = []
    takers: dict[int, int] = {}
    for task in queued:
        if len(tasks) >= free:
            break
        if task.agent is not None and task.machine is not None:
            if places.take(task.agent, task.machine):
                tasks.append(task.task)
            continue
        taker = next((one for one in waiting if places.take(one.agent, one.machine)), None)
        if taker is not None:
            tasks.append(task.task)
            takers[task.task] = taker.agent
    return Beginning(tasks=tuple(tasks), turns=repeats, takers=takers)


@dataclass(slots=True)
class _Places:
    """Where a turn may begin in this round."""

    ready: Mapping[int, MachineView]
    busy_machines: set[int]
    busy_agents: set[int] = field(default_factory=set)

    def take(self, agent: int, machine: int) -> bool:
        """Take the place of an agent, if it has one."""
        view = self.ready.get(machine)
        if view is None or agent in self.busy_agents:
            return False
        if not view.is_warm and machine in self.busy_machines:
            return False
        self.busy_agents.add(agent)
        self.busy_machines.add(machine)
        return True


def round_limit(rate_per_minute: int) -> int:
    """How many calls of one kind a round may hold: about three seconds' worth of the rate."""
    return min(LARGEST_ROUND, max(SMALLEST_ROUND, rate_per_minute * ROUND_S // 60))


def fleet_read_s(rate_per_minute: int, *, ordered_s_ago: float) -> float:
    """Seconds between two reads of a fleet whose machines are being made."""
    by_age = min(UNSETTLED_READ_S, max(UNSETTLED_FIRST_S, ordered_s_ago))
    if rate_per_minute <= 0:
        return by_age
    return max(by_age, 60 / (rate_per_minute * UNSETTLED_SHARE))


def read_interval_s(
    *, youngest_turn_s: float, machines: int, rate_per_minute: int, is_cut_short: bool = False
) -> float:
    """Seconds from the beginning of one reading of machines with open turns to the next.

    Short while turns are young, longer as the youngest grows old, and never more often than the
    account's rate leaves room for (one request per machine). `is_cut_short`: the round was full and
    more could be done at once, so only the rate says when.
    """
    by_age = min(SLOWEST_READ_S, max(FAST_READ_S, youngest_turn_s / 20))
    if is_cut_short:
        by_age = 0.0
    if rate_per_minute <= 0:
        return by_age
    by_rate = machines / (rate_per_minute / 60 * READ_SHARE)
    return max(by_age, by_rate)


def redispatch_after_s(dispatches: int) -> float:
    """Seconds to wait before the same turn is sent once more; doubles up to half a minute."""
    return float(min(REDISPATCH_LAST_S, REDISPATCH_FIRST_S * 2 ** max(0, min(dispatches, 10) - 1)))


def is_overdue(*, begun_at: datetime | None, timeout_s: int, now: datetime) -> bool:
    """Whether a turn is past its time, and past the grace in which the platform ends it."""
    if begun_at is None:
        return False
    return now - begun_at > timedelta(seconds=timeout_s + TIMEOUT_GRACE_S)


def may_still_arrive(*, requested_at: datetime | None, now: datetime) -> bool:
    """Whether a request that was sent then, and never answered, may yet be carried out."""
    return requested_at is not None and now - requested_at < timedelta(seconds=UNANSWERED_S)
