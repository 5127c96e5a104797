"""The whole house with real processes, every one of which may die, and a person at a browser.

Web, worker, beat, follower, the emulator with its state file, Postgres and Valkey: all of the
test's own. What dies is started again, as the supervisor would.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.db import connection
from redis import Redis

from fleetdash.onemachine.ports import free_port
from fleets.domain.status import Role
from fleets.models import Fleet, Operation, User
from tests.factories import TeamFactory, UserFactory
from tests.integration.chaos.person import LAUNCH_FORM, Person
from tests.integration.chaos.waiting import eventually, has_ended
from tests.support.driver import connect, control
from tests.support.emulated import EmulatorProcess
from tests.support.own_servers import OwnServers, orm_on, own_servers
from tests.support.worker import Background, Workers

# By this name a process's connections are known in Postgres.
_NAME_IN_DATABASE = "PGAPPNAME"


@dataclass
class House:
    """All processes. `due_back`: what was killed, and when it is to be started again."""

    servers: OwnServers
    folder: Path
    emulator: EmulatorProcess = field(init=False)
    workers: Workers = field(init=False)
    web: Background = field(init=False)
    follower: Background = field(init=False)
    person: Person = field(init=False)
    due_back: dict[str, float] = field(default_factory=dict)
    died_alone: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        port = free_port()
        self.emulator = EmulatorProcess(self.folder)
        self.workers = Workers(self.folder, environment=self._environment("worker"))
        address = ("--host", "127.0.0.1", "--port", str(port))
        self.web = Background(
            name="web",
            command=(sys.executable, "-m", "uvicorn", "fleetdash.asgi:application", *address),
            ready="Uvicorn running on",
            folder=self.folder,
            environment=self._environment("web"),
        )
        self.follower = Background(
            name="follow",
            command=(sys.executable, "-u", "manage.py", "follow"),
            ready="following up to",
            folder=self.folder,
            environment=self._environment("follow"),
        )
        self.person = Person(f"http://127.0.0.1:{port}", self._people().username, self.keep_up)

    def _environment(self, name: str) -> dict[str, str]:
        return self.servers.environment() | {_NAME_IN_DATABASE: name}

    def _people(self) -> User:
        """The admin, in a team called `main`; the emulator is connected."""
        connect(self.emulator)
        user: User = UserFactory(role=Role.ADMIN)
        user.teams.add(TeamFactory(name="main", slug="main"))
        return user

    @property
    def processes(self) -> dict[str, Background]:
        return {
            "postgres": self.servers.postgres,
            "emulator": self.emulator.process,
            "worker": self.workers.worker,
            "beat": self.workers.beat,
            "follow": self.follower,
            "web": self.web,
        }

    # Life

    def start(self) -> None:
        started = [one for one in self.processes.values() if not one.is_running]
        for one in started:
            one.start()
        for one in started:
            one.wait_until_ready()
        self.person.sign_in()

    def stop(self) -> None:
        """The servers go with the block that brought them."""
        for name in ("web", "follow", "beat", "worker", "emulator"):
            self.processes[name].kill()

    def keep_up(self) -> None:
        """What the supervisor does: start what is down, unless it is to stay down for a while."""
        for name, process in self.processes.items():
            if process.is_running:
                continue
            if name not in self.due_back:
                self.died_alone[name] += 1
            elif time.monotonic() < self.due_back[name]:
                continue
            self.due_back.pop(name, None)
            process.start()

    def wait_until_up(self, *names: str) -> None:
        """Return once these processes, or all, run and work."""
        for name in names or tuple(self.processes):
            process = self.processes[name]
            eventually(lambda it=process: it.is_running, f"{name} is down", meanwhile=self.keep_up)  # type: ignore[misc]
            process.wait_until_ready()
            if name == "postgres":
                eventually(_database_answers, "the database does not answer")

    # Harm

    def empty_redis(self) -> None:
        """Everything in Redis is gone: queues, rate budget, live stream."""
        with Redis.from_url(self.servers.pair.valkey.url) as client:
            client.flushdb()

    def control(self, method: str, path: str, body: Any = None) -> Any:
        return control(self.emulator, method, path, body)

    # Acts

    def launch(self, **form: str) -> Fleet:
        """Launch from the form; the fleet that came of it."""
        self.person.press_until_answered("/fleets/launch", LAUNCH_FORM | form)
        return self.fleet_of(LAUNCH_FORM | form)

    def fleet_of(self, form: dict[str, str]) -> Fleet:
        """The one fleet that this form has made, however often it was sent."""
        return Fleet.objects.get(name=form["name"])

    def order(self, fleet: Fleet, act: str, **form: str) -> Operation:
        """Press a button of the stop sheet, and again until it is answered."""
        path = f"/fleets/{fleet.public_id}/{act.replace('_', '-')}"
        self.person.press_until_answered(path, {"reason": "chaos", **form})
        return Operation.objects.filter(fleet=fleet, kind=act).latest("requested_at")

    def wait_for_end_of_work(self, fleet: Fleet) -> None:
        eventually(lambda: has_ended(fleet), "the work has not ended", meanwhile=self.keep_up)

    def wait_for_end(self, operation: Operation) -> None:
        def ended() -> bool:
            operation.refresh_from_db()
            return operation.ended_at is not None

        eventually(ended, f"{operation.kind} has not ended", meanwhile=self.keep_up)


def _database_answers() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True


def waits_in_database(name: str) -> bool:
    """Whether a connection of the process `name` (any, if empty) waits for what we hold."""
    with connection.cursor() as cursor:
        # Within a transaction the list of connections is else the one of the first look.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE %s IN ('', application_name)"
            " AND pg_backend_pid() = ANY(pg_blocking_pids(pid))",
            [name],
        )
        return bool(cursor.fetchone()[0])


@contextmanager
def standing_house(prepared: Path) -> Iterator[House]:
    """A running house on servers of its own; its processes end with the block."""
    with TemporaryDirectory(prefix="fleetdash-house-") as name:
        folder = Path(name)
        with own_servers(folder, prepared=prepared) as servers, orm_on(servers):
            house = House(servers, folder)
            try:
                house.start()
                yield house
            finally:
                house.stop()
