"""The frames of some of a fleet's turns, as its follower would have stored them."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from fleets.domain.status import TurnOutcome
from fleets.models import Turn
from fleets.platform_api.sse import StreamEvent
from fleets.services import event_store

MOST_TURNS: Final = 12
_STEPS: Final = (
    ("read", {"filePath": "src/parser.py"}, "class Parser:\n    limit_bytes = None\n"),
    ("grep", {"pattern": "retry", "path": "src"}, "src/client.py:41: for attempt in retry(3):\n"),
    ("bash", {"command": "pytest -q tests"}, "\x1b[32m48 passed\x1b[0m in 6.20s\n"),
)


def write_frames(turns: Sequence[Turn], *, now: datetime) -> None:
    """Store the frames of the first turns that reached the platform."""
    begun = [turn for turn in turns if turn.admitted_at and turn.execution_id][:MOST_TURNS]
    event_store.store(
        [event_store.Batch(turn, turn.execution_id, tuple(_frames(turn))) for turn in begun],
        received_at=now,
    )


def _frames(turn: Turn) -> Iterator[StreamEvent]:
    bodies = list(_bodies(turn))
    for number, (kind, body) in enumerate(bodies, start=1):
        data = {"type": kind, **body}
        yield StreamEvent(id=str(number), type=kind, data=data, raw=json.dumps(data))


def _bodies(turn: Turn) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "execution.started", {"executionId": turn.execution_id}
    yield "trace.id", {"traceId": turn.trace_id}
    yield _part(
        turn, "reasoning", 0, text="First the parts that other parts rest on, then the rest."
    )
    for number, (tool, asked, output) in enumerate(_STEPS, start=1):
        yield _part(turn, "tool", number, tool=tool, state=_state(turn, number, asked, output))
    if turn.outcome is None:
        return
    if turn.outcome == TurnOutcome.COMPLETED:
        yield _part(turn, "text", 9, text=turn.task.response)
        yield "result", {"outcome": {"type": "completed"}, "finalText": turn.task.response}
    elif turn.error:
        yield "error", {"message": turn.error, "errorCode": turn.error_code}


def _part(
    turn: Turn, kind: str, number: int, **fields: Any
) -> tuple[str, dict[str, dict[str, Any]]]:
    part_id = f"part-{turn.pk}-{number}"
    return "message.part.updated", {
        "part": {"id": part_id, "messageID": f"message-{turn.pk}", "type": kind, **fields}
    }


def _state(turn: Turn, number: int, asked: dict[str, str], output: str) -> dict[str, Any]:
    """The state of a tool call; the last one of a failed turn failed."""
    is_last = number == len(_STEPS)
    started_ms = (
        int(turn.admitted_at.timestamp() * 1000) + number * 4_000 if turn.admitted_at else 0
    )
    failed = is_last and turn.outcome == TurnOutcome.FAILED
    return {
        "status": "error" if failed else "completed",
        "input": asked,
        "output": turn.error if failed else output,
        "time": {"start": started_ms, "end": started_ms + 900 * number},
    }
