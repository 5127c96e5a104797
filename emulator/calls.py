"""A request as handlers see it, and what they answer."""

from collections.abc import AsyncIterator, Callable
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
    """Server-sent events, piece by piece."""

    pieces: AsyncIterator[str]


Handler = Callable[[Call], Answer | StreamAnswer]
