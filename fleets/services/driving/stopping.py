"""Ends what a run will not begin: refused by its budget, cancelled, or out of machines."""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q, QuerySet

from fleets.domain.driving import may_still_arrive
from fleets.domain.status import OutcomeReason, Pattern, TaskState, TurnOutcome, TurnState
from fleets.domain.stopping import stop_sentence
from fleets.live import publish
from fleets.models import Agent, Fleet, Machine, Run, Task, Turn
from fleets.services.driving.ending import end_turn, save_turns
from fleets.services.driving.overdue import is_past_its_time
from fleets.services.driving.purse import purse_of
from fleets.services.driving.round_reading import News
from fleets.services.fleet_events import Line, note, note_all
from fleets.services.row_updates import update_rows
from fleets.services.stop_nodes import show_ends

# Words of a machine on which nothing will ever begin.
LOST: Final = ("failed", "deleted", "expired")


def stop_for_budget(
    run: Run, fleet: Fleet, *, calls_in_flight: int, was_refused: bool, now: datetime
) -> None:
    """The budget holds no further turn: what was not begun ends `not_started`, and the page says
    why.

    Runs in the caller's transaction, which holds the fleet's row; the caller recounts and saves.
    """
    if fleet.stop_reason:
        return
    purse = purse_of(fleet)
    fleet.stop_reason = run.stop_reason = OutcomeReason.BUDGET
    fleet.stop_sentence = stop_sentence(
        budget_nusd=fleet.budget_nusd or 0,
        spent_nusd=purse.spent_nusd,
        reserved_nusd=purse.reserved_nusd,
        worst_call_nusd=purse.worst_call_nusd,
        calls_in_flight=calls_in_flight,
        was_refused=was_refused,
    )
    run.save(update_fields=["stop_reason"])
    not_begun = end_queued(run, fleet, reason=OutcomeReason.BUDGET, now=now)
    not_begun += len(end_unsent(run, fleet, reason=OutcomeReason.BUDGET, now=now))
    text = fleet.stop_sentence
    if not_begun:
        text = f"{text} {not_begun} not begun."
    note(fleet, Line("budget_exhausted", text))


def stop_if_refused(run: Run, fleet: Fleet, ended: list[Turn], *, now: datetime) -> None:
    """Stop for the budget when one of these turns ended by it.

    Runs in the caller's transaction, which holds the fleet's row; the caller recounts and saves.
    """
    refused = [turn for turn in ended if turn.outcome == TurnOutcome.BUDGET_EXHAUSTED]
    # Under a cut off every call is refused on purpose; reopened, the rest goes on.
    if not refused or fleet.cut_off_requested_at is not None:
        return
    others = Turn.objects.filter(run=run).exclude(state=TurnState.ENDED).count()
    stop_for_budget(
        run, fleet, calls_in_flight=others + len(refused) - 1, was_refused=True, now=now
    )


def end_queued(run: Run, fleet: Fleet, *, reason: OutcomeReason, now: datetime) -> int:
    """End every task of the run that has no turn yet; how many those were."""
    tasks = list(Task.objects.select_for_update().filter(run=run, state=TaskState.QUEUED))
    Task.objects.filter(pk__in=[task.pk for task in tasks]).update(
        state=TaskState.NOT_STARTED, reason=reason, ended_at=now
    )
    agents = [task.agent_id for task in tasks if task.agent_id is not None]
    if tasks and fleet.pattern == Pattern.POOL:
        agents += idle_agents(fleet)
    Agent.objects.filter(pk__in=agents).update(
        state=TaskState.NOT_STARTED,
        state_reason=reason,
        last_event=f"not started: {reason.value}",
        last_event_at=now,
    )
    if agents:
        publish(f"fleet:{fleet.public_id}", {"kind": "agents", "ids": agents})
    return len(tasks)


def idle_agents(fleet: Fleet) -> list[int]:
    """Agents of a pool that have taken no task in its newest run."""
    agents = Agent.objects.filter(fleet=fleet, state=TaskState.QUEUED)
    return list(agents.order_by("pk").values_list("pk", flat=True))


def end_unsent(run: Run, fleet: Fleet, *, reason: OutcomeReason, now: datetime) -> list[Turn]:
    """End turns whose rows were written but that certainly never left us."""
    turns = list(_locked_turns(run).filter(state=TurnState.QUEUED))
    _end_not_started(fleet, turns, reason=reason, now=now)
    return turns


def end_never_seen(
    run: Run, fleet: Fleet, news: News, *, reason: OutcomeReason, now: datetime
) -> list[Turn]:
    """End turns sent without an answer, so long ago that they will not arrive any more, which a
    reading of their machine does not show: they never began. For runs that send nothing again.
    """
    unanswered = _locked_turns(run).filter(
        state=TurnState.DISPATCHING, agent__machine_id__in=news.read
    )
    turns = [
        turn
        for turn in unanswered.exclude(pk__in=news.shown)
        if not may_still_arrive(requested_at=turn.requested_at, now=now)
    ]
    _end_not_started(fleet, turns, reason=reason, now=now)
    return turns


def end_vanished(run: Run, fleet: Fleet, news: News, *, now: datetime) -> list[Turn]:
    """End turns past their time of which a reading of their machine shows nothing at all."""
    hidden = _locked_turns(run).filter(agent__machine_id__in=news.read)
    open_ones = hidden.exclude(state=TurnState.ENDED).exclude(pk__in=news.shown)
    turns = [turn for turn in open_ones if is_past_its_time(fleet, turn, now=now)]
    words = f"It passed its {fleet.task_timeout_s} s, and the platform shows nothing of it."
    for turn in turns:
        end_turn(fleet, turn, TurnOutcome.TIMED_OUT, now=now, error=words)
    save_turns(turns)
    note_all(
        fleet, [Line("timed_out", f"{turn.agent.agent_id} timed out", turn.agent) for turn in turns]
    )
    return turns


def _locked_turns(run: Run) -> QuerySet[Turn]:
    return (
        Turn.objects.select_for_update(of=("self",))
        .filter(run=run)
        .select_related("agent__machine", "task", "run")
        .order_by("pk")
    )


def _end_not_started(
    fleet: Fleet, turns: list[Turn], *, reason: OutcomeReason, now: datetime
) -> None:
    for turn in turns:
        end_turn(fleet, turn, TurnOutcome.NOT_STARTED, now=now)
        turn.reason = turn.task.reason = turn.agent.state_reason = reason
    save_turns(turns)
    update_rows(turns, ["reason"])


def end_on_gone_machines(run: Run, fleet: Fleet, *, now: datetime) -> list[Turn]:
    """Turns on a machine that is gone can never be read again: their outcome stays unknown.

    Tasks that were to begin there fail, with the machine named.
    """
    gone = _locked_turns(run).filter(agent__machine__gone_at__isnull=False)
    turns = list(gone.exclude(state=TurnState.ENDED))
    for turn in turns:
        words = f"Machine {turn.agent.machine} is gone; how the turn ended was not read."
        end_turn(fleet, turn, TurnOutcome.UNKNOWN, now=now, error=words)
    save_turns(turns)
    show_ends(fleet, turns)
    note_all(fleet, [Line("unknown", f"{turn.agent.agent_id}: {turn.error}") for turn in turns])
    _fail_queued_without_machine(run, fleet, now=now)
    if fleet.pattern == Pattern.POOL:
        _end_queued_without_machines(run, fleet, now=now)
    return turns


def _end_queued_without_machines(run: Run, fleet: Fleet, *, now: datetime) -> None:
    """A list that nobody can drain any more: others would, while any machine may still run."""
    queued = Task.objects.filter(run=run, state=TaskState.QUEUED, agent__isnull=True)
    machines = Machine.objects.filter(fleet=fleet)
    if (
        machines.filter(gone_at__isnull=True, preparation_error="")
        .exclude(status__in=LOST)
        .exists()
    ):
        return
    if not machines.exists() or not queued.exists():
        return
    made_at = fleet.created_on_platform_at
    is_old = made_at is not None and now >= made_at + timedelta(seconds=fleet.lifetime_s)
    reason = OutcomeReason.DEADLINE if is_old else OutcomeReason.MACHINES
    count = end_queued(run, fleet, reason=reason, now=now)
    why = "the lifetime of the machines is over" if is_old else "no machine is left"
    note(fleet, Line("not_started", f"{count} tasks not started: {why}"))


def _fail_queued_without_machine(run: Run, fleet: Fleet, *, now: datetime) -> None:
    lost = Task.objects.filter(run=run, state=TaskState.QUEUED).filter(
        Q(agent__machine__status__in=LOST) | Q(agent__machine__preparation_error__gt="")
    )
    for task in lost.select_related("agent__machine"):
        if task.agent is None:
            continue
        machine = task.agent.machine
        task.state, task.ended_at = TaskState.FAILED, now
        words = machine.preparation_error or f"is {machine.status}: {machine.error}"
        task.error = f"Machine {machine} {words}"[:500]
        task.agent.state = TaskState.FAILED
        task.agent.last_event, task.agent.last_event_at = task.error[:300], now
        task.save(update_fields=["state", "ended_at", "error"])
        task.agent.save(update_fields=["state", "last_event", "last_event_at"])
        publish(f"fleet:{fleet.public_id}", {"kind": "agents", "ids": [task.agent_id]})
