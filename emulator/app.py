"""The ASGI application: match, write down, break on demand, authenticate, answer."""

import asyncio
import logging

from starlette.datastructures import Headers, QueryParams
from starlette.responses import Response, StreamingResponse
from starlette.routing import compile_path
from starlette.types import Receive, Scope, Send

from emulator.auth import authenticate, check_product, check_rate
from emulator.calls import Answer, AnyAnswer, Call, LateAnswer, StreamAnswer
from emulator.clock import Clock
from emulator.config import Config
from emulator.contract import BASES, OPERATIONS, Operation
from emulator.control import Control
from emulator.errors import ApiError, bad_request, not_supported
from emulator.faulty import FaultySend
from emulator.handlers import HANDLERS
from emulator.happenings import handlers_of
from emulator.journal import Entry
from emulator.memory import kill_one
from emulator.money import dumps
from emulator.strict import parse_object
from emulator.world import SAVE_EVERY_S, World

LONGEST_REQUEST = 4 * 1024 * 1024
logger = logging.getLogger("emulator")


class EmulatorApp:
    """One world behind one ASGI callable."""

    def __init__(self, config: Config, *, clock: Clock | None = None) -> None:
        self.world = World(config, clock=clock)
        self.control = Control(self.world) if config.control else None
        self._routes = [
            (operation, compile_path(f"/{operation.base}{operation.path}")[0])
            for operation in OPERATIONS
        ]
        self.world.scheduler.handlers.update(handlers_of(self.world))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)

    # Life

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        tasks = [
            asyncio.create_task(self.world.scheduler.run(self._step)),
            asyncio.create_task(self._save_now_and_then()),
        ]
        await send({"type": "lifespan.startup.complete"})
        await receive()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.world.close()
        await send({"type": "lifespan.shutdown.complete"})

    def _step(self) -> int:
        with self.world.lock:
            return self.world.scheduler.run_due()

    async def _save_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(SAVE_EVERY_S)
            self.world.save()

    # Requests

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("raw_path", scope["path"].encode()).decode("latin-1").partition("?")[0]
        if path == "/health":
            await _plain(Answer({"status": "ok"}))(scope, receive, send)
            return
        body = await _read_body(receive)
        if path.startswith("/_emulator/"):
            await self._control(scope, receive, send, body=body)
            return
        headers = Headers(scope=scope)
        operation, params = self._match(scope["method"], scope["path"])
        entry = self.world.journal.begin(
            at_ms=self.world.now_ms(),
            operation=operation.name if operation is not None else "unknown",
            method=scope["method"],
            path=path + ("?" + scope["query_string"].decode() if scope["query_string"] else ""),
            headers=headers,
            body=body,
        )
        # `keyId` of an entry is the key that signed.
        entry.ids.update(
            {"targetKeyId" if name == "keyId" else name: one for name, one in params.items()}
        )
        faulty = FaultySend(self.world, entry, send, identity=_identity(scope, headers, params))
        if not await faulty.before():
            return
        is_turn = entry.operation in ("sessions.dispatch", "sessions.run")
        if entry.fault == "out_of_memory" and "sandboxId" in params and not is_turn:
            with self.world.lock:
                kill_one(self.world, params["sandboxId"], session_id=params.get("sessionId"))
        answer = faulty.instead or self._answer(
            operation, params=params, scope=scope, headers=headers, body=body, entry=entry
        )
        if isinstance(answer, LateAnswer):
            waited = await _in_time(answer, receive)
            if waited is None:
                return
            answer = waited
            self.world.save()
        await faulty.after()
        try:
            await _plain(answer)(scope, receive, faulty)
            await faulty.finish()
        finally:
            if isinstance(answer, StreamAnswer) and answer.on_end is not None:
                answer.on_end()

    def _match(self, method: str, path: str) -> tuple[Operation | None, dict[str, str]]:
        for operation, pattern in self._routes:
            if operation.method == method and (found := pattern.match(path)) is not None:
                return operation, found.groupdict()
        return None, {}

    def _answer(
        self,
        operation: Operation | None,
        *,
        params: dict[str, str],
        scope: Scope,
        headers: Headers,
        body: bytes,
        entry: Entry,
    ) -> AnyAnswer:
        world = self.world
        world.journal.touch(entry)
        try:
            with world.lock:
                if operation is None:
                    raise self._unknown(scope)
                key = world.account
                if not operation.is_public:
                    key = authenticate(world, headers)
                    entry.key_id = key.id
                    check_rate(world)
                    check_product(key, base=operation.base)
                query = QueryParams(scope["query_string"])
                _check_query(operation, query)
                call = Call(world, key, params, query, headers, parse_object(body), entry)
                answer = HANDLERS[operation.name](call)
        except ApiError as error:
            return Answer(error.body, status=error.status, headers=error.headers)
        except Exception:
            logger.exception("the emulator failed at %s", entry.operation)
            return Answer({"error": "The emulator failed.", "code": "SERVER_ERROR"}, status=500)
        if scope["method"] != "GET":
            # What was answered must survive the death of the process.
            world.save()
        return answer

    @staticmethod
    def _unknown(scope: Scope) -> ApiError:
        route = f"{scope['method']} {scope['path']}"
        logger.warning("NOT EMULATED: %s", route)
        known = scope["path"].strip("/").partition("/")[0] in BASES
        hint = "" if known else f" Paths begin with {', '.join('/' + base for base in BASES)}."
        return not_supported(f"The emulator does not know {route}.{hint}")

    async def _control(self, scope: Scope, receive: Receive, send: Send, *, body: bytes) -> None:
        if self.control is None:
            body_off = {"error": "Started without --control.", "code": "NOT_SUPPORTED"}
            await _plain(Answer(body_off, 501))(scope, receive, send)
            return
        answer = await self.control.answer(scope, body)
        response = _plain(answer) if isinstance(answer, Answer) else answer
        await response(scope, receive, send)


def create_app(config: Config) -> EmulatorApp:
    """An app with a world of its own, restored from `config.state` when that file has one."""
    return EmulatorApp(config)


def _check_query(operation: Operation, query: QueryParams) -> None:
    for name in query:
        if name not in operation.query:
            raise bad_request(f"Unknown query parameter {name}.", field=name)


def _identity(scope: Scope, headers: Headers, params: dict[str, str]) -> str:
    names = (scope["method"], scope["path"], headers.get("idempotency-key", ""), *params.values())
    return " ".join(names)


async def _read_body(receive: Receive) -> bytes:
    pieces = []
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        pieces.append(message.get("body", b""))
        more = message.get("more_body", False) and sum(map(len, pieces)) < LONGEST_REQUEST
    return b"".join(pieces)


async def _in_time(answer: LateAnswer, receive: Receive) -> Answer | None:
    """What it waits for, or None when the caller left before."""
    waiting = asyncio.ensure_future(answer.wait())
    leaving = asyncio.ensure_future(receive())
    await asyncio.wait({waiting, leaving}, return_when=asyncio.FIRST_COMPLETED)
    if waiting.done():
        leaving.cancel()
        try:
            return waiting.result()
        except ApiError as error:
            return Answer(error.body, status=error.status, headers=error.headers)
    waiting.cancel()
    if answer.on_drop is not None:
        answer.on_drop()
    return None


def _plain(answer: Answer | StreamAnswer) -> Response:
    if isinstance(answer, StreamAnswer):
        return StreamingResponse(
            answer.pieces, media_type="text/event-stream", headers={"Cache-Control": "no-store"}
        )
    return Response(
        b"" if answer.status in (204, 304) else dumps(answer.body),
        status_code=answer.status,
        media_type="application/json",
        headers=answer.headers,
    )
