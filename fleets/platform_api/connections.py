"""The httpx client over aiohttp, with that pair's traps set right (docs: architecture, HTTP)."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

# Our side gives an idle connection up before the peer does (uvicorn and most proxies: 5 s), so a
# request is rarely sent into a connection that is just being closed.
KEEP_ALIVE_S = 4.0
CONNECTIONS = 100


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds; none is infinite. `heartbeat_s` bounds the silence of an event stream."""

    connect_s: float = 5.0
    read_s: float = 30.0
    write_s: float = 15.0
    pool_s: float = 10.0
    heartbeat_s: float = 30.0
    within_s: float | None = None

    @property
    def whole_call_s(self) -> float:
        """The longest one attempt may take: aiohttp itself has no limit on writing."""
        if self.within_s is not None:
            return self.within_s
        return self.pool_s + self.connect_s + self.write_s + self.read_s

    def within(self, patience_s: float | None) -> "Timeouts":
        """The same for whoever waits no longer than `patience_s`; None changes nothing."""
        if patience_s is None:
            return self
        return replace(
            self,
            read_s=min(self.read_s, patience_s),
            heartbeat_s=min(self.heartbeat_s, patience_s),
            within_s=patience_s,
        )

    def waiting(self, answer_s: float | None) -> "Timeouts":
        """The same, but at least `answer_s` seconds for the answer."""
        if answer_s is None or answer_s <= self.read_s:
            return self
        return replace(self, read_s=answer_s)

    def for_call(self) -> httpx.Timeout:
        return httpx.Timeout(
            connect=self.connect_s, read=self.read_s, write=self.write_s, pool=self.pool_s
        )

    def for_stream(self) -> httpx.Timeout:
        return httpx.Timeout(
            connect=self.connect_s, read=self.heartbeat_s, write=self.write_s, pool=self.pool_s
        )


def open_client(timeouts: Timeouts, *, connections: int = CONNECTIONS) -> httpx.AsyncClient:
    """A client for the running event loop; its aiohttp session is made at the first request."""
    return httpx.AsyncClient(
        transport=AiohttpTransport(client=_session_factory(connections)),
        timeout=timeouts.for_call(),
        follow_redirects=False,
        trust_env=False,
    )


def _session_factory(connections: int) -> Callable[[], aiohttp.ClientSession]:
    def make() -> aiohttp.ClientSession:
        session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=connections,
                keepalive_timeout=KEEP_ALIVE_S,
                # No lookup cache trouble with addresses that move; loopback costs nothing.
                ttl_dns_cache=30,
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        # aiohttp sends GET, PUT and DELETE a second time by itself when a kept connection breaks.
        # Only we decide what is sent twice. There is no public switch for it.
        session._retry_connection = False
        return session

    return make
