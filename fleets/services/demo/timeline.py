"""The lines of one fleet's timeline, in the order in which they happened."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from fleets.domain.status import TurnOutcome
from fleets.models import Fleet, FleetEvent, Machine, Operation, Turn

# A big fleet's timeline is pages long already with its last turns.
MOST_TURNS: Final = 400
MOST_MACHINES: Final = 60
_WORDS: Final = {
    TurnOutcome.COMPLETED: "finished",
    TurnOutcome.BUDGET_EXHAUSTED: "was refused by the budget",
    TurnOutcome.CANCELLED: "was interrupted",
    TurnOutcome.TIMED_OUT: "timed out",
}


def write_timeline(fleet: Fleet, machines: Sequence[Machine], turns: Sequence[Turn]) -> None:
    """Write the lines; their ids follow their times, as those of real ones do."""
    lines = sorted(
        [*_of_fleet(fleet), *_of_machines(machines), *_of_turns(turns), *_of_orders(fleet)],
        key=lambda line: line.at,
    )
    for line in lines:
        line.fleet = fleet
    FleetEvent.objects.bulk_create(lines, batch_size=1_000)


def _line(at: datetime, kind: str, text: str) -> FleetEvent:
    return FleetEvent(at=at, kind=kind, text=text[:400])


def _of_fleet(fleet: Fleet) -> Iterator[FleetEvent]:
    by = fleet.owner.get_username() if fleet.owner else "Fleetdash"
    yield _line(fleet.created_at, "launch", f"launched by {by}: {fleet.agents_total} agents")
    if fleet.budget_nusd is not None:
        at = fleet.created_at + timedelta(milliseconds=300)
        yield _line(at, "key", "the fleet's key was minted with its budget")
    if fleet.stop_sentence and fleet.work_ended_at:
        yield _line(fleet.work_ended_at, "budget_exhausted", fleet.stop_sentence)
    if fleet.deleted_at:
        yield _line(fleet.deleted_at, "deleted", "deleted: no fleet, machine or key is left")


def _of_machines(machines: Sequence[Machine]) -> Iterator[FleetEvent]:
    for machine in machines[:MOST_MACHINES]:
        if machine.running_since is not None:
            yield _line(machine.running_since, "machine", f"machine {machine} is running")


def _of_turns(turns: Sequence[Turn]) -> Iterator[FleetEvent]:
    for turn in turns[-MOST_TURNS:]:
        if turn.admitted_at:
            event = _line(turn.admitted_at, "started", f"turn {turn.agent.turns} started")
            event.agent = turn.agent
            yield event
        if turn.ended_at and turn.outcome:
            words = _WORDS.get(TurnOutcome(turn.outcome), turn.outcome.replace("_", " "))
            text = words + (f": {turn.error}" if turn.outcome == "failed" else "")
            event = _line(turn.ended_at, turn.outcome, text)
            event.agent = turn.agent
            yield event


def _of_orders(fleet: Fleet) -> Iterator[FleetEvent]:
    for operation in Operation.objects.filter(fleet=fleet).exclude(kind="launch"):
        by = operation.requested_by
        words = operation.kind.replace("_", " ")
        who = by.get_username() if by else "Fleetdash"
        text = f"{words} ordered by {who}: {operation.reason}"
        yield _line(operation.requested_at, operation.kind, text)
