"""The end of every disaster: the books agree, and a delete leaves nothing."""

from collections.abc import Sequence

from fleets.models import Fleet
from tests.integration.chaos.books import assert_nothing_is_left, assert_the_books_agree
from tests.integration.chaos.house import House


def delete_and_prove(house: House, fleet: Fleet) -> None:
    """The books agree while the fleet stands, and nothing is left of it after its delete."""
    assert_the_books_agree(house.emulator, fleet)
    prove_nothing_is_left(house, [fleet])


def prove_nothing_is_left(house: House, fleets: Sequence[Fleet]) -> None:
    """Delete them all: nothing of them is left, and each cost what the ledger says."""
    house.wait_until_up("web")
    # To delete, the password must have been given lately.
    house.person.sign_in()
    ordered = [house.order(fleet, "delete", typed_name=fleet.name) for fleet in fleets]
    for operation in ordered:
        house.wait_for_end(operation)
        assert operation.state == "done", operation.sentence
    for fleet in fleets:
        assert_nothing_is_left(house.emulator, fleet)
