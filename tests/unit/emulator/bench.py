"""An emulator without a socket: requests go straight into the app, the clock is moved by hand."""

import asyncio
import base64
import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from emulator.app import EmulatorApp
from emulator.clock import Clock
from emulator.config import Config
from emulator.entities import Execution

START_MS = 1_795_000_000_000
ACCOUNT = "sk-tan-emulator-account"
Answered = TypeVar("Answered")


class HandClock(Clock):
    """Stands still until a test moves it."""

    def __init__(self, now_ms: int = START_MS) -> None:
        super().__init__()
        self.at_ms = now_ms

    def now_ms(self) -> int:
        return self.at_ms

    def advance(self, seconds: float) -> None:
        self.at_ms += round(seconds * 1000)


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text, parse_float=Decimal)


class Bench:
    """Requests, time and the world behind them."""

    def __init__(self, *, clock: HandClock | None = None, **options: Any) -> None:
        self.clock = clock or HandClock()
        self.app = EmulatorApp(Config(control=True, **options), clock=self.clock)
        self.world = self.app.world

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = ACCOUNT,
        headers: dict[str, str] | None = None,
        leaves: bool = False,
    ) -> Reply:
        """One request and its whole answer; one who `leaves` is gone once it was sent."""
        one = self._request(method, path, body, key=key, headers=headers, leaves=leaves)
        return asyncio.run(self._answered(one))

    def together(self, *requests: tuple[str, str, Any]) -> list[Reply]:
        """Several requests (method, path, body) at once, and all their answers."""

        async def all_of_them() -> list[Reply]:
            return await asyncio.gather(*(self._request(*one) for one in requests))

        return asyncio.run(self._answered(all_of_them()))

    async def _request(
        self,
        method: str,
        path: str,
        body: Any,
        *,
        key: str | None = ACCOUNT,
        headers: dict[str, str] | None = None,
        leaves: bool = False,
    ) -> Reply:
        sent: list[Any] = []
        path, _, query = path.partition("?")
        raw = (
            b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        )
        pairs = dict(headers or {})
        if key is not None:
            pairs["Authorization"] = f"Bearer {key}"
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.lower().encode(), value.encode()) for name, value in pairs.items()],
            "client": ("127.0.0.1", 1),
        }
        incoming = [{"type": "http.request", "body": raw, "more_body": False}]

        async def receive() -> Any:
            if incoming:
                return incoming.pop()
            if leaves:
                return {"type": "http.disconnect"}
            return await asyncio.Event().wait()

        async def send(message: Any) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        if not sent:
            return Reply(0, {}, "")
        content = b"".join(message.get("body", b"") for message in sent[1:])
        found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return Reply(sent[0]["status"], found, content.decode())

    async def _answered(self, answering: Coroutine[Any, Any, Answered]) -> Answered:
        """Let time pass, from one due moment to the next, while an answer waits for it."""
        task = asyncio.create_task(answering)
        for _step in range(100_000):
            for _turn in range(20):
                await asyncio.sleep(0)
            if task.done() or not self.world.scheduler._heap:
                break
            self.clock.at_ms = max(self.clock.at_ms, self.world.scheduler._heap[0][0])
            self.world.scheduler.run_due()
        return await task

    # Time

    def run_for(self, seconds: float) -> None:
        """Let everything that falls due in the next `seconds` happen, each at its moment."""
        end_ms = self.clock.at_ms + int(seconds * 1000)
        self.run_while(lambda: True, until_ms=end_ms)
        self.clock.at_ms = end_ms

    def run_while(self, condition: Callable[[], bool], *, until_ms: int | None = None) -> None:
        """Step from one due moment to the next while the condition holds."""
        heap = self.world.scheduler._heap
        while heap and condition():
            if until_ms is not None and heap[0][0] > until_ms:
                return
            self.clock.at_ms = max(self.clock.at_ms, heap[0][0])
            self.world.scheduler.run_due()

    def finish_turns(self) -> None:
        """Until no turn runs."""
        self.run_while(
            lambda: any(one.status == "running" for one in self.world.executions.values())
        )

    # Shorthands

    def mint(self, budget_usd: Any = 1, *, key: str = ACCOUNT) -> tuple[str, str]:
        """(key id, secret) of a new child with this budget."""
        body = {"name": "fleet", "budgetUsd": budget_usd}
        data = self.call("POST", "/id/v1/keys", body, key=key).json["data"]
        return data["id"], data["key"]

    def fleet(
        self, *, key: str = ACCOUNT, machines: int = 1, fleet_id: str = "fleet-a", **more: Any
    ) -> list[str]:
        """The sandbox ids of a new fleet whose machines are running."""
        body = {
            "fleetId": fleet_id,
            "machines": [{"machineId": f"m{index}"} for index in range(1, machines + 1)],
            **more,
        }
        reply = self.call("POST", "/sandbox/v1/fleets", body, key=key)
        assert reply.status == 201, reply.text
        self.run_while(lambda: self.world.fleets[fleet_id].status == "provisioning")
        return [one["sandboxId"] for one in reply.json["fleet"]["machines"]]

    def dispatch(
        self,
        sandbox_id: str,
        session_id: str,
        prompt: str = "Look around. [[ok]]",
        *,
        key: str = ACCOUNT,
        turn_id: str = "t1-1",
        model: str = "gpt-4.1-mini",
        **more: Any,
    ) -> Reply:
        body = turn_body(session_id, prompt, turn_id=turn_id, model=model) | more
        path = f"/sandbox/v1/sandboxes/{sandbox_id}/runtime/agents/run/stream"
        return self.call("POST", path, body, key=key)

    def sessions(self, sandbox_id: str) -> list[dict[str, Any]]:
        path = f"/sandbox/v1/sandboxes/{sandbox_id}/runtime/agents/sessions"
        rows: list[dict[str, Any]] = self.call("GET", path).json["data"]["sessions"]
        return rows

    def frames(self, sandbox_id: str, session_id: str, query: str = "") -> list[tuple[str, Any]]:
        """(event, data) of a finished execution's stream; the id is put into the data."""
        path = f"/sandbox/v1/sandboxes/{sandbox_id}/runtime/agents/sessions/{session_id}/events"
        return read_frames(self.call("GET", path + query).text)

    def execution(self, session_id: str, turn_id: str = "t1-1") -> Execution:
        return next(
            one
            for one in self.world.executions.values()
            if (one.session_id, one.turn_id) == (session_id, turn_id)
        )


def turn_body(
    session_id: str, prompt: str, *, turn_id: str = "t1-1", model: str = "gpt-4.1-mini"
) -> dict[str, Any]:
    text = base64.b64encode(prompt.encode()).decode()
    return {
        "id": "default",
        "sessionId": session_id,
        "turnId": turn_id,
        "detach": True,
        "parts": [{"type": "text", "text": text}],
        "backend": {"type": "opencode", "model": {"model": model}},
    }


def read_frames(text: str) -> list[tuple[str, Any]]:
    frames = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "data" in fields:
            data = json.loads(fields["data"], parse_float=Decimal)
            frames.append((fields["event"], {**data, "#": fields.get("id")}))
    return frames
