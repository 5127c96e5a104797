"""The number of an event is read from its id, whatever else may stand there."""

import pytest

from fleets.platform_api.sse import event_number


@pytest.mark.parametrize(
    ("event_id", "number"),
    [("7", 7), (None, None), ("", None), ("²", None), ("-1", None), ("9" * 5_000, int("9" * 18))],
)
def test_only_digits_are_a_number_and_it_fits_the_database(
    event_id: str | None, number: int | None
) -> None:
    assert event_number(event_id) == number
