"""What the stop sheet says before anybody presses anything: figures, effects, and who may what."""

from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, Q, Sum

from fleets.domain.status import FleetState
from fleets.models import Fleet
from fleets.selectors.fleet_detail import machine_nusd_per_hour
from fleets.selectors.fleet_spend import SpendCard, spend_card

# The rate budget fills at 85 % of the plan's pace; stopping is served first from it.
_PACE_PERCENT: Final = 85
_CUT_OFF_S: Final = 2


@dataclass(frozen=True, slots=True)
class TreeSize:
    """A fleet with everything below it."""

    fleets: int
    agents: int
    agents_open: int
    machines: int
    machine_nusd_per_hour: int


@dataclass(frozen=True, slots=True)
class StopSheet:
    """Everything the sheet shows. `preselected` is hold, cut_off or cancel."""

    public_id: str
    name: str
    state: str
    running: int
    owner: str
    team: str
    spend: SpendCard
    tree: TreeSize
    cancel_s: int
    rate_per_minute: int
    preselected: str
    hold_refusal: str
    cut_off_refusal: str
    cancel_refusal: str
    delete_refusal: str
    is_held: bool
    is_cut_off: bool

    @property
    def nothing_left(self) -> bool:
        """Whether no strength can do anything any more."""
        return bool(self.hold_refusal and self.cut_off_refusal and self.cancel_refusal)


def stop_sheet(fleet: Fleet) -> StopSheet:
    """The sheet of one fleet (`team`, `owner`, `connection` loaded). One query: the tree."""
    tree = tree_size(fleet)
    rate = fleet.connection.rate_per_minute
    hold, cut, cancel = _hold_refusal(fleet), _cut_refusal(fleet), _cancel_refusal(fleet)
    return StopSheet(
        public_id=fleet.public_id,
        name=fleet.name,
        state=fleet.state,
        running=fleet.tasks_running + fleet.tasks_waiting,
        owner=fleet.owner.username if fleet.owner else "nobody",
        team=fleet.team.name,
        spend=spend_card(fleet),
        tree=tree,
        cancel_s=cancel_seconds(tree.agents_open, rate_per_minute=rate),
        rate_per_minute=rate,
        preselected=_preselected(hold=hold, cut=cut, cancel=cancel),
        hold_refusal=hold,
        cut_off_refusal=cut,
        cancel_refusal=cancel,
        delete_refusal=_delete_refusal(fleet),
        is_held=fleet.held_at is not None,
        is_cut_off=fleet.cut_off_requested_at is not None,
    )


def tree_size(fleet: Fleet) -> TreeSize:
    """Fleets, agents and machines of a fleet and everything below it. One query."""
    root = fleet.root_id or fleet.pk
    tree = Fleet.objects.filter(Q(pk=root) | Q(root=root), path__contains=[fleet.pk])
    sums: dict[str, Any] = tree.aggregate(
        fleets=Count("pk"),
        agents=Sum("agents_total"),
        agents_open=Sum("tasks_running") + Sum("tasks_waiting") + Sum("tasks_unknown"),
        machines=Sum("machines_running"),
    )
    machines = sums["machines"] or 0
    return TreeSize(
        fleets=max(1, sums["fleets"]),
        agents=sums["agents"] or 0,
        agents_open=sums["agents_open"] or 0,
        machines=machines,
        machine_nusd_per_hour=machines * machine_nusd_per_hour(fleet),
    )


def cancel_seconds(agents: int, *, rate_per_minute: int) -> int:
    """How long interrupting that many agents takes at the connection's pace, cut off included."""
    per_second = rate_per_minute * _PACE_PERCENT / 100 / 60
    return _CUT_OFF_S + round(agents / max(per_second, 0.1))


def _preselected(*, hold: str, cut: str, cancel: str) -> str:
    """The strongest reversible strength that can still do something."""
    if not cut:
        return "cut_off"
    if not hold:
        return "hold"
    return "cancel" if not cancel else ""


_ENDED: Final = frozenset(
    {
        FleetState.FINISHED,
        FleetState.FAILED,
        FleetState.CANCELLED,
        FleetState.BUDGET_EXHAUSTED,
        FleetState.DELETED,
        FleetState.DELETING,
    }
)


def _hold_refusal(fleet: Fleet) -> str:
    if fleet.held_at is not None:
        return "It is held already."
    return "It has no work left to hold." if fleet.state in _ENDED else ""


def _cut_refusal(fleet: Fleet) -> str:
    if not fleet.key_id:
        return "It has no key of its own: without a budget there is nothing to cut off."
    if fleet.key_revoked_at is not None or fleet.state == FleetState.DELETED:
        return "Its key is revoked: the platform refuses everything already."
    return "It is cut off already." if fleet.cut_off_requested_at is not None else ""


def _cancel_refusal(fleet: Fleet) -> str:
    if fleet.state == FleetState.CANCELLING:
        return "It is being cancelled already."
    return "It has no work left to cancel." if fleet.state in _ENDED else ""


def _delete_refusal(fleet: Fleet) -> str:
    if fleet.state == FleetState.DELETED:
        return "It is deleted."
    return "It is being deleted already." if fleet.delete_requested_at is not None else ""
