"""Followers for tests: in this process for a while, and as a process of its own."""

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fleets.follow import STREAMS, Follower
from fleets.gateway import ask_database, gateway
from tests.support.worker import Background, shared_environment

PATIENCE_S = 120.0


def follow_until(done: Callable[[], bool], *, owners: int = 1, most: int = STREAMS) -> None:
    """Let followers work in this process until `done` says so."""

    async def go() -> None:
        followers = [Follower(owner=f"test:{number}", most=most) for number in range(owners)]
        tasks = [asyncio.create_task(follower.run()) for follower in followers]
        deadline = time.monotonic() + PATIENCE_S
        try:
            while not await ask_database(done):
                assert time.monotonic() < deadline, "the followers did not get there"
                await asyncio.sleep(0.05)
        finally:
            for follower in followers:
                follower.stopping.set()
            await asyncio.gather(*tasks)

    gateway().run(go())


@contextmanager
def follower_process(folder: Path, name: str = "follow") -> Iterator[Background]:
    """`manage.py follow` on this test's database; started, and ended with the block."""
    process = Background(
        name=name,
        command=(sys.executable, "manage.py", "follow"),
        ready="following up to",
        folder=folder,
        environment=shared_environment() | {"PYTHONUNBUFFERED": "1"},
    )
    process.start()
    try:
        process.wait_until_ready()
        yield process
    finally:
        process.stop()
