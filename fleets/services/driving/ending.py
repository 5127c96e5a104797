"""Writes a round's news back: ended turns, tasks, agents and frames, in one transaction.

Every change is guarded by the turn's own row, locked and still open: the same news read twice, or
by a tick and a cancel at once, is written once.
"""

from collections.abc import Iterable
from datetime import datetime

from fleets import dispatch
from fleets.domain.status import TurnOutcome, TurnState, task_state_from
from fleets.live import publish
from fleets.models import Fleet, Turn
from fleets.platform_api.describe import plain
from fleets.platform_api.sse import event_number
from fleets.services import event_store
from fleets.services.driving.judging import Judge
from fleets.services.driving.open_turns import lock_open
from fleets.services.driving.outcome import TurnEnd, turn_end
from fleets.services.driving.overdue import is_past_its_time
from fleets.services.driving.round_reading import TurnNews
from fleets.services.fleet_events import Line, note_all
from fleets.services.row_updates import update_rows
from fleets.services.stop_nodes import show_ends

TURN_FIELDS = [
    "state", "outcome", "admitted_at", "ended_at", "execution_id", "trace_id", "input_tokens",
    "cached_tokens", "output_tokens", "reasoning_tokens", "cost_nusd", "error", "error_code",
    "ended_after_stop", "last_event_id", "next_dispatch_at",
]  # fmt: skip
AGENT_FIELDS = [
    "state", "state_reason", "last_event", "last_event_at", "turns", "input_tokens",
    "cached_tokens", "output_tokens", "cost_nusd", "effective_harness", "effective_model",
    "running_input_tokens", "running_output_tokens",
]  # fmt: skip
TASK_FIELDS = [
    "state", "reason", "response", "error", "started_at", "ended_at", "verdict",
    "verdict_reason", "verdict_at",
]  # fmt: skip
RESPONSE_LIMIT = 200_000


def write_news(fleet: Fleet, news: Iterable[TurnNews], *, now: datetime) -> list[Turn]:
    """Write what was read about open turns; the turns that ended by it.

    Runs in the caller's transaction, which holds the fleet's row.
    """
    told = {item.turn_pk: item for item in news}
    turns = lock_open(told)
    ended: list[Turn] = []
    judge = Judge(fleet)
    batches: list[event_store.Batch] = []
    for turn in turns:
        item = told[turn.pk]
        _take_running(turn, item, now=now)
        if not item.ended:
            continue
        _take_end(fleet, turn, turn_end(item), now=now)
        judge.judge(turn.task, agent=turn.agent, now=now)
        ended.append(turn)
        if item.frames and item.execution_id:
            batches.append(event_store.Batch(turn, item.execution_id, item.frames))
            numbers = [number for f in item.frames if (number := event_number(f.id)) is not None]
            turn.last_event_id = max(numbers, default=0)
        if item.reading:
            turn.agent.effective_harness = (item.reading.harness or "")[:40]
            turn.agent.effective_model = (item.reading.model or "")[:120]
    event_store.store(batches, received_at=now)
    save_turns(turns)
    if judge.commands:
        dispatch.answers_to_check()
    note_all(fleet, [_line(turn) for turn in ended])
    show_ends(fleet, ended)
    if turns:
        publish(
            f"fleet:{fleet.public_id}",
            {"kind": "agents", "ids": [turn.agent_id for turn in turns]},
        )
    return ended


def end_turn(
    fleet: Fleet, turn: Turn, outcome: TurnOutcome, *, now: datetime, error: str = ""
) -> None:
    """End an open turn by our own knowledge (refused, acknowledged abort, machine gone).

    The caller holds the turn's row and saves it with `save_turns`.
    """
    end = TurnEnd(
        outcome=outcome, response="", error=error[:500], error_code="", usage=None, cost_nusd=None
    )
    _take_end(fleet, turn, end, now=now)


def save_turns(turns: list[Turn]) -> None:
    """Save turns with their tasks and agents: three bulk updates."""
    if not turns:
        return
    update_rows(turns, TURN_FIELDS)
    update_rows([turn.task for turn in turns], TASK_FIELDS)
    update_rows([turn.agent for turn in turns], AGENT_FIELDS)


def _take_running(turn: Turn, item: TurnNews, *, now: datetime) -> None:
    turn.state = TurnState.RUNNING
    turn.admitted_at = turn.admitted_at or now
    turn.next_dispatch_at = None
    turn.execution_id = item.execution_id or turn.execution_id
    turn.trace_id = item.trace_id or turn.trace_id
    if item.last_event_at is not None:
        turn.agent.last_event_at = item.last_event_at


def _take_end(fleet: Fleet, turn: Turn, end: TurnEnd, *, now: datetime) -> None:
    outcome = end.outcome
    if _was_stopped(fleet, turn) and outcome == TurnOutcome.COMPLETED:
        # What an operator ended stays ended: the late answer is kept as data of a cancelled turn.
        outcome, turn.ended_after_stop = TurnOutcome.CANCELLED, True
    elif outcome == TurnOutcome.CANCELLED and is_past_its_time(fleet, turn, now=now):
        outcome = TurnOutcome.TIMED_OUT  # interrupted by the driver, not by an operator
    turn.state, turn.outcome, turn.ended_at = TurnState.ENDED, outcome, now
    turn.next_dispatch_at = None
    turn.error, turn.error_code = end.error, end.error_code
    turn.cost_nusd = end.cost_nusd
    if end.usage:
        turn.input_tokens = end.usage.input_tokens
        turn.cached_tokens = end.usage.cache_read_tokens
        turn.output_tokens = end.usage.output_tokens
        turn.reasoning_tokens = end.usage.reasoning_tokens
    task = turn.task
    task.state, task.ended_at = task_state_from(outcome), now
    task.response, task.error = end.response[:RESPONSE_LIMIT], end.error
    _add_to_agent(turn, now=now)


def _was_stopped(fleet: Fleet, turn: Turn) -> bool:
    """Whether the turn was begun under an older epoch and its interrupt was not overtaken."""
    return turn.epoch < fleet.epoch and not turn.finished_before_stop


def _add_to_agent(turn: Turn, *, now: datetime) -> None:
    agent = turn.agent
    agent.state, agent.state_reason = turn.task.state, ""
    agent.running_input_tokens = agent.running_output_tokens = None
    agent.last_event = _last_event(turn)
    agent.last_event_at = now
    agent.input_tokens = _sum(agent.input_tokens, turn.input_tokens)
    agent.cached_tokens = _sum(agent.cached_tokens, turn.cached_tokens)
    agent.output_tokens = _sum(agent.output_tokens, turn.output_tokens)
    agent.cost_nusd = _sum(agent.cost_nusd, turn.cost_nusd)


def _last_event(turn: Turn) -> str:
    """The line an agent ends with: the start of its answer, its error, or the bare outcome."""
    if turn.outcome == TurnOutcome.COMPLETED and turn.task.response:
        return plain(turn.task.response)
    return turn.error[:300] or (turn.outcome or "").replace("_", " ")


def _sum(total: int | None, more: int | None) -> int | None:
    if more is None:
        return total
    return (total or 0) + more


def _line(turn: Turn) -> Line:
    words = {
        TurnOutcome.COMPLETED: "finished",
        TurnOutcome.BUDGET_EXHAUSTED: "was refused by the budget",
        TurnOutcome.CANCELLED: "was interrupted",
        TurnOutcome.TIMED_OUT: "timed out",
        TurnOutcome.UNKNOWN: "ended, and how is unknown",
    }
    outcome = TurnOutcome(turn.outcome or TurnOutcome.UNKNOWN)
    text = words.get(outcome, outcome.value.replace("_", " "))
    if outcome == TurnOutcome.FAILED:
        text = f"failed: {turn.error}" if turn.error else "failed"
    if turn.ended_after_stop:
        text = "completed after it was stopped: kept as data of a cancelled turn"
    # In a pool the agent alone does not say which piece of work that was.
    text = f"{turn.task.name} {text}" if turn.task.name else text
    return Line(kind=outcome.value, text=text, agent=turn.agent)
