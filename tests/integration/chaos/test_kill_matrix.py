"""Every process dies at drawn places while the platform misbehaves: nothing is lost."""

from tests.integration.chaos.house import House
from tests.integration.chaos.matrix import FAMILIES, VICTIMS, drawn_round
from tests.integration.chaos.rounds import play_all
from tests.integration.chaos.striking import Moment

SEED = 36
ROUNDS = 10


def test_ten_rounds_lose_nothing_and_run_nothing_twice(house: House) -> None:
    rounds = [drawn_round(SEED, number) for number in range(ROUNDS)]
    assert {what.strike.victim for what in rounds} == set(VICTIMS)
    assert {what.family for what in rounds} == set(FAMILIES)
    assert {what.strike.moment for what in rounds} == set(Moment)

    tally = play_all(house, rounds, fleets_between_deletes=ROUNDS)

    assert tally.failed == []
    assert tally.rounds == ROUNDS
