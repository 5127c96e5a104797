"""A platform, people, and somebody who works on what the commands order."""

import threading
from collections.abc import Iterator

import pytest
from django.db import connections
from django.utils import timezone

from emulator.server import EmulatorThread
from fleets.services.actor import Actor
from fleets.services.watch import watch_fleets
from tests.integration.driving.conftest import actor, admin, emulator
from tests.support.driver import drive_once

__all__ = ["actor", "admin", "driving", "emulator"]

IDLE_S = 0.02


@pytest.fixture
def driving(actor: Actor, emulator: EmulatorThread) -> Iterator[None]:
    """A thread that does the worker's part, on the same services as its tasks."""
    over = threading.Event()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            while not over.is_set():
                if not drive_once():
                    watch_fleets(now=timezone.now())
                    over.wait(IDLE_S)
        except BaseException as error:
            failures.append(error)
        finally:
            connections.close_all()

    thread = threading.Thread(target=work, name="driving", daemon=True)
    thread.start()
    yield
    over.set()
    thread.join(120)
    assert not failures, failures
