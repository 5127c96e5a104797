"""A peer that reads a whole request, counts it, and then misbehaves as told."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

Manner = Literal["answer", "close", "reset", "silence", "garbage", "cut"]


@dataclass
class RudePeer:
    """`manners` are used up one per request, the last one for ever."""

    manners: list[Manner]
    url: str = ""
    arrivals: list[str] = field(default_factory=list)
    connections: int = 0
    writers: list[asyncio.StreamWriter] = field(default_factory=list)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    serving: set[asyncio.Task[None]] = field(default_factory=set)

    async def end(self) -> None:
        """Cut every connection and wait until nobody serves one."""
        self.over.set()
        for writer in self.writers:
            writer.transport.abort()
        while self.serving:
            await asyncio.wait(self.serving)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.serving.add(task)
        task.add_done_callback(self.serving.discard)
        await self._serve(reader, writer)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.writers.append(writer)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(
            (
                int(line.partition(":")[2])
                for line in head.splitlines()
                if line.lower().startswith("content-length:")
            ),
            0,
        )
        await reader.readexactly(length)
        self.arrivals.append(head.split(" ", 1)[0])
        manner = self.manners.pop(0) if len(self.manners) > 1 else self.manners[0]
        if manner == "answer":
            writer.write(_answer(b'{"data": {"id": "key-1", "cancelled": true}}'))
            await writer.drain()
            return True
        if manner == "cut":
            writer.write(_answer(b'{"data": {"id": "key-1"}}')[:-8])
            await writer.drain()
        elif manner == "garbage":
            writer.write(b"what is this\r\n\r\n")
            await writer.drain()
        elif manner == "reset":
            peer: socket.socket = writer.get_extra_info("socket")
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
        elif manner == "silence":
            await self.over.wait()
        return False


def _answer(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (
        len(body),
        body,
    )


@asynccontextmanager
async def rude_peer(*manners: Manner) -> AsyncIterator[RudePeer]:
    peer = RudePeer(list(manners))
    server = await asyncio.start_server(peer.serve, "127.0.0.1", 0)
    peer.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield peer
    finally:
        server.close()
        await peer.end()
        await server.wait_closed()


def nobody_listens() -> str:
    """An address of this machine at which every connection is refused."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"
