"""Frames of a session for tests: said, thought and done, as a follower would have stored them."""

import json
from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from fleets.models import Agent, Turn
from fleets.platform_api.sse import StreamEvent
from fleets.services import event_store

FrameBody = tuple[int, str, dict[str, Any]]


def part(number: int, kind: str, part_id: str, **fields: Any) -> FrameBody:
    """A frame about a part of a message."""
    body = {"id": part_id, "messageID": "m1", "type": kind, **fields}
    return number, "message.part.updated", {"type": "message.part.updated", "part": body}


def text(number: int, words: str, part_id: str = "p-text") -> FrameBody:
    """The answer so far."""
    return part(number, "text", part_id, text=words)


def tool(number: int, part_id: str, command: str, **state: Any) -> FrameBody:
    """A call of `bash`, completed unless `status` says otherwise."""
    known = {
        "status": "completed",
        "input": {"command": command},
        "output": "ok",
        "time": {"start": 1_000, "end": 1_250},
    }
    return part(number, "tool", part_id, tool="bash", state=known | state)


def store(turn: Turn, frames: Sequence[FrameBody]) -> None:
    """Store frames of the turn, those that are there already not again."""
    events = tuple(
        StreamEvent(id=str(number), type=kind, data=data, raw=json.dumps(data))
        for number, kind, data in frames
    )
    batch = event_store.Batch(turn, turn.execution_id or f"execution-{turn.pk}", events)
    event_store.store([batch], received_at=timezone.now())


def session_of(agent: Agent) -> int:
    """Frames for the agent's newest turn: a thought, calls, an answer; the turn's pk."""
    turn = Turn.objects.filter(agent=agent).order_by("-pk")[0]
    Agent.objects.filter(pk=agent.pk).update(turns=1)
    store(
        turn,
        [
            part(2, "reasoning", "p-think", text="The upload path opens the file twice."),
            tool(3, "p-read", "cat src/api/upload.py"),
            tool(
                4, "p-test", "pytest -q tests/api", status="error", output="\x1b[31mTimeout\x1b[0m"
            ),
            text(5, "Three files read, **no** finding:\n\n- `upload.py` is fine\n- so is the rest"),
        ],
    )
    return turn.pk
