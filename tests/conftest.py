"""Fixtures that every folder of tests may use."""

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, settings
from pytest_django import DjangoDbBlocker
from redis import Redis

from tests.support.database import Template
from tests.support.prepared_pair import prepared_pair
from tests.support.servers import start_servers
from tests.support.worker import worker

__all__ = ["prepared_pair", "worker"]

# The same draws in every run: a red run can be repeated, and a change is judged by what it changed.
# `make soak` draws anew (HYPOTHESIS_DRAWS=new) and plays long what is found only by chance.
# How long an example takes says how busy the machine is, and nothing of the product.
_PATIENT: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("same", derandomize=True, database=None, **_PATIENT)
settings.register_profile("new", print_blob=True, **_PATIENT)
settings.load_profile(os.environ.get("HYPOTHESIS_DRAWS", "same"))

# A shell has what it runs in the background ignore Ctrl-C, and so would all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Files that start processes or wait for agents: begun first, so that none of them is left alone
# at the end while the other processes have nothing to do.
_LONG = (
    ("test_kill_matrix", "test_make_up"),
    ("chaos/", "onemachine/", "driving/", "commands/", "integration/emulator/"),
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """After the shuffle: the long files before the short ones, each in its shuffled order."""
    items.sort(key=lambda item: _turn_of(item.nodeid))


def _turn_of(nodeid: str) -> int:
    named = (any(name in nodeid for name in names) for names in _LONG)
    return next((turn for turn, is_named in enumerate(named) if is_named), len(_LONG))


@pytest.fixture(scope="session")
def servers() -> None:
    """Postgres and Valkey are up; their addresses are in the settings."""
    start_servers()


@pytest.fixture(scope="session")
def template(servers: None) -> Template:
    """The migrated database that each process copies, held until this one has its copy."""
    return Template.find()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    template: Template, django_db_modify_db_settings_parallel_suffix: None
) -> None:
    """Whoever asks for the database gets a running server first."""


@pytest.fixture(scope="session")
def django_db_setup(
    template: Template, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """The test database, which goes at the end even when somebody still hangs on it.

    The server notices a killed client only when it next speaks to it, and an idle thread of this
    process keeps its connection until the process ends: neither may turn a green run red.
    """
    template.leave()
    yield
    with django_db_blocker.unblock():
        deadline = time.monotonic() + 2
        while _others() and time.monotonic() < deadline:
            time.sleep(0.05)
        _others(end_them=True)
        connection.close()


def _others(*, end_them: bool = False) -> int:
    """How many other sessions are on the test database."""
    act = "pg_terminate_backend(pid)" if end_them else "pid"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {act} FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return len(cursor.fetchall())


@pytest.fixture
def redis_client(servers: None) -> Iterator[Redis]:
    """This worker's own Redis database, empty before the test."""
    with Redis.from_url(os.environ["REDIS_URL"]) as client:
        client.flushdb()
        yield client
