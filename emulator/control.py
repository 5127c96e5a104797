"""`/_emulator/`: what tests and the newcomer's demo may see and turn. Loopback only."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.datastructures import QueryParams
from starlette.responses import Response
from starlette.types import Scope

from emulator import snapshot
from emulator.advance import advance
from emulator.calls import Answer
from emulator.dials import turn
from emulator.errors import ApiError, bad_request, forbidden, not_supported
from emulator.page_answers import Page
from emulator.strict import BOOL, INT, NUMBER, TEXT, check_fields, parse_object
from emulator.world import World

JsonObject = dict[str, Any]
_LOOPBACK = ("127.0.0.1", "::1", "localhost", "testclient")
_FAULT = {
    "operation": TEXT,
    "kind": TEXT,
    "match": TEXT,
    "probability": NUMBER,
    "count": INT,
    "skip": INT,
    "latencyMs": INT,
    "status": INT,
    "retryAfter": INT,
    "afterBytes": INT,
    "when": TEXT,
    "event": INT,
    "share": NUMBER,
    "afterEvents": INT,
}

Action = Callable[[QueryParams, JsonObject], Awaitable[Any]]


class Control:
    """The actions by method and name."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._actions: dict[tuple[str, str], Action] = {
            ("GET", "state"): self._state,
            ("GET", "journal"): self._journal,
            ("GET", "ledger"): self._ledger,
            ("GET", "left"): self._left,
            ("GET", "load"): self._load,
            ("GET", "faults"): self._faults,
            ("POST", "faults"): self._add_fault,
            ("DELETE", "faults"): self._clear_faults,
            ("GET", "held"): self._held,
            ("POST", "release"): self._release,
            ("POST", "wait-for"): self._wait_for,
            ("POST", "clock"): self._clock,
            ("POST", "dials"): self._dials,
            ("POST", "reset"): self._reset,
        }
        self._page = Page(world, self._act)

    async def answer(self, scope: Scope, body: bytes) -> Answer | Response:
        """The action's answer, the page, or a refusal."""
        try:
            client = scope.get("client")
            if client is not None and client[0] not in _LOOPBACK:
                raise forbidden("Control answers to loopback only.")
            if self._page.has(scope):
                return await self._page.answer(scope, body)
            name, query = scope["path"].removeprefix("/_emulator/"), scope["query_string"]
            found = await self._act(scope["method"], name, QueryParams(query), parse_object(body))
            return Answer(found)
        except ApiError as error:
            return Answer(error.body, status=error.status)

    async def _act(self, method: str, name: str, query: QueryParams, body: JsonObject) -> Any:
        action = self._actions.get((method, name))
        if action is None:
            raise not_supported(f"Control has no {method} {name}.")
        return await action(query, body)

    async def _state(self, _query: QueryParams, _body: JsonObject) -> Any:
        with self._world.lock:
            return snapshot.state(self._world)

    async def _journal(self, query: QueryParams, _body: JsonObject) -> Any:
        since = _number(query, "since")
        entries = self._world.journal.view(since=since, operation=query.get("operation"))
        return {"entries": entries}

    async def _ledger(self, query: QueryParams, _body: JsonObject) -> Any:
        with self._world.lock:
            since_ms = _number(query, "since")
            return snapshot.ledger(self._world, key_id=query.get("keyId"), since_ms=since_ms)

    async def _left(self, _query: QueryParams, _body: JsonObject) -> Any:
        with self._world.lock:
            return snapshot.left(self._world)

    async def _load(self, _query: QueryParams, _body: JsonObject) -> Any:
        world = self._world
        return {
            "tasks": len(asyncio.all_tasks()),
            "due": len(world.scheduler),
            "waiting": world.waiting(),
            "held": len(world.faults.held),
            "routerCalls": len(world.router_calls),
            "requests": sum(world.journal.counts.values()),
        }

    async def _faults(self, _query: QueryParams, _body: JsonObject) -> Any:
        return {"faults": [fault.view() for fault in self._world.faults.active]}

    async def _add_fault(self, _query: QueryParams, body: JsonObject) -> Any:
        check_fields(body, where="body", fields=_FAULT, required=("operation", "kind"))
        return {"fault": self._world.faults.add(body).view()}

    async def _clear_faults(self, query: QueryParams, _body: JsonObject) -> Any:
        return {"removed": self._world.faults.clear(query.get("id"))}

    async def _held(self, _query: QueryParams, _body: JsonObject) -> Any:
        held = self._world.faults.held
        return {"held": [{"faultId": one.fault_id, "seq": one.seq} for one in held]}

    async def _release(self, _query: QueryParams, body: JsonObject) -> Any:
        check_fields(body, where="body", fields={"faultId": TEXT, "seq": INT, "drop": BOOL})
        released = self._world.faults.release(
            body.get("faultId"), seq=body.get("seq"), drop=body.get("drop", False)
        )
        return {"released": released}

    async def _wait_for(self, _query: QueryParams, body: JsonObject) -> Any:
        fields = {"operation": TEXT, "count": INT, "timeoutMs": INT}
        check_fields(body, where="body", fields=fields, required=("operation", "count"))
        reached = await self._world.journal.wait_for(
            body["operation"],
            count=body["count"],
            timeout_s=body.get("timeoutMs", 10_000) / 1000,
        )
        return {"reached": reached, "count": self._world.journal.counts[body["operation"]]}

    async def _clock(self, _query: QueryParams, body: JsonObject) -> Any:
        check_fields(body, where="body", fields={"speed": NUMBER, "advanceS": NUMBER})
        clock = self._world.clock
        if body.get("speed", 1) <= 0 or body.get("advanceS", 0) < 0:
            raise bad_request("speed must be above zero, advanceS not below.")
        if "speed" in body:
            clock.set_speed(float(body["speed"]))
        if "advanceS" in body:
            await advance(self._world, seconds=float(body["advanceS"]))
        self._world.scheduler.wake()
        return {"nowMs": clock.now_ms(), "speed": str(clock.speed)}

    async def _dials(self, _query: QueryParams, body: JsonObject) -> Any:
        with self._world.lock:
            turn(self._world.dials, body)
        return {"dials": snapshot.dials(self._world)}

    async def _reset(self, _query: QueryParams, _body: JsonObject) -> Any:
        with self._world.lock:
            self._world.reset()
        self._world.save()
        return {"reset": True}


def _number(query: QueryParams, name: str) -> int:
    text = query.get(name, "0")
    if not text.isdecimal():
        raise bad_request(f"{name} must be a number.", field=name)
    return int(text)
