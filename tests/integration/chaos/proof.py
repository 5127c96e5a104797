"""The end of every disaster: the books agree, and a delete leaves nothing."""

from fleets.models import Fleet
from tests.integration.chaos.books import assert_nothing_is_left, assert_the_books_agree
from tests.integration.chaos.house import House, wait_for_end


def delete_and_prove(house: House, fleet: Fleet) -> None:
    """The books agree while the fleet stands, and nothing is left of it after its delete."""
    assert_the_books_agree(house.emulator, fleet)
    operation = house.order(fleet, "delete", typed_name=fleet.name)
    wait_for_end(operation)
    assert operation.state == "done", operation.sentence
    assert_nothing_is_left(house.emulator, fleet)
