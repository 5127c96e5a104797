"""Streams that leave frames out, break or fall silent: the transcript is whole all the same."""

from typing import Any

import pytest

from emulator.server import EmulatorThread
from fleets.models import Turn
from fleets.services.actor import Actor
from tests.integration.chaos.transcripts import assert_the_transcripts_are_whole
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_to_end, drive_until

FAULTS = {
    "frames left out": {"kind": "drop_event", "share": 0.3, "count": 2},
    "a stream that breaks": {"kind": "truncate", "afterBytes": 3000, "count": 4},
    "a stream that falls silent": {"kind": "stall_stream", "afterEvents": 3, "count": 1},
}


@pytest.mark.parametrize("what", FAULTS)
def test_what_the_first_reads_lack_is_read_again(
    emulator: EmulatorThread, actor: Actor, what: str
) -> None:
    fleet = launch(actor, count=1, prompt="[[ok]] [[slow 1]] Review part {index}.")
    drive_until(lambda: Turn.objects.filter(state="running").exists())
    # The machine is warm: from here on only the end of the turn is read.
    drive_until(lambda: fleet.machines.filter(warm_at__isnull=False).exists())
    fault: dict[str, Any] = {"operation": "sessions.events", **FAULTS[what]}
    control(emulator, "POST", "faults", fault)
    fleet = drive_to_end(fleet)

    assert (fleet.state, fleet.tasks_completed) == ("finished", 1)
    (set_,) = control(emulator, "GET", "faults")["faults"]
    assert set_["hits"] == fault["count"]
    assert_the_transcripts_are_whole(emulator, fleet)
    asked = control(emulator, "GET", "journal?operation=sessions.result")["entries"]
    assert asked == []
