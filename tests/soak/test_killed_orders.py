"""Worker, beat and web each killed five times, Redis emptied three times, at drawn places."""

import random
import time

import pytest

from fleets.models import Fleet, Run, Turn
from tests.integration.chaos.house import House, eventually, wait_for_end, wait_for_end_of_work
from tests.integration.chaos.proof import delete_and_prove
from tests.integration.chaos.striking import LAUNCH, WORK, Moment, arm, carry_out, drawn, strike

KILLS_EACH = 5
AGENTS = 36
LONG = "[[ok]] [[slow 600]] Part {index}."


def test_five_kills_of_each_process_and_three_empty_redis(
    house: House, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(seed)
    began = time.monotonic()
    fleet = house.launch(
        count=str(AGENTS), prompt="[[ok]] [[slow 14]] Part {index}.", budget="6.00"
    )
    victims = [name for name in house.processes for _ in range(KILLS_EACH)]
    rng.shuffle(victims)
    moments = [list(Moment)[number % len(Moment)] for number in range(len(victims))]
    struck: list[str] = []
    for number, (name, what) in enumerate(
        zip(victims, drawn(rng, moments, WORK), strict=True), start=1
    ):
        while not strike(house, fleet, house.processes[name], what):
            # The drawn request did not come again: another place, the same kind of moment.
            assert Fleet.objects.get().work_ended_at is None, "the run ended before all kills"
            (what,) = drawn(rng, [what.moment], ["sessions.list"])
        struck.append(f"{name}: {what.moment.value} ({what.operation})")
        if number in (3, 8, 13):
            house.empty_redis()
    wait_for_end_of_work(fleet, patience_s=400)

    took_s = time.monotonic() - began
    run = Run.objects.get()
    figures = f"{len(struck)} kills in {took_s:.0f} s, {run.ticks} ticks, {run.requests} requests"
    with capsys.disabled():
        print("\n".join([figures, *struck]))
    assert (fleet.state, fleet.tasks_completed) == ("finished", AGENTS)
    delete_and_prove(house, fleet)


@pytest.mark.parametrize("only_this", [True, False])
@pytest.mark.parametrize("number", range(3))
def test_launch_cancel_and_delete_survive_the_death_of_their_worker(
    house: House, seed: int, number: int, only_this: bool
) -> None:
    rng = random.Random(seed + number)
    worker = house.workers.worker
    (launching,) = drawn(rng, [list(Moment)[number]], LAUNCH, most_skipped=0)
    (aborting,) = drawn(rng, [Moment.UNANSWERED], ["sessions.abort"])
    (deleting,) = drawn(rng, [list(Moment)[number]], ["fleets.delete"], most_skipped=0)

    fault_id = arm(house, launching)
    fleet = house.launch(count="6", prompt=LONG, budget="1.00")
    assert carry_out(house, fleet, worker, launching, fault_id=fault_id)
    eventually(lambda: running(fleet) >= 3, "nothing runs")
    fault_id = arm(house, aborting)
    cancel = house.order(fleet, "cancel", **({"only_this": "on"} if only_this else {}))
    assert carry_out(house, fleet, worker, aborting, fault_id=fault_id)
    wait_for_end(cancel)
    assert cancel.state == "done", cancel.sentence
    wait_for_end_of_work(fleet)
    assert fleet.state == "cancelled"

    fault_id = arm(house, deleting)
    house.order(fleet, "delete", typed_name=fleet.name)
    assert carry_out(house, fleet, worker, deleting, fault_id=fault_id)
    delete_and_prove(house, fleet)


def running(fleet: Fleet) -> int:
    return Turn.objects.filter(run__fleet=fleet, state="running").count()
