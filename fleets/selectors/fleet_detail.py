"""The head of the fleet page: where it stands, who answers for it, what it costs, what comes next.

Everything is read from the fleet's own row, so it costs no query and is the same for 50 agents and
for 10,000.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from fleets.domain.money import show_used
from fleets.domain.numbers import show_count, show_duration_s
from fleets.domain.prices import MachineSize
from fleets.domain.status import TERMINAL_FLEETS, Afterwards, FleetState, Origin
from fleets.models import Fleet

# Without a word from the platform for this long, the page says that its data is old.
STALE_AFTER: Final = timedelta(seconds=60)

_AFTERWARDS: Final = {
    Afterwards.DELETE: "delete",
    Afterwards.STOP: "stop",
    Afterwards.KEEP: "keep",
}
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
    countdown: Countdown | None
    sentence: str
    is_over: bool
    is_gone: bool
    error: str
    stale_since: datetime | None
    seen_at: datetime | None
    cut_off_at: datetime | None
    cutting_since: datetime | None
    title: str
    favicon: str
    summary: str

    @property
    def is_cutting(self) -> bool:
        """Whether a cut off was ordered that the platform has not confirmed."""
        return self.cutting_since is not None and not self.is_over


def fleet_head(fleet: Fleet, *, now: datetime) -> FleetHead:
    """The head of one fleet. Needs `team` and `owner` loaded; no query of its own."""
    state = FleetState(fleet.state)
    over = state in TERMINAL_FLEETS
    return FleetHead(
        public_id=fleet.public_id,
        name=fleet.name,
        state=state.value,
        label=_label(fleet, state),
        since=fleet.started_at or fleet.created_at,
        ended_at=(fleet.work_ended_at or fleet.state_since) if over else None,
        key=key_words(fleet),
        owner=fleet.owner.username if fleet.owner else "nobody",
        team=fleet.team.name,
        parent_name=fleet.parent.name if fleet.parent else "",
        parent_public_id=fleet.parent.public_id if fleet.parent else "",
        lifetime_ends_at=_lifetime_ends(fleet),
        afterwards=afterwards_words(fleet),
        countdown=_countdown(fleet),
        sentence=what_happened(fleet),
        is_over=over,
        is_gone=state is FleetState.DELETED,
        error=fleet.last_error,
        stale_since=_stale_since(fleet, now=now),
        seen_at=fleet.platform_seen_at,
        cut_off_at=fleet.cut_off_confirmed_at,
        cutting_since=None if fleet.cut_off_confirmed_at else fleet.cut_off_requested_at,
        title=page_title(fleet),
        favicon=_FAVICONS[state],
        summary=_summary(fleet),
    )


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
    if fleet.budget_nusd is None and not fleet.key_id:
        return "without a budget"
    if fleet.key_revoked_at is not None:
        return "key revoked"
    if fleet.origin == Origin.OURS and fleet.key_secret is not None:
        return "key held here"
    return "key held elsewhere: read, cancel, delete only"


def machine_nusd_per_hour(fleet: Fleet) -> int:
    """What one machine of the fleet costs while it runs."""
    size = MachineSize(fleet.size, fleet.cpu_cores, fleet.memory_mib, fleet.disk_gib)
    return size.nusd_per_hour


def afterwards_words(fleet: Fleet) -> str:
    """What becomes of the machines after the last task: "then delete after 30 min"."""
    after = Afterwards(fleet.after)
    if after is Afterwards.KEEP:
        return "then keep the machines"
    minutes = fleet.after_delay_s // 60
    when = f" after {minutes} min" if minutes else " at once"
    return f"then {_AFTERWARDS[after]}{when}"


def what_happened(fleet: Fleet) -> str:
    """One sentence on a fleet that is over, "" while it goes on."""
    state = FleetState(fleet.state)
    if state not in TERMINAL_FLEETS:
        return ""
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
    if fleet.spent_nusd is not None:
        parts.append(f"{show_used(fleet.spent_nusd)} spent")
    return f"{_OVER_WORDS[state]}{_how_long(fleet)}: {', '.join(parts)}."


_OVER_WORDS: Final = {
    FleetState.FINISHED: "Finished",
    FleetState.FAILED: "Failed",
    FleetState.CANCELLED: "Cancelled",
    FleetState.BUDGET_EXHAUSTED: "Stopped by its budget",
    FleetState.DELETED: "Over",
}


def _how_long(fleet: Fleet) -> str:
    if fleet.started_at is None or fleet.work_ended_at is None:
        return ""
    seconds = max(0, int((fleet.work_ended_at - fleet.started_at).total_seconds()))
    return f" after {show_duration_s(seconds)}"


def _label(fleet: Fleet, state: FleetState) -> str:
    if state is FleetState.CREATING and fleet.machines_total:
        return f"Creating {fleet.machines_running}/{fleet.machines_total}"
    return ""


def _lifetime_ends(fleet: Fleet) -> datetime | None:
    if fleet.created_on_platform_at is None or fleet.deleted_at is not None:
        return None
    return fleet.created_on_platform_at + timedelta(seconds=fleet.lifetime_s)


def _countdown(fleet: Fleet) -> Countdown | None:
    after = Afterwards(fleet.after)
    due = fleet.cleanup_due_at
    if due is None or after is Afterwards.KEEP or fleet.state in _LEAVING:
        return None
    machines = fleet.machines_running
    return Countdown(after, due, machines, machines * machine_nusd_per_hour(fleet))


_LEAVING: Final = frozenset({FleetState.DELETING, FleetState.DELETED})


def _stale_since(fleet: Fleet, *, now: datetime) -> datetime | None:
    seen = fleet.platform_seen_at
    if seen is None or fleet.state in TERMINAL_FLEETS or now - seen < STALE_AFTER:
        return None
    return seen


def _summary(fleet: Fleet) -> str:
    """What the polite live region says, at most every ten seconds."""
    if not fleet.tasks_total:
        return ""
    words = f"{fleet.tasks_completed:,} of {fleet.tasks_total:,} finished"
    failed = failed_count(fleet)
    return f"{words}, {failed:,} failed" if failed else words
