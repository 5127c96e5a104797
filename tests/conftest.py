"""Fixtures that every folder of tests may use."""

import os
from collections.abc import Iterator

import pytest
from redis import Redis

from tests.support.servers import start_servers
from tests.support.worker import worker

__all__ = ["worker"]


@pytest.fixture(scope="session")
def servers() -> None:
    """Postgres and Valkey are up; their addresses are in the settings."""
    start_servers()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    servers: None, django_db_modify_db_settings_parallel_suffix: None
) -> None:
    """Whoever asks for the database gets a running server first."""


@pytest.fixture
def redis_client(servers: None) -> Iterator[Redis]:
    """This worker's own Redis database, empty before the test."""
    with Redis.from_url(os.environ["REDIS_URL"]) as client:
        client.flushdb()
        yield client
