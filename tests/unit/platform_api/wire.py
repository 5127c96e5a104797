"""A platform made of canned answers: what httpx would have got, and what it was asked."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.connections import Timeouts
from fleets.platform_api.operations import Operation
from fleets.platform_api.secret import Secret
from fleets.platform_api.transport import CallRecord, Transport
from fleets.platform_api.types import BaseUrls

T = TypeVar("T")
KEY = Secret("sk-tan-unit-0123456789abcdef")
URLS = BaseUrls(sandbox="http://host/sandbox", id="http://host/id", router="http://host/router/v1")

Answer = httpx.Response | Exception


@dataclass
class Wire:
    """Answers in order, the last one for ever; keeps what arrived."""

    answers: list[Answer]
    requests: list[httpx.Request] = field(default_factory=list)
    paced: list[Operation] = field(default_factory=list)
    records: list[CallRecord] = field(default_factory=list)

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def pace(self, operation: Operation) -> None:
        self.paced.append(operation)

    @property
    def body(self) -> Any:
        return json.loads(self.requests[-1].content)

    def run(self, act: Callable[[PlatformClient], Awaitable[T]]) -> T:
        async def go() -> T:
            transport = Transport(
                timeouts=Timeouts(read_s=5),
                pace=self.pace,
                on_call=self.records.append,
                http=httpx.AsyncClient(transport=httpx.MockTransport(self.handle)),
            )
            try:
                return await act(PlatformClient(URLS, KEY, transport=transport))
            finally:
                await transport.aclose()

        return asyncio.run(go())


def wire(*answers: Answer) -> Wire:
    return Wire(list(answers))


def answer(
    status: int, body: Any = None, *, headers: Mapping[str, str] | None = None
) -> httpx.Response:
    if body is None:
        return httpx.Response(status, headers=headers)
    return httpx.Response(status, json=body, headers=headers)


def events(*frames: str) -> httpx.Response:
    """An event stream of the given frames, each with its blank line."""
    text = "".join(f"{frame}\n\n" for frame in frames)
    return httpx.Response(200, text=text, headers={"content-type": "text/event-stream"})
