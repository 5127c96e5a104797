"""The whole house with real processes: web, worker and beat beside an emulator, and a person.

Whatever dies is started again by the test, as the supervisor would.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
from django.conf import settings
from django.db import connection
from django.test import Client
from django.urls import reverse
from redis import Redis

from emulator.server import EmulatorThread
from fleetdash.onemachine.ports import free_port
from fleets.models import Fleet, Operation, User
from tests.factories import PASSWORD
from tests.support.driver import control
from tests.support.worker import Background, Workers, shared_environment

# A slow machine with other things to do; nothing waits so long that is well.
PATIENCE_S = 150.0
LAUNCH_FORM: Final = {
    "name": "chaos",
    "team": "main",
    "count": "12",
    "prompt": "[[ok]] [[slow 8]] Review part {index}.",
    "harness": "opencode",
    "model": "gpt-4.1-mini",
    "size": "small",
    "budget": "3.00",
    "at_once": "4",
    "after": "keep",
    "after_delay": "30 min",
    "lifetime": "1 h",
    "task_timeout": "10 min",
    "tags": "",
    "idempotency_key": "chaos-form",
}


def eventually(holds: Callable[[], bool], what: str, *, patience_s: float = PATIENCE_S) -> None:
    """Wait until `holds`; fails with `what` and what stands in the database."""
    deadline = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < deadline, f"{what}: {_standing()}"
        time.sleep(0.05)


def _standing() -> list[Any]:
    fleets = Fleet.objects.values_list("name", "state", "tasks_running", "last_error")
    return [*fleets, *Operation.objects.values_list("kind", "state", "attempts", "sentence")]


@dataclass
class Person:
    """Somebody signed in who presses buttons; a request that is cut off is pressed again."""

    base_url: str
    cookies: dict[str, str]

    @classmethod
    def signed_in(cls, user: User, base_url: str) -> "Person":
        # Through the form: whoever has just given the password may delete.
        client = Client()
        client.post(reverse("account_login"), {"login": user.get_username(), "password": PASSWORD})
        name = settings.SESSION_COOKIE_NAME
        return cls(base_url, {name: client.cookies[name].value})

    def press(self, path: str, form: dict[str, str]) -> httpx.Response:
        """Post a form once. Raises httpx.HTTPError when the site goes away meanwhile."""
        with httpx.Client(base_url=self.base_url, cookies=self.cookies, timeout=30) as browser:
            browser.get("/fleets/new").raise_for_status()
            token = browser.cookies["csrftoken"]
            answer = browser.post(path, data=form, headers={"X-CSRFToken": token})
        assert answer.status_code == 303, (answer.status_code, answer.headers, answer.text)
        return answer

    def press_until_answered(self, path: str, form: dict[str, str]) -> None:
        """Press the same button again until the site answers, as a person would."""

        def answered() -> bool:
            try:
                self.press(path, form)
            except httpx.HTTPError:
                return False
            return True

        eventually(answered, f"no answer to {path}")


@dataclass
class House:
    """Web, worker and beat as processes, the emulator, Redis, and the admin at a browser."""

    emulator: EmulatorThread
    redis: Redis
    folder: Path
    user: User
    workers: Workers = field(init=False)
    web: Background = field(init=False)
    person: Person = field(init=False)

    def __post_init__(self) -> None:
        port = free_port()
        self.workers = Workers(self.folder)
        address = ("--host", "127.0.0.1", "--port", str(port))
        self.web = Background(
            name="web",
            command=(sys.executable, "-m", "uvicorn", "fleetdash.asgi:application", *address),
            ready="Uvicorn running on",
            folder=self.folder,
            environment=shared_environment(),
        )
        self.person = Person.signed_in(self.user, f"http://127.0.0.1:{port}")

    @property
    def processes(self) -> dict[str, Background]:
        return {"worker": self.workers.worker, "beat": self.workers.beat, "web": self.web}

    def start(self) -> None:
        for one in self.processes.values():
            one.start()
        for one in self.processes.values():
            one.wait_until_ready()

    def stop(self) -> None:
        self.web.stop()
        self.workers.stop()

    def control(self, method: str, path: str, body: Any = None) -> Any:
        return control(self.emulator, method, path, body)

    def empty_redis(self) -> None:
        """Everything in Redis is gone: queues, rate budget, live stream."""
        self.redis.flushdb()

    def cut_database_connections(self) -> None:
        """Every other connection to the database breaks, as when Postgres is restarted."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )

    def launch(self, **form: str) -> Fleet:
        """Launch from the form; the fleet that came of it."""
        self.person.press_until_answered("/fleets/launch", LAUNCH_FORM | form)
        key = form.get("idempotency_key", LAUNCH_FORM["idempotency_key"])
        return Operation.objects.get(idempotency_key=key).fleet

    def order(self, fleet: Fleet, act: str, **form: str) -> Operation:
        """Press a button of the stop sheet, and again until it is answered."""
        path = f"/fleets/{fleet.public_id}/{act.replace('_', '-')}"
        said = {"reason": "chaos", **form}
        self.person.press_until_answered(path, said)
        return Operation.objects.filter(fleet=fleet, kind=act).latest("requested_at")


def wait_for_end_of_work(fleet: Fleet, *, patience_s: float = PATIENCE_S) -> None:
    def ended() -> bool:
        fleet.refresh_from_db()
        return fleet.work_ended_at is not None and not is_at_work_on(fleet)

    eventually(ended, "the work has not ended", patience_s=patience_s)


def wait_for_end(operation: Operation) -> None:
    def ended() -> bool:
        operation.refresh_from_db()
        return operation.ended_at is not None

    eventually(ended, f"{operation.kind} has not ended")


def is_at_work_on(fleet: Fleet) -> bool:
    """Whether an operation of the fleet is under way."""
    return Operation.objects.filter(fleet=fleet, ended_at__isnull=True).exists()


@contextmanager
def standing_house(emulator: EmulatorThread, redis: Redis, user: User) -> Iterator[House]:
    """A running house; its processes end with the block."""
    with tempfile.TemporaryDirectory(prefix="fleetdash-house-") as folder:
        house = House(emulator, redis, Path(folder), user)
        try:
            house.start()
            yield house
        finally:
            house.stop()
