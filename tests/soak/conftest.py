"""A house to break for long. `make soak` runs this folder; `make test` does not.

`SOAK_SEED` chooses the places in the journal; each run without it draws and prints a new one.
"""

import os
import random

import pytest

from tests.integration.chaos.conftest import actor, admin, emulator, house

__all__ = ["actor", "admin", "emulator", "house"]


@pytest.fixture
def seed(capsys: pytest.CaptureFixture[str]) -> int:
    """The seed of this run."""
    number = int(os.environ.get("SOAK_SEED", random.SystemRandom().randrange(1_000_000)))
    with capsys.disabled():
        print(f"\nSOAK_SEED={number}")
    return number
