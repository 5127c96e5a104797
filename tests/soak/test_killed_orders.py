"""The worker dies in the middle of a launch, a cancel and a delete, at drawn places."""

import random

import pytest

from fleets.models import Fleet, Turn
from tests.integration.chaos.house import House
from tests.integration.chaos.proof import delete_and_prove
from tests.integration.chaos.striking import LAUNCH, Moment, arm, carry_out, drawn_strike
from tests.integration.chaos.waiting import eventually

LONG = "[[ok]] [[slow 600]] Part {index}."


@pytest.mark.parametrize("only_this", [True, False])
@pytest.mark.parametrize("number", range(3))
def test_launch_cancel_and_delete_survive_the_death_of_their_worker(
    house: House, seed: int, number: int, only_this: bool
) -> None:
    rng = random.Random(f"{seed}:orders:{number}")
    moment = list(Moment)[number]
    launching = drawn_strike(rng, "worker", moment, rng.choice(LAUNCH))
    aborting = drawn_strike(rng, "worker", Moment.UNANSWERED, "sessions.abort")
    deleting = drawn_strike(rng, "worker", moment, "fleets.delete", most_skipped=0)
    name = f"orders-{seed}-{number}-{only_this}"

    fault_id = arm(house, launching)
    form = {"count": "6", "prompt": LONG, "name": name, "idempotency_key": name}
    fleet = house.launch(**form)
    assert carry_out(house, fleet, launching, fault_id=fault_id)
    eventually(lambda: running(fleet) >= 3, "nothing runs", meanwhile=house.keep_up)
    fault_id = arm(house, aborting)
    cancel = house.order(fleet, "cancel", **({"only_this": "on"} if only_this else {}))
    assert carry_out(house, fleet, aborting, fault_id=fault_id)
    house.wait_for_end(cancel)
    assert cancel.state == "done", cancel.sentence
    house.wait_for_end_of_work(fleet)
    assert fleet.state == "cancelled"

    fault_id = arm(house, deleting, match=fleet.public_id)
    house.order(fleet, "delete", typed_name=fleet.name)
    assert carry_out(house, fleet, deleting, fault_id=fault_id)
    delete_and_prove(house, fleet)


def running(fleet: Fleet) -> int:
    return Turn.objects.filter(run__fleet=fleet, state="running").count()
