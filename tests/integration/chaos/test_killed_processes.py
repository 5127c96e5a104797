"""Worker, beat and web die at places drawn from a seed: nothing is lost, nothing runs twice."""

import random
import threading

from django.db import transaction

from fleets.models import Fleet, Operation, Team, Turn
from tests.integration.chaos.house import (
    LAUNCH_FORM,
    House,
    eventually,
    wait_for_end,
    wait_for_end_of_work,
)
from tests.integration.chaos.proof import delete_and_prove
from tests.integration.chaos.striking import (
    LAUNCH,
    WORK,
    Moment,
    arm,
    carry_out,
    drawn,
    strike,
    wait_until_somebody_waits_for_us,
)

SEED = 7
LONG = "[[ok]] [[slow 600]] Part {index}."


def test_a_run_finishes_although_everything_that_drives_it_dies(house: House) -> None:
    rng = random.Random(SEED)
    fleet = launch_while_web_dies(house)
    house.empty_redis()
    worker = house.workers.worker
    struck = [strike(house, fleet, worker, what) for what in drawn(rng, list(Moment), WORK)]
    house.empty_redis()
    house.workers.beat.kill()
    house.workers.beat.start()
    wait_for_end_of_work(fleet)

    assert all(struck)
    assert (fleet.state, fleet.tasks_completed) == ("finished", 12)
    delete_and_prove(house, fleet)


def launch_while_web_dies(house: House) -> Fleet:
    """The site dies in the middle of the launch's transaction; the same form is sent again."""
    form = ("/fleets/launch", LAUNCH_FORM)
    pressing = threading.Thread(target=house.person.press_until_answered, args=form)
    with transaction.atomic():
        list(Team.objects.select_for_update())
        pressing.start()
        wait_until_somebody_waits_for_us()
        house.web.kill()
    assert not Operation.objects.exists()
    house.web.start()
    pressing.join()
    return Fleet.objects.get()


def test_launch_and_cancel_survive_the_death_of_their_worker(house: House) -> None:
    rng = random.Random(SEED)
    worker = house.workers.worker
    (launching,) = drawn(rng, [rng.choice(list(Moment))], LAUNCH, most_skipped=0)
    (aborting,) = drawn(rng, [Moment.UNANSWERED], ["sessions.abort"])

    fault_id = arm(house, launching)
    fleet = house.launch(count="6", prompt=LONG, budget="1.00")
    assert carry_out(house, fleet, worker, launching, fault_id=fault_id)
    eventually(lambda: running(fleet) >= 3, "nothing runs")
    fault_id = arm(house, aborting)
    cancel = house.order(fleet, "cancel")
    assert carry_out(house, fleet, worker, aborting, fault_id=fault_id)
    wait_for_end(cancel)

    assert cancel.state == "done", cancel.sentence
    wait_for_end_of_work(fleet)
    assert fleet.state == "cancelled"
    delete_and_prove(house, fleet)


def running(fleet: Fleet) -> int:
    return Turn.objects.filter(run__fleet=fleet, state="running").count()
