"""Postgres and Valkey of one test's own, durable as in life: they may be killed and come back.

This process's own questions go to that Postgres too, while `orm_on` lasts.
"""

import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.db import connection, connections
from django.test import override_settings

from fleetdash.onemachine import leftovers
from fleetdash.onemachine.binaries import discard_copy
from fleetdash.onemachine.pair import Pair
from tests.support.prepared_pair import copy_of
from tests.support.worker import Background

_GONE_LIMIT_S = 30.0
# What leads to a database; the rest of the settings is the same for every one.
_ADDRESS = ("HOST", "PORT", "USER", "PASSWORD", "NAME")


@dataclass
class PostgresProcess(Background):
    """The postmaster and its sessions, which are processes too."""

    data: Path = Path()

    def kill(self) -> None:
        """-9 for everything that works in the data folder, as when the power goes."""
        for pid in leftovers.working_in(self.data):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        super().kill()
        self._wait_until_gone()

    def kill_alone(self) -> None:
        """-9 for the postmaster; its sessions notice, and go."""
        os.kill(self.pid, signal.SIGKILL)
        super().kill()
        self._wait_until_gone()

    def _wait_until_gone(self) -> None:
        # A new one does not start while anything of the old one has its memory.
        deadline = time.monotonic() + _GONE_LIMIT_S
        while leftovers.working_in(self.data):
            assert time.monotonic() < deadline, "the old Postgres does not go"
            time.sleep(0.02)


@dataclass
class OwnServers:
    """The pair as two processes, with a migrated database."""

    folder: Path
    pair: Pair
    postgres: PostgresProcess
    valkey: Background

    def environment(self) -> dict[str, str]:
        """The variables under which another process works on this pair."""
        settings = {"DJANGO_SETTINGS_MODULE": "fleetdash.settings_test"}
        return os.environ | settings | self.pair.environment()

    def start(self) -> None:
        for server in (self.valkey, self.postgres):
            server.start()
        for server in (self.valkey, self.postgres):
            server.wait_until_ready()

    def stop(self) -> None:
        self.valkey.kill()
        self.postgres.kill()


@contextmanager
def own_servers(folder: Path, *, prepared: Path) -> Iterator[OwnServers]:
    """Both servers, up, copied from `prepared`; they and their data are gone after the block."""
    pair = Pair.prepare(copy_of(prepared, folder / "data"), durable=True)
    environment = os.environ | leftovers.marked(pair.data)
    servers = OwnServers(
        folder,
        pair,
        PostgresProcess(
            name="postgres",
            command=tuple(pair.postgres.command()),
            ready="database system is ready to accept connections",
            folder=folder,
            environment=environment,
            data=pair.postgres.folder,
        ),
        Background(
            name="valkey",
            command=tuple(pair.valkey.command()),
            ready="Ready to accept connections",
            folder=folder,
            environment=environment,
        ),
    )
    try:
        servers.start()
        yield servers
    finally:
        servers.stop()
        discard_copy(pair.data)
        shutil.rmtree(pair.data, ignore_errors=True)


@contextmanager
def orm_on(servers: OwnServers) -> Iterator[None]:
    """This process's ORM and settings lead to these servers within the block."""
    address = connections.databases["default"]
    before = {name: address[name] for name in _ADDRESS}
    postgres = servers.pair.postgres
    _forget_connections()
    address.update(
        {
            "HOST": "127.0.0.1",
            "PORT": postgres.port,
            "USER": "fleetdash",
            "PASSWORD": postgres.password,
            "NAME": "fleetdash",
        }
    )
    try:
        with override_settings(REDIS_URL=servers.pair.valkey.url):
            yield
    finally:
        _forget_connections()
        address.update(before)


def _forget_connections() -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # Postgres has one
