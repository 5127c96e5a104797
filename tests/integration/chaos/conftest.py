"""A house to break."""

from collections.abc import Iterator

import pytest
from redis import Redis

from emulator.server import EmulatorThread
from fleets.models import User
from fleets.services.actor import Actor
from tests.integration.chaos.house import House, standing_house
from tests.integration.driving.conftest import actor, admin, emulator

__all__ = ["actor", "admin", "emulator"]


@pytest.fixture
def house(
    actor: Actor, admin: User, emulator: EmulatorThread, redis_client: Redis
) -> Iterator[House]:
    """Web, worker and beat, up and working."""
    with standing_house(emulator, redis_client, admin) as standing:
        yield standing
