"""What we stored of the turns' streams, beside what the platform still has of them."""

from collections.abc import Iterator
from typing import Any

import httpx

from fleets.models import Fleet, Turn, TurnEvent
from fleets.services.event_store import HEARTBEATS
from tests.support.emulated import Emulated
from tests.unit.emulator.bench import read_frames


def assert_the_transcripts_are_whole(emulator: Emulated, fleet: Fleet) -> None:
    """Each turn's frames are stored once and none is missing; its answer is the last one said."""
    turns = Turn.objects.filter(run__fleet=fleet).select_related("agent__machine", "task")
    for turn in turns:
        told = list(_frames(emulator, turn))
        rows = TurnEvent.objects.filter(turn_id=turn.pk).values_list("event_id", flat=True)
        stored = sorted(rows)
        numbers = [number for number, kind, _data in told if kind not in HEARTBEATS]
        assert stored == numbers, (turn.agent.agent_id, set(numbers) ^ set(stored))
        ((_number, _kind, result),) = [frame for frame in told if frame[1] == "result"]
        assert turn.task.response == result["finalText"], turn.agent.agent_id


def _frames(emulator: Emulated, turn: Turn) -> Iterator[tuple[int, str, Any]]:
    """Number, kind and data of every frame of the turn's execution, from its first to its last."""
    sandbox_id, session_id = turn.agent.machine.sandbox_id, turn.session
    path = f"/v1/sandboxes/{sandbox_id}/runtime/agents/sessions/{session_id}/events"
    response = httpx.get(
        f"{emulator.sandbox_url}{path}",
        params={"executionId": turn.execution_id},
        headers={"Authorization": f"Bearer {emulator.config.account_key}"},
        verify=False,
    )
    response.raise_for_status()
    for kind, data in read_frames(response.text):
        yield int(data["#"]), kind, data
