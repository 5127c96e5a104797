"""Worker, beat and web die at places drawn from a seed: nothing is lost, nothing runs twice."""

import random
import threading

from django.db import transaction

from fleets.models import Fleet, Team
from tests.integration.chaos.house import LAUNCH_FORM, House, wait_for_end_of_work
from tests.integration.chaos.proof import delete_and_prove
from tests.integration.chaos.striking import (
    WORK,
    Moment,
    arm,
    carry_out,
    drawn,
    strike,
    wait_until_somebody_waits_for_us,
)

SEED = 36


def test_a_run_finishes_although_everything_that_drives_it_dies(house: House) -> None:
    rng = random.Random(SEED)
    worker = house.workers.worker
    (minting,) = drawn(rng, [Moment.UNANSWERED], ["keys.mint"], most_skipped=0)
    minting_fault = arm(house, minting)
    fleet = launch_while_web_dies(house)
    struck = [carry_out(house, fleet, worker, minting, fault_id=minting_fault)]
    house.empty_redis()
    struck += [strike(house, fleet, worker, what) for what in drawn(rng, list(Moment), WORK)]
    house.empty_redis()
    house.workers.beat.kill()
    house.cut_database_connections()
    house.workers.beat.start()
    wait_for_end_of_work(fleet)

    assert all(struck)
    assert (fleet.state, fleet.tasks_completed) == ("finished", 12)
    delete_and_prove(house, fleet)


def launch_while_web_dies(house: House) -> Fleet:
    """The site dies while its transaction commits, or does not; the same form is sent again."""
    form = ("/fleets/launch", LAUNCH_FORM)
    pressing = threading.Thread(target=house.person.press_until_answered, args=form, daemon=True)
    with transaction.atomic():
        list(Team.objects.select_for_update())
        pressing.start()
        wait_until_somebody_waits_for_us()
        house.web.kill()
    house.web.start()
    pressing.join()
    return Fleet.objects.get()
