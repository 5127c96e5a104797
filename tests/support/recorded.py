"""The recorded production run, told by a platform that is no more than its frames."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import httpx

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.connections import Timeouts
from fleets.platform_api.secret import Secret
from fleets.platform_api.transport import Transport
from fleets.platform_api.types import BaseUrls
from tests.contract.test_recorded_run import RUN, Pieces, frames

__all__ = ["RUN", "asking_recorded"]

URL = "http://platform.invalid"
T = TypeVar("T")


def asking_recorded(
    work: Callable[[PlatformClient], Awaitable[T]], run: Sequence[dict[str, Any]] = tuple(RUN)
) -> T:
    """Let `work` talk to a platform whose every event stream is this run, in small pieces."""

    def answer(_request: httpx.Request) -> httpx.Response:
        headers = {"content-type": "text/event-stream"}
        return httpx.Response(200, headers=headers, stream=Pieces(frames(list(run)), 700))

    async def go() -> T:
        http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
        transport = Transport(http=http, timeouts=Timeouts())
        urls = BaseUrls(sandbox=URL, id=URL, router=URL)
        try:
            return await work(PlatformClient(urls, Secret("k"), transport=transport))
        finally:
            await transport.aclose()

    return asyncio.run(go())
