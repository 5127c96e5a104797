"""One question to the database for all who ask it at the same time."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from fleets.gateway import ask_database

T = TypeVar("T")


class FreshAnswer(Generic[T]):
    """Answers every asker by a query that began after it asked.

    A thousand turns that leave together cost a handful of queries, and each still leaves on an
    answer that is newer than its own place in line.
    """

    def __init__(self, question: Callable[[], T]) -> None:
        self._question = question
        self._turn = asyncio.Lock()
        self._next: asyncio.Task[T] | None = None

    async def ask(self) -> T:
        """The answer; raises what the question raises."""
        if self._next is None:
            self._next = asyncio.create_task(self._query())
        return await asyncio.shield(self._next)

    async def _query(self) -> T:
        async with self._turn:
            # Whoever asks from here on may have come after the query began.
            self._next = None
            return await ask_database(self._question)
