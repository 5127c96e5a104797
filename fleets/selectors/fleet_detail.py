"""The head of the fleet page: where it stands, who answers for it, what it costs, what comes next.

Everything is read from the fleet's own row, so it costs no query and is the same for 50 agents and
for 10,000; only what stands in the way of a stop or a launch is asked of its operation.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse

from fleets.domain.afterwards import afterwards_label
from fleets.domain.numbers import counted, show_count, show_duration_s
from fleets.domain.prices import MachineSize
from fleets.domain.status import TERMINAL_FLEETS, Afterwards, FleetState, Origin, Pattern
from fleets.models import Fleet
from fleets.selectors.answers import verdict_words
from fleets.selectors.fleet_spend import WORKING
from fleets.selectors.freshness import awaited_since, stale_since
from fleets.selectors.run_time import run_time
from fleets.selectors.trouble import Trouble, trouble, was_refused

_FAVICONS: Final = {
    FleetState.CREATING: "running",
    FleetState.RUNNING: "running",
    FleetState.WAITING: "waiting",
    FleetState.HELD: "waiting",
    FleetState.FINISHED: "finished",
    FleetState.FAILED: "failed",
    FleetState.BUDGET_EXHAUSTED: "budget",
    FleetState.CANCELLED: "stopped",
    FleetState.CANCELLING: "stopped",
    FleetState.DELETING: "stopped",
    FleetState.DELETED: "stopped",
}


@dataclass(frozen=True, slots=True)
class Countdown:
    """What becomes of the machines at `due_at`, and what they cost until then."""

    act: Afterwards
    due_at: datetime
    machines: int
    nusd_per_hour: int


@dataclass(frozen=True, slots=True)
class Idle:
    """Machines that cost although nothing runs on them and nothing will remove them soon."""

    machines: int
    nusd_per_hour: int


@dataclass(frozen=True, slots=True)
class FleetHead:
    """What stands above the tabs. Viewer-neutral: what a viewer may do is decided beside it."""

    public_id: str
    name: str
    state: str
    label: str
    since: datetime
    ended_at: datetime | None
    key: str
    owner: str
    team: str
    parent_name: str
    parent_public_id: str
    lifetime_ends_at: datetime | None
    afterwards: str
    machines_now: str
    countdown: Countdown | None
    idle: Idle | None
    sentence: str
    is_found: bool
    has_agents: bool
    is_demo: bool
    is_over: bool
    is_gone: bool
    is_working: bool
    tasks: str
    trouble: Trouble | None
    stale_since: datetime | None
    read_at: datetime | None
    cut_off_at: datetime | None
    cutting_since: datetime | None
    title: str
    favicon: str
    summary: str

    @property
    def has_afterwards(self) -> bool:
        """Whether something is still to become of the machines."""
        if self.is_gone or self.is_found:
            return False
        return self.state != FleetState.DELETING and not self.was_refused

    @property
    def was_refused(self) -> bool:
        """Whether the platform would not have it: there never were machines."""
        return self.trouble is not None and self.trouble.state == "failed"

    @property
    def is_cutting(self) -> bool:
        """Whether a cut off was ordered that the platform has not confirmed."""
        return self.cutting_since is not None and not self.is_over


def fleet_head(fleet: Fleet, *, now: datetime) -> FleetHead:
    """The head of one fleet. Needs `team` and `owner` loaded; no query while all is well."""
    state = FleetState(fleet.state)
    over = state in TERMINAL_FLEETS
    ran = run_time(fleet)
    machines_now = _machines_now(fleet)
    return FleetHead(
        public_id=fleet.public_id,
        name=fleet.name,
        state=state.value,
        label=_label(fleet, state),
        since=ran.since,
        ended_at=ran.ended_at or (fleet.state_since if over else None),
        key=key_words(fleet),
        owner=fleet.owner.username if fleet.owner else "nobody",
        team=fleet.team.name,
        parent_name=fleet.parent.name if fleet.parent else "",
        parent_public_id=fleet.parent.public_id if fleet.parent else "",
        lifetime_ends_at=_lifetime_ends(fleet),
        afterwards=afterwards_words(fleet),
        machines_now=machines_now,
        countdown=_countdown(fleet, machines_now=machines_now),
        idle=_idle(fleet),
        sentence=what_happened(fleet),
        is_found=fleet.found_at is not None,
        has_agents=fleet.pattern != Pattern.MACHINES,
        is_demo=fleet.is_demo,
        is_over=over,
        is_gone=state is FleetState.DELETED,
        is_working=state in WORKING,
        tasks=_tasks_words(fleet),
        trouble=trouble(fleet),
        stale_since=stale_since(fleet, now=now),
        read_at=awaited_since(fleet),
        cut_off_at=fleet.cut_off_confirmed_at,
        cutting_since=None if fleet.cut_off_confirmed_at else fleet.cut_off_requested_at,
        title=page_title(fleet),
        favicon=_FAVICONS[state],
        summary=_summary(fleet),
    )


def answered_words(fleet: Fleet) -> str:
    """How many tasks have ended, of a pool with how many there are: "12" or "12/40"."""
    answered = fleet.tasks_total - fleet.tasks_queued - fleet.tasks_running - fleet.tasks_waiting
    if fleet.pattern == Pattern.POOL:
        return f"{answered:,}/{fleet.tasks_total:,}"
    return f"{answered:,}"


def _tasks_words(fleet: Fleet) -> str:
    """What a pool has done of its list: "12 of 40 tasks done, 3 at work", and what became
    of answers that are checked.
    """
    if fleet.pattern != Pattern.POOL:
        return verdict_words(fleet) and f"answers: {verdict_words(fleet)}"
    ended = fleet.tasks_total - fleet.tasks_queued - fleet.tasks_running - fleet.tasks_waiting
    words = f"{show_count(ended)} of {counted(fleet.tasks_total, 'task')} done"
    if fleet.tasks_running:
        words += f", {show_count(fleet.tasks_running)} at work"
    judged = verdict_words(fleet)
    return f"{words}; {judged}" if judged else words


def failed_count(fleet: Fleet) -> int:
    """Tasks that failed or ran out of time."""
    return fleet.tasks_failed + fleet.tasks_timed_out


def page_title(fleet: Fleet) -> str:
    """Title of the tab: `Fleet nightly-review · 3 failed · Fleets`."""
    failed = failed_count(fleet)
    if failed:
        middle = f"{failed:,} failed"
    elif fleet.state == FleetState.RUNNING and fleet.tasks_total:
        middle = f"{fleet.tasks_completed:,}/{fleet.tasks_total:,}"
    else:
        middle = fleet.state.replace("_", " ")
    return f"Fleet {fleet.name} · {middle} · Fleets"


def key_words(fleet: Fleet) -> str:
    """Who holds the fleet's key, in words."""
    if not fleet.budget_is_known:
        return "its key is not known here"
    if fleet.budget_nusd is None and not fleet.key_id:
        return "without a budget"
    if fleet.key_revoked_at is not None or fleet.state == FleetState.DELETED:
        return "key revoked"
    if fleet.origin != Origin.OURS:
        return "key held elsewhere: read, cancel, delete only"
    if fleet.key_secret is not None:
        return "key held here"
    return "no key was made" if fleet.state in TERMINAL_FLEETS else "no key yet"


def launch_url(fleet: Fleet) -> str:
    """The launch form, filled in like this fleet."""
    return f"{reverse('fleets:fleet_new')}?{urlencode({'from': fleet.public_id})}"


def machine_nusd_per_hour(fleet: Fleet) -> int:
    """What one machine of the fleet costs while it runs."""
    size = MachineSize(fleet.size, fleet.cpu_cores, fleet.memory_mib, fleet.disk_gib)
    return size.nusd_per_hour


def afterwards_words(fleet: Fleet) -> str:
    """What becomes of the machines after the last task: "then delete after 30 min"."""
    after = Afterwards(fleet.after)
    if fleet.pattern == Pattern.MACHINES:
        label = afterwards_label(after, after_delay_s=fleet.after_delay_s)
        return "kept to its end" if after is Afterwards.KEEP else f"{label}, once all are made"
    if after is Afterwards.KEEP:
        return "then keep the machines"
    return f"then {afterwards_label(after, after_delay_s=fleet.after_delay_s)}"


def what_happened(fleet: Fleet) -> str:
    """One sentence on a fleet that is over, "" while it goes on. Money is told beside it."""
    state = FleetState(fleet.state)
    if state not in TERMINAL_FLEETS:
        return ""
    if fleet.pattern == Pattern.MACHINES:
        return _what_became_of_machines(fleet, state)
    total = fleet.tasks_total or fleet.agents_total
    parts = [f"{show_count(fleet.tasks_completed)} of {show_count(total)} completed"]
    for count, word in (
        (failed_count(fleet), "failed"),
        (fleet.tasks_budget, "refused by the budget"),
        (fleet.tasks_not_started, "not started"),
        (fleet.tasks_cancelled, "cancelled"),
        (fleet.tasks_unknown, "of unknown outcome"),
    ):
        if count:
            parts.append(f"{show_count(count)} {word}")
    judged = verdict_words(fleet)
    answers = f" Answers: {judged}." if judged else ""
    return f"{_OVER_WORDS[state]}{_how_long(fleet)}: {', '.join(parts)}.{answers}"


def _what_became_of_machines(fleet: Fleet, state: FleetState) -> str:
    """Of a fleet without agents."""
    if fleet.machines_running:
        rest = f"{counted(fleet.machines_running, 'machine')} still there"
    else:
        never = state is FleetState.FAILED
        rest = "no machine could be made" if never else "no machine runs any more"
    return f"{_OVER_WORDS[state]}{_how_long(fleet)}: {rest}."


_OVER_WORDS: Final = {
    FleetState.FINISHED: "Finished",
    FleetState.FAILED: "Failed",
    FleetState.CANCELLED: "Cancelled",
    FleetState.BUDGET_EXHAUSTED: "Stopped by its budget",
    FleetState.DELETED: "Over",
}


def _how_long(fleet: Fleet) -> str:
    ran = run_time(fleet)
    if fleet.started_at is None or ran.ended_at is None:
        return ""
    return f" after {show_duration_s(int(ran.seconds(now=ran.ended_at)))}"


def _label(fleet: Fleet, state: FleetState) -> str:
    if state is FleetState.CREATING and fleet.machines_total:
        return f"Creating {fleet.machines_running}/{fleet.machines_total}"
    return ""


def _lifetime_ends(fleet: Fleet) -> datetime | None:
    if fleet.created_on_platform_at is None or fleet.deleted_at is not None:
        return None
    if not fleet.lifetime_s:
        return None  # a found fleet whose policy does not say
    return fleet.created_on_platform_at + timedelta(seconds=fleet.lifetime_s)


_STOPPED: Final = "machines are stopped"
_NONE_LEFT: Final = "no machine is left"


def _machines_now(fleet: Fleet) -> str:
    """What became of the machines once work was over, "" while any runs. One query, then only."""
    if fleet.work_ended_at is None or fleet.machines_running or fleet.state in _LEAVING:
        return ""
    left = fleet.machines.filter(gone_at__isnull=True).exclude(
        status__in=["failed", "deleted", "expired"]
    )
    words = set(left.values_list("status", flat=True))
    if not words:
        return _NONE_LEFT
    return _STOPPED if words == {"stopped"} else ""


def _countdown(fleet: Fleet, *, machines_now: str) -> Countdown | None:
    after = Afterwards(fleet.after)
    due = fleet.cleanup_due_at
    if due is None or after is Afterwards.KEEP or fleet.state in _LEAVING or was_refused(fleet):
        return None
    if machines_now == _NONE_LEFT or (machines_now and after is Afterwards.STOP):
        return None
    machines = fleet.machines_running
    return Countdown(after, due, machines, machines * machine_nusd_per_hour(fleet))


_LEAVING: Final = frozenset({FleetState.DELETING, FleetState.DELETED})


def _idle(fleet: Fleet) -> Idle | None:
    machines = fleet.machines_running
    is_at_rest = fleet.state in {FleetState.HELD, FleetState.WAITING, *TERMINAL_FLEETS}
    if fleet.pattern == Pattern.MACHINES:
        is_at_rest = fleet.work_ended_at is not None
    if not machines or not is_at_rest or fleet.tasks_running or fleet.state in _LEAVING:
        return None
    return (
        None
        if _countdown(fleet, machines_now="")
        else Idle(machines, machines * machine_nusd_per_hour(fleet))
    )


def _summary(fleet: Fleet) -> str:
    """What the polite live region says, at most every ten seconds."""
    if not fleet.tasks_total:
        return ""
    words = f"{fleet.tasks_completed:,} of {fleet.tasks_total:,} finished"
    failed = failed_count(fleet)
    return f"{words}, {failed:,} failed" if failed else words
