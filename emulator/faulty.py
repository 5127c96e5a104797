"""Carrying a fault out on one connection."""

import asyncio
import contextlib
import socket
import struct
from typing import Any

from starlette.types import Message, Send

from emulator.calls import Answer
from emulator.errors import rate_limited
from emulator.event_faults import KINDS as EVENT_KINDS
from emulator.event_faults import EventFault, count_of, first_of
from emulator.faults import Fault, Held
from emulator.journal import Entry
from emulator.world import World

DEFAULT_HOLD_MS = 60_000


class FaultySend:
    """The `send` of one request: passes messages on unless the request's fault says otherwise."""

    def __init__(self, world: World, entry: Entry, send: Send, *, identity: str) -> None:
        self._world = world
        self._entry = entry
        self._send = send
        self._fault: Fault | None = None
        self._sent = 0
        self._cut = False
        self._is_stream = False
        self.instead: Answer | None = None
        if world.faults.active:
            turn = _turn_of(entry.body)
            self._fault = world.faults.pick(
                entry.operation, path=entry.path, identity=f"{identity} {turn}"
            )
        self._events: EventFault | None = None
        self._left = 0
        if self._fault is not None:
            entry.fault = self._fault.kind
            self._left = self._fault.after_events
            if self._fault.kind in EVENT_KINDS:
                struck = f"{identity} {turn}"
                self._events = EventFault(self._fault, seed=world.config.seed, identity=struck)

    async def before(self) -> bool:
        """What happens before anything is done; False = the connection is closed already."""
        fault = self._fault
        if fault is None:
            return True
        if fault.kind == "latency":
            await self._pause(fault.latency_ms or 0)
        elif fault.kind == "error":
            self.instead = Answer({"error": "Fault.", "code": "SERVER_ERROR"}, fault.status)
        elif fault.kind == "rate_limit":
            refusal = rate_limited(current=0, limit=0, retry_after_s=fault.retry_after)
            self.instead = Answer(refusal.body, 429, refusal.headers)
        elif fault.kind == "reset":
            self._abort()
            return False
        elif fault.kind == "hold_until_released" and fault.when == "before":
            return await self._hold(fault)
        return True

    async def after(self) -> None:
        """What happens once it is done and not yet answered."""
        fault = self._fault
        if fault is None:
            return
        if fault.kind == "hold_until_released" and fault.when == "after":
            self._cut = not await self._hold(fault)
        elif fault.kind == "timed_out_but_happened":
            self._cut = True
            await self._pause(DEFAULT_HOLD_MS if fault.latency_ms is None else fault.latency_ms)
            self._abort()

    async def finish(self) -> None:
        """Let the connection go when the answer was cut to nothing."""
        if self._cut:
            self._abort()

    async def __call__(self, message: Message) -> None:
        if self._cut:
            return
        self._remember(message)
        if message["type"] == "http.response.start":
            content = dict(message.get("headers", ())).get(b"content-type", b"")
            self._is_stream = content.startswith(b"text/event-stream")
        elif self._fault is not None and self._fault.kind == "truncate":
            await self._truncate(message, limit=self._fault.after_bytes)
            return
        elif self._is_stream and self._events is not None:
            is_last = not message.get("more_body", False)
            body = self._events.pass_on(message.get("body", b""), is_last=is_last)
            message = {**message, "body": body}
        elif self._is_stream and self._fault is not None and self._fault.kind == "stall_stream":
            await self._stall(message)
            return
        await self._send(message)

    def _remember(self, message: Message) -> None:
        """Keep what is about to be told: a death of the process must not make it untrue."""
        if message["type"] == "http.response.start":
            self._entry.status = message["status"]
            self._world.journal.touch(self._entry)
        self._world.save()

    async def _stall(self, message: Message) -> None:
        """Pass on what is left to send, then nothing until somebody gives up."""
        body: bytes = message.get("body", b"")
        count = count_of(body)
        if count <= self._left and message.get("more_body", False):
            self._left -= count
            await self._send(message)
            return
        await self._send({**message, "body": first_of(body, count=self._left), "more_body": True})
        await self._world.stopping.wait()
        self._abort()

    async def _truncate(self, message: Message, *, limit: int | None) -> None:
        body: bytes = message.get("body", b"")
        room = len(body) // 2 if limit is None else limit - self._sent
        if body and room < len(body):
            await self._send({**message, "body": body[: max(0, room)], "more_body": True})
            self._cut = True
            # The transport writes what it has before it closes; an abort could lose it.
            transport = self._transport()
            if transport is not None:
                transport.close()
            return
        self._sent += len(body)
        await self._send(message)

    async def _hold(self, fault: Fault) -> bool:
        held = Held(fault_id=fault.id, seq=self._entry.seq)
        self._world.faults.held.append(held)
        await _first_of(held.released, self._world.stopping)
        if held.drop or self._world.stopping.is_set():
            self._abort()
            return False
        return True

    async def _pause(self, latency_ms: int) -> None:
        try:
            async with asyncio.timeout(latency_ms / 1000):
                await self._world.stopping.wait()
        except TimeoutError:
            return

    def _transport(self) -> Any:
        """The connection below; uvicorn binds `send` to an object that has it."""
        return getattr(getattr(self._send, "__self__", None), "transport", None)

    def _abort(self) -> None:
        self._cut = True
        transport = self._transport()
        if transport is None:
            return
        peer = transport.get_extra_info("socket")
        if peer is not None:
            # Linger 0: the peer sees a reset, not an orderly end; unless it has left before us.
            with contextlib.suppress(OSError):
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()


async def _first_of(*events: asyncio.Event) -> None:
    waits = [asyncio.ensure_future(event.wait()) for event in events]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in waits:
        wait.cancel()


def _turn_of(body: str) -> str:
    """Whatever tells two dispatches to one machine apart: the session and turn in the body."""
    return " ".join(
        body.partition(f'"{name}"')[2][:120].partition(",")[0] for name in ("sessionId", "turnId")
    )
