"""A request as handlers see it, and what they answer."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import Headers, QueryParams

from emulator.entities import Key
from emulator.journal import Entry
from emulator.world import World

JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """An authenticated, well-formed request."""

    world: World
    key: Key
    params: dict[str, str]
    query: QueryParams
    headers: Headers
    body: JsonObject
    entry: Entry

    @property
    def is_account(self) -> bool:
        return self.key.parent_id is None


@dataclass(frozen=True, slots=True)
class Answer:
    """A JSON answer."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StreamAnswer:
    """Server-sent events, piece by piece. `on_end` is called however the stream ends."""

    pieces: AsyncIterator[str]
    on_end: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class LateAnswer:
    """An answer that takes its time. `on_drop` is called when the caller leaves before it."""

    wait: Callable[[], Awaitable[Answer]]
    on_drop: Callable[[], None] | None = None


AnyAnswer = Answer | StreamAnswer | LateAnswer
Handler = Callable[[Call], AnyAnswer]


async def until(world: World, signal_id: str, *, is_done: Callable[[], bool]) -> None:
    """Wait for wake-ups of `signal_id` until it is done or the emulator stops."""
    while not is_done() and not world.stopping.is_set():
        await world.signal_of(signal_id).wait()
