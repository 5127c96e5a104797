"""The words of state, as stored in the database, and which word may follow which."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Final


class FleetState(StrEnum):
    """What a fleet is doing. Never stored as a fact of its own: `fleet_state` derives it."""

    CREATING = "creating"
    RUNNING = "running"
    WAITING = "waiting"
    HELD = "held"
    CANCELLING = "cancelling"
    DELETING = "deleting"
    CANCELLED = "cancelled"
    BUDGET_EXHAUSTED = "budget_exhausted"
    FAILED = "failed"
    FINISHED = "finished"
    DELETED = "deleted"


class TurnState(StrEnum):
    """Where one attempt of an agent stands in its life."""

    QUEUED = "queued"
    DISPATCHING = "dispatching"
    RUNNING = "running"
    ENDED = "ended"


class TurnOutcome(StrEnum):
    """How an attempt ended. `unknown`: not yet read again; the waiting ones wait for a person."""

    COMPLETED = "completed"
    FAILED = "failed"
    BUDGET_EXHAUSTED = "budget_exhausted"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    NOT_STARTED = "not_started"
    UNKNOWN = "unknown"
    WAITING_APPROVAL = "waiting_approval"
    WAITING_QUESTION = "waiting_question"
    WAITING_PLAN = "waiting_plan"


class OutcomeReason(StrEnum):
    """Why something was never started."""

    BUDGET = "budget"
    DEADLINE = "deadline"
    ENOUGH = "enough"
    FROZEN = "frozen"
    CANCELLED = "cancelled"
    # No machine is left that could do it.
    MACHINES = "machines"


class TaskState(StrEnum):
    """Where one piece of work stands, over all its attempts."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    BUDGET_EXHAUSTED = "budget_exhausted"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    NOT_STARTED = "not_started"
    UNKNOWN = "unknown"
    WAITING_APPROVAL = "waiting_approval"
    WAITING_QUESTION = "waiting_question"
    WAITING_PLAN = "waiting_plan"


class OperationKind(StrEnum):
    """The acts that take time."""

    LAUNCH = "launch"
    HOLD = "hold"
    RELEASE = "release"
    CUT_OFF = "cut_off"
    REOPEN = "reopen"
    CANCEL = "cancel"
    DELETE = "delete"
    STOP_MACHINES = "stop_machines"
    INTERRUPT = "interrupt"


class OperationState(StrEnum):
    """`failed` ended with something left to do; `unknown` could not be read again."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Afterwards(StrEnum):
    """What becomes of the machines after the last task."""

    DELETE = "delete"
    STOP = "stop"
    KEEP = "keep"


class StreamEnd(StrEnum):
    """How an event stream of a turn ended; a turn is over only on `terminal`."""

    TERMINAL = "terminal"
    GAP = "gap"
    UNFINISHED = "unfinished"


class Role(StrEnum):
    """What a person may do; a stranger is signed in without any role."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"
    STRANGER = ""


class Pattern(StrEnum):
    """How the tasks of a fleet come to its agents."""

    # One task for each agent.
    MAP = "map"
    # A list of tasks that agents take from, whenever they are free.
    POOL = "pool"
    # No agents, no tasks: machines that people and programs use from elsewhere.
    MACHINES = "machines"


class Origin(StrEnum):
    """Where a fleet comes from: launched here, made by an agent of a fleet we know, or found on the
    account and made by somebody else.
    """

    OURS = "ours"
    SPAWNED = "spawned"
    FOREIGN = "foreign"


class KeyKnownBy(StrEnum):
    """How a found fleet's key was told from the others of the account.

    `name`: it bears the fleet's id. `time`: the only key minted right before the fleet was made.
    """

    NAME = "name"
    TIME = "time"


WAITING_OUTCOMES: Final = frozenset(
    {TurnOutcome.WAITING_APPROVAL, TurnOutcome.WAITING_QUESTION, TurnOutcome.WAITING_PLAN}
)
WAITING_TASKS: Final = frozenset(
    {TaskState.WAITING_APPROVAL, TaskState.WAITING_QUESTION, TaskState.WAITING_PLAN}
)
TERMINAL_OUTCOMES: Final = frozenset(TurnOutcome) - WAITING_OUTCOMES - {TurnOutcome.UNKNOWN}
TERMINAL_TASKS: Final = (
    frozenset(TaskState) - WAITING_TASKS - {TaskState.QUEUED, TaskState.RUNNING, TaskState.UNKNOWN}
)
TERMINAL_OPERATIONS: Final = frozenset({OperationState.DONE, OperationState.FAILED})
TERMINAL_FLEETS: Final = frozenset(
    {
        FleetState.CANCELLED,
        FleetState.BUDGET_EXHAUSTED,
        FleetState.FAILED,
        FleetState.FINISHED,
        FleetState.DELETED,
    }
)


def task_state_from(outcome: TurnOutcome | None) -> TaskState:
    """The state of a task whose latest turn has this outcome; None means the turn is under way."""
    return TaskState.RUNNING if outcome is None else TaskState(outcome.value)


@dataclass(frozen=True, slots=True)
class StateCounts:
    """How many tasks of a run (or agents of a fleet) are in each state."""

    queued: int = 0
    running: int = 0
    completed: int = 0
    failed: int = 0
    budget_exhausted: int = 0
    cancelled: int = 0
    timed_out: int = 0
    not_started: int = 0
    unknown: int = 0
    waiting: int = 0

    @property
    def total(self) -> int:
        """All tasks, each counted once."""
        return sum(getattr(self, field.name) for field in fields(self))

    @property
    def open(self) -> int:
        """Tasks that may still change: queued, running, waiting or of unknown outcome."""
        return self.queued + self.running + self.waiting + self.unknown

    @property
    def ended(self) -> int:
        """Tasks that will not change any more."""
        return self.total - self.open

    @classmethod
    def of(cls, states: Iterable[TaskState]) -> "StateCounts":
        """Count a list of states, one per task."""
        counted: dict[TaskState, int] = {}
        for state in states:
            counted[state] = counted.get(state, 0) + 1
        return cls.from_mapping(counted)

    @classmethod
    def from_mapping(cls, counted: Mapping[TaskState, int]) -> "StateCounts":
        """From counts per task state, as a GROUP BY gives; the three waiting ones are added."""
        named: dict[str, int] = {}
        for state, count in counted.items():
            name = "waiting" if state in WAITING_TASKS else state.value
            named[name] = named.get(name, 0) + count
        return cls(**named)


@dataclass(frozen=True, slots=True)
class FleetFacts:
    """What decides a fleet's state.

    `creating`: machines are still being made and nothing was sent. `cancelling`, `deleting`: that
    operation is under way. `cancelled`: a cancel of the whole fleet has ended and kept something
    from completing. `held`: no new turns are sent. `budget_stopped`: work was refused, or not
    begun, for want of budget. `gone`: the platform has nothing left of it. `run_ended`: the driver
    has given up reading again what is still unknown. `found`: it was not launched here, and as long
    as no task of it is known the platform's word and its running machines are all there is to tell.
    `only_machines`: the same of a fleet without agents; `none_made`: none of its machines came up.
    """

    counts: StateCounts = StateCounts()
    creating: bool = False
    deleting: bool = False
    gone: bool = False
    cancelling: bool = False
    cancelled: bool = False
    held: bool = False
    budget_stopped: bool = False
    run_ended: bool = False
    found: bool = False
    only_machines: bool = False
    none_made: bool = False
    platform_status: str = ""
    machines_running: int = 0


def _live_state(facts: FleetFacts) -> FleetState | None:
    counts = facts.counts
    still_open = counts.open - (counts.unknown if facts.run_ended else 0)
    in_order = (
        (FleetState.DELETED, facts.gone),
        (FleetState.DELETING, facts.deleting),
        (FleetState.CREATING, facts.creating),
        (FleetState.CANCELLING, facts.cancelling),
        # A hold with nothing left to send would only hide how the work ended.
        (FleetState.HELD, facts.held and still_open > 0),
        (FleetState.WAITING, counts.waiting > 0),
        (FleetState.RUNNING, still_open > 0),
    )
    return next((state for state, fits in in_order if fits), None)


def _state_of_machines(facts: FleetFacts) -> FleetState:
    """Of a fleet without agents, or one that was found while nothing is known of what they do."""
    in_order = (
        (FleetState.CANCELLED, facts.cancelled),
        (FleetState.FAILED, facts.platform_status == "failed" or facts.none_made),
        (FleetState.RUNNING, facts.machines_running > 0),
    )
    return next((state for state, fits in in_order if fits), FleetState.FINISHED)


def _ended_state(facts: FleetFacts) -> FleetState:
    counts = facts.counts
    if (facts.found or facts.only_machines) and not counts.total:
        return _state_of_machines(facts)
    if facts.cancelled:
        return FleetState.CANCELLED
    if facts.budget_stopped or counts.budget_exhausted > 0:
        return FleetState.BUDGET_EXHAUSTED
    if counts.completed == 0:
        return FleetState.FAILED
    return FleetState.FINISHED


def fleet_state(facts: FleetFacts) -> FleetState:
    """The one word for a fleet: first that fits, what is under way before how it ended."""
    return _live_state(facts) or _ended_state(facts)
