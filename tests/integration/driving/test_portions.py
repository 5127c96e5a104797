"""What a round brings is written while the rest of it goes on, each piece once."""

import asyncio
import threading
from collections.abc import Coroutine
from functools import partial
from typing import Any, TypeVar

import pytest

from fleets.gateway import Gateway
from fleets.services.driving.portions import PORTION, take_portion, written_meanwhile

T = TypeVar("T")
CALLS = 10 * PORTION + 7


def test_nothing_is_lost_and_nothing_written_twice() -> None:
    news: list[int] = []
    portions: list[list[int]] = []
    threads: set[int] = set()
    gates = [threading.Event() for _ in range(CALLS // PORTION)]

    async def answer(number: int) -> int:
        # Each portion's worth of answers comes once the one before it is being written, so that
        # calls are under way at every hand-over.
        while number >= PORTION and not gates[number // PORTION - 1].is_set():
            await asyncio.sleep(0)
        return number

    async def call(number: int) -> None:
        news.append(await answer(number))

    async def calls() -> None:
        await asyncio.gather(*(call(number) for number in range(CALLS)))

    def write(portion: list[int]) -> None:
        threads.add(threading.get_ident())
        gates[len(portions)].set()
        portions.append(portion)

    _run(written_meanwhile(calls(), take=partial(take_portion, news), write=write))

    told = [number for portion in portions for number in portion] + news
    assert sorted(told) == list(range(CALLS))
    assert len(portions) > 1
    assert threading.get_ident() not in threads


def test_a_portion_that_cannot_be_written_ends_the_round() -> None:
    news = list(range(PORTION))
    ended: list[str] = []

    async def calls() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    def write(portion: list[int]) -> None:
        raise RuntimeError("the lease is lost")

    with pytest.raises(RuntimeError, match="the lease is lost"):
        _run(written_meanwhile(calls(), take=partial(take_portion, news), write=write))
    assert ended == ["cancelled"]


def _run(work: Coroutine[Any, Any, T]) -> T:
    door = Gateway()
    try:
        return door.run(work)
    finally:
        door.close()
