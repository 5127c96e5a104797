"""A house to break for long. `make soak` runs this folder; `make test` does not.

`SEED` chooses the places in the journal (each run without it draws and prints a new one), `ROUNDS`
how many rounds of the kill matrix are played: `ROUNDS=300`, or `ROUNDS=120-300` to go on from
round 120 of the same seed.
"""

import os
import random

import pytest

from tests.integration.chaos.conftest import house

__all__ = ["house"]

ROUNDS = "300"


@pytest.fixture(scope="session")
def seed() -> int:
    """The seed of this run."""
    return int(os.environ.get("SEED") or random.SystemRandom().randrange(1_000_000))


@pytest.fixture
def rounds() -> range:
    """The numbers of the rounds to play."""
    first, _, last = (os.environ.get("ROUNDS") or ROUNDS).rpartition("-")
    return range(int(first or 0), int(last))
