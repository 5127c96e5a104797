"""A platform to drive against, and people who order."""

from collections.abc import Iterator

import pytest

from emulator.config import Config
from emulator.server import EmulatorThread
from fleets.domain.status import Role
from fleets.gateway import close_gateway
from fleets.models import User
from fleets.services.actor import Actor
from tests.factories import TeamFactory, UserFactory
from tests.support.driver import connect


@pytest.fixture
def emulator() -> Iterator[EmulatorThread]:
    """An emulator of its own, ten times as fast as in life, in which nothing fails by chance."""
    config = Config(control=True, pace="fast", rate_per_minute=0, failure_share=0.0)
    with EmulatorThread(config) as running:
        yield running
        close_gateway()


@pytest.fixture
def admin(transactional_db: None, redis_client: object) -> User:
    """An admin in a team called `main`."""
    user: User = UserFactory(role=Role.ADMIN)
    user.teams.add(TeamFactory(name="main", slug="main"))
    return user


@pytest.fixture
def actor(admin: User, emulator: EmulatorThread) -> Actor:
    """The admin at a command line, with the emulator connected."""
    connect(emulator)
    return Actor(user=admin, door="command")
