"""A machine that never answers: the others of its run are not kept waiting for it."""

import time
from collections import Counter

from emulator.server import EmulatorThread
from fleets.domain.placement import Dedicated
from fleets.models import Run, Task, Turn
from fleets.platform_api.connections import Timeouts
from fleets.services.actor import Actor
from tests.integration.chaos.books import assert_the_books_agree
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_to_end, drive_until


def test_the_other_machines_work_on_while_one_never_answers(
    emulator: EmulatorThread, actor: Actor
) -> None:
    prompt = "[[ok]] [[slow 1]] Part {index}."
    fleet = launch(actor, count=2, at_once=2, placement=Dedicated(), prompt=prompt)
    drive_until(lambda: Turn.objects.filter(state="running").count() == 2)
    silent = fleet.machines.order_by("position")[0]
    held = {"kind": "hold_until_released", "when": "after", "match": silent.sandbox_id}
    control(emulator, "POST", "faults", {"operation": "sessions.list", **held})
    # A round that waits for as long as a call may take comes now and then; this is none.
    Run.objects.update(ticks=0)
    began = time.monotonic()
    drive_until(lambda: Task.objects.filter(state="completed").exists())
    assert time.monotonic() - began < Timeouts().read_s

    control(emulator, "DELETE", "faults")
    fleet = drive_to_end(fleet)
    assert (fleet.state, fleet.tasks_completed) == ("finished", 2)
    assert_the_books_agree(emulator, fleet)
    entries = control(emulator, "GET", "journal?operation=sessions.dispatch")["entries"]
    assert set(Counter(one["sessionId"] for one in entries).values()) == {1}
