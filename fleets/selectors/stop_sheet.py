"""What the stop sheet says before anybody presses anything: figures, effects, what is refused."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, F, Q, Sum

from fleets.domain.money import show_per_hour
from fleets.domain.numbers import counted
from fleets.domain.status import TERMINAL_FLEETS, FleetState, Pattern
from fleets.models import Fleet
from fleets.selectors.cutting import cut_off_refusal
from fleets.selectors.fleet_detail import machine_nusd_per_hour
from fleets.selectors.fleet_spend import SpendCard, spend_card

# The rate budget fills at 85 % of the plan's pace; stopping is served first from it.
_PACE_PERCENT: Final = 85
_CUT_OFF_S: Final = 2
_OVER: Final = TERMINAL_FLEETS | {FleetState.DELETING}


@dataclass(frozen=True, slots=True)
class TreeSize:
    """A fleet with everything below it."""

    fleets: int
    agents: int
    agents_open: int
    machines: int
    machines_nusd_per_hour: int
    working_below: int


@dataclass(frozen=True, slots=True)
class Strength:
    """One way to stop (or to undo a stop). With a `refusal` it is shown and cannot be chosen."""

    word: str
    title: str
    note: str
    text: str
    button: str
    refusal: str = ""
    is_danger: bool = True

    @property
    def path(self) -> str:
        """The act's own address, below the fleet's."""
        return "machines/stop" if self.word == "stop_machines" else self.word.replace("_", "-")


@dataclass(frozen=True, slots=True)
class StopSheet:
    """Everything the sheet shows. `preselected` is the word of a strength, "" when none is left."""

    public_id: str
    name: str
    state: str
    running: int
    owner: str
    team: str
    spend: SpendCard
    tree: TreeSize
    strengths: tuple[Strength, ...]
    preselected: str
    delete_refusal: str
    has_agents: bool = True

    @property
    def is_at_rest(self) -> bool:
        """Whether only machines cost: no work of it is under way."""
        is_held = self.state == FleetState.HELD and not self.running
        return self.state in _OVER or is_held or not self.has_agents


def stop_sheet(fleet: Fleet) -> StopSheet:
    """The sheet of one fleet (`team`, `owner`, `connection` loaded). One query: the tree."""
    tree = tree_size(fleet)
    strengths = tuple(_strengths(fleet, tree))
    return StopSheet(
        public_id=fleet.public_id,
        name=fleet.name,
        state=fleet.state,
        running=fleet.tasks_running + fleet.tasks_waiting,
        owner=fleet.owner.username if fleet.owner else "nobody",
        team=fleet.team.name,
        spend=spend_card(fleet),
        tree=tree,
        strengths=strengths,
        preselected=_preselected(strengths),
        delete_refusal=_delete_refusal(fleet),
        has_agents=fleet.pattern != Pattern.MACHINES,
    )


def tree_size(fleet: Fleet) -> TreeSize:
    """Fleets, agents and machines of a fleet and everything below it. One query."""
    root = fleet.root_id or fleet.pk
    there = Q(pk=fleet.pk) | Q(deleted_at__isnull=True)
    tree = Fleet.objects.filter(Q(pk=root) | Q(root=root), there, path__contains=[fleet.pk])
    sums: dict[str, Any] = tree.aggregate(
        fleets=Count("pk"),
        agents=Sum("agents_total"),
        agents_open=Sum(F("tasks_running") + F("tasks_waiting") + F("tasks_unknown")),
        machines=Sum("machines_running"),
        working_below=Count("pk", filter=~Q(pk=fleet.pk) & ~Q(state__in=_OVER)),
    )
    machines = sums["machines"] or 0
    return TreeSize(
        fleets=max(1, sums["fleets"]),
        agents=sums["agents"] or 0,
        agents_open=sums["agents_open"] or 0,
        machines=machines,
        machines_nusd_per_hour=machines * machine_nusd_per_hour(fleet),
        working_below=sums["working_below"],
    )


def cancel_seconds(agents: int, *, rate_per_minute: int) -> int:
    """How long interrupting that many agents takes at the connection's pace, cut off included."""
    per_second = rate_per_minute * _PACE_PERCENT / 100 / 60
    return _CUT_OFF_S + round(agents / max(per_second, 0.1))


def _strengths(fleet: Fleet, tree: TreeSize) -> Iterator[Strength]:
    yield _release(fleet) if fleet.held_at is not None else _hold(fleet)
    yield _reopen(fleet) if fleet.cut_off_requested_at is not None else _cut_off(fleet)
    if _is_at_rest(fleet) and tree.machines and not tree.working_below:
        yield _stop_machines(fleet, tree)
    else:
        yield _cancel(fleet, tree)


def _is_at_rest(fleet: Fleet) -> bool:
    """Whether nothing but its machines goes on."""
    is_made = fleet.pattern == Pattern.MACHINES and fleet.work_ended_at is not None
    return fleet.state in _OVER or (is_made and fleet.state == FleetState.RUNNING)


def _hold(fleet: Fleet) -> Strength:
    return Strength(
        word="hold",
        title="Hold",
        note="reversible, at once",
        text="No new turn starts. What runs goes on and may spend.",
        button="Hold now",
        refusal=_hold_refusal(fleet),
    )


def _hold_refusal(fleet: Fleet) -> str:
    if fleet.found_at is not None:
        return "Its turns are not sent from here, so none of them can be held back."
    if fleet.pattern == Pattern.MACHINES:
        return "It has no agents whose turns could be held back."
    return "It has no work left to hold." if fleet.state in _OVER else ""


def _release(fleet: Fleet) -> Strength:
    is_over = fleet.state in _OVER
    return Strength(
        word="release",
        title="Release",
        note="it is held now",
        text="No turn of it is queued; a next run is not held."
        if is_over
        else "Queued turns start again.",
        button="Release now",
        refusal=_gone_words(fleet),
        is_danger=False,
    )


def _gone_words(fleet: Fleet) -> str:
    """Why nothing of a fleet can be undone any more, "" while it can."""
    if fleet.state == FleetState.DELETED:
        return "It is deleted: nothing of it is left."
    return "It is being deleted." if fleet.state == FleetState.DELETING else ""


def _cut_off(fleet: Fleet) -> Strength:
    return Strength(
        word="cut_off",
        title="Cut off",
        note="reversible, ~2 s",
        text="The platform refuses every further call, machine and child of the tree. "
        "Can be reopened.",
        button="Cut off now",
        refusal=cut_off_refusal(fleet),
    )


def _reopen(fleet: Fleet) -> Strength:
    refusal = _gone_words(fleet)
    if fleet.key_revoked_at is not None:
        refusal = "Its key is revoked, which cannot be undone."
    return Strength(
        word="reopen",
        title="Reopen",
        note="it is cut off now",
        text="The cap is the budget again. Agents that were stopped stay stopped.",
        button="Reopen now",
        refusal=refusal,
        is_danger=False,
    )


def _cancel(fleet: Fleet, tree: TreeSize) -> Strength:
    rate = fleet.connection.rate_per_minute
    seconds = cancel_seconds(tree.agents_open, rate_per_minute=rate)
    cut = "Interrupt" if cut_off_refusal(fleet) else "Cut off, then interrupt"
    where = "" if tree.fleets == 1 else f" in {tree.fleets} fleets"
    agents = counted(tree.agents_open, "agent")
    stay = "stays" if tree.machines == 1 else "stay"
    is_over = _is_at_rest(fleet) and not tree.working_below
    refusal = "It has no work left to cancel." if is_over else ""
    if fleet.state == FleetState.CANCELLING:
        refusal = "It is being cancelled already."
    text = (
        f"{cut} {agents}{where} at {rate} requests/min. "
        f"{counted(tree.machines, 'machine')} {stay}, "
        f"{show_per_hour(tree.machines_nusd_per_hour)}."
    )
    if fleet.pattern == Pattern.MACHINES and tree.fleets == 1:
        text = "No further machine is asked for; those that come up stay, and cost."
    return Strength(
        word="cancel",
        title="Cancel" if tree.fleets == 1 else "Cancel the tree",
        note=f"not reversible, ~{seconds} s",
        text=text,
        button="Cancel now",
        refusal=refusal,
    )


def _stop_machines(fleet: Fleet, tree: TreeSize) -> Strength:
    machines = counted(tree.machines, "machine")
    is_going = fleet.state == FleetState.DELETING
    return Strength(
        word="stop_machines",
        title="Stop the machines",
        note="files stay",
        text=f"{machines}, {show_per_hour(tree.machines_nusd_per_hour)} now, nothing once stopped.",
        button=f"Stop {machines}",
        refusal="It is being deleted: they go with it." if is_going else "",
    )


def _preselected(strengths: tuple[Strength, ...]) -> str:
    """What costs without work, else the strongest reversible strength, else what there is."""
    possible = {strength.word for strength in strengths if not strength.refusal}
    wanted = ("stop_machines", "cut_off", "hold", "cancel", "reopen", "release")
    return next((word for word in wanted if word in possible), "")


def _delete_refusal(fleet: Fleet) -> str:
    if fleet.state == FleetState.DELETED:
        return "It is deleted."
    return "It is being deleted already." if fleet.delete_requested_at is not None else ""
