"""Many who ask the database at once share a query, and each gets one that is newer than it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from fleets.gateway import Gateway
from fleets.services.driving.fresh_answer import FreshAnswer

T = TypeVar("T")


@pytest.mark.django_db(transaction=True)
def test_a_hundred_askers_cost_two_queries_at_most() -> None:
    asked: list[int] = []

    async def ask_all() -> list[int]:
        def question() -> int:
            asked.append(1)
            return len(asked)

        answer = FreshAnswer(question)
        return list(await asyncio.gather(*(answer.ask() for _ in range(100))))

    told = _run(ask_all())

    assert len(asked) <= 2
    assert set(told) <= {1, 2}


@pytest.mark.django_db(transaction=True)
def test_whoever_asks_while_a_query_runs_gets_the_next_one() -> None:
    state = {"epoch": 1}
    begun = asyncio.Event()

    async def ask_twice() -> tuple[int, int]:
        loop = asyncio.get_running_loop()

        def question() -> int:
            seen = state["epoch"]
            loop.call_soon_threadsafe(begun.set)
            return seen

        answer = FreshAnswer(question)
        first = asyncio.create_task(answer.ask())
        await begun.wait()
        # The order to stop comes after the first query read the row.
        state["epoch"] = 2
        return await answer.ask(), await first

    assert _run(ask_twice()) == (2, 1)


def _run(work: Coroutine[Any, Any, T]) -> T:
    door = Gateway()
    try:
        return door.run(work)
    finally:
        door.close()
