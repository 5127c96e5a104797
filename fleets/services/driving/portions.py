"""Writes what a round of calls has brought while the rest of the round goes on.

Waiting for the database and for the platform then take the same time, not one after the other.
"""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final, TypeVar

from fleets.gateway import work_beside

T = TypeVar("T")
P = TypeVar("P")

# So many turns are worth a transaction of their own; what is left of a round is written at its end.
PORTION: Final = 100
LOOK_S: Final = 0.02


def take_portion(news: list[T]) -> list[T] | None:
    """Take what has come out of the list, unless it is too little to be written by itself.

    The list stays the same one: calls under way add to it.
    """
    if len(news) < PORTION:
        return None
    portion = news.copy()
    news.clear()
    return portion


async def written_meanwhile(
    round_of_calls: Coroutine[Any, Any, T],
    *,
    take: Callable[[], P | None],
    write: Callable[[P], None],
) -> T:
    """Do a round of calls; what `take` gives meanwhile is written in a thread, one portion at a
    time. `take` gives None while there is too little.

    Raises what the round or `write` raises. Then the round may still be under way: whoever runs
    it (`Gateway.run`) ends it.
    """
    working = asyncio.ensure_future(round_of_calls)
    while not working.done():
        await asyncio.wait({working}, timeout=LOOK_S)
        portion = take()
        if portion is not None:
            await work_beside(partial(write, portion))
    return working.result()
