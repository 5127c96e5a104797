"""No unit test waits between attempts."""

from collections.abc import Iterator

import pytest
import stamina


@pytest.fixture(autouse=True)
def no_waiting_between_attempts() -> Iterator[None]:
    stamina.set_testing(True, attempts=10, cap=True)
    yield
    stamina.set_testing(False)
