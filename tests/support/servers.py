"""A pytest plugin: every run has a Postgres and a Valkey of its own, started when first needed.

Loaded before the settings (`-p` in pyproject.toml), because they read the addresses when they are
imported. `make test` and `python -m fleetdash.embedded run` bring servers along; then nothing is
started here. Under xdist all workers share the pair: pytest-django gives each a database, and each
gets a Redis database of its own here.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest

from fleetdash.onemachine.binaries import discard_copy
from fleetdash.onemachine.pair import Pair, Running

_OWN = "FLEETDASH_TEST_PAIR"
_state: dict[str, Running] = {}


def _pin() -> None:
    if "DATABASE_URL" in os.environ and "REDIS_URL" in os.environ:
        return
    data = Path(tempfile.mkdtemp(prefix="fleetdash-tests-"))
    os.environ.update(Pair.pin(data, durable=False).environment())
    os.environ[_OWN] = str(data)
    atexit.register(_remove, data)


def _remove(data: Path) -> None:
    """Also after a run that ended before it began, on a mistyped option."""
    discard_copy(data)
    shutil.rmtree(data, ignore_errors=True)


_pin()


def start_servers() -> None:
    """Start the pinned pair once; nothing to do where the servers came from outside."""
    if os.environ.get(_OWN) and not _state and "PYTEST_XDIST_WORKER" not in os.environ:
        _state["pair"] = Running(Pair.prepare(Path(os.environ[_OWN]), durable=False))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: list[Any]) -> None:
    """Workers cannot start what they share: the controller does, and numbers their Redis."""
    start_servers()
    for number, spec in enumerate(specs, start=1):
        spec.env["REDIS_URL"] = numbered(os.environ["REDIS_URL"], number)


def numbered(redis_url: str, number: int) -> str:
    """The same Redis server with another database number."""
    return urlunsplit(urlsplit(redis_url)._replace(path=f"/{number}"))


def pytest_unconfigure(config: pytest.Config) -> None:
    if _state:
        _state.pop("pair").stop()
