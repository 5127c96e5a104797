"""Answering for the page: its HTML, its style, and what its forms ask of control."""

import hmac
import secrets
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, QueryParams
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Scope

from emulator.errors import ApiError, forbidden
from emulator.money import loads
from emulator.page import render
from emulator.page_style import STYLE
from emulator.world import World

JsonObject = dict[str, Any]
Act = Callable[[str, str, QueryParams, JsonObject], Awaitable[Any]]
PATHS = ("/_emulator/", "/_emulator/page.css")
_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
# What a form's fields mean to control; numbers are written as people type them.
_FORMS = {
    "clock": ("POST", "clock"),
    "dials": ("POST", "dials"),
    "plan": ("POST", "dials"),
    "reset": ("POST", "reset"),
    "faults": ("POST", "faults"),
    "clear": ("DELETE", "faults"),
    "release": ("POST", "release"),
}
_WORDS = ("operation", "kind", "match", "when", "id", "plan")


class Page:
    """`act` is control's way to do something by method and name."""

    def __init__(self, world: World, act: Act) -> None:
        self._world = world
        self._act = act
        self._token = secrets.token_urlsafe(24)

    @staticmethod
    def has(scope: Scope) -> bool:
        """True for what is the page's business."""
        path: str = scope["path"]
        return path in PATHS or path.startswith("/_emulator/page/")

    async def answer(self, scope: Scope, body: bytes) -> Response:
        """The page, its style, or a way back to the page once a form was carried out."""
        host = Headers(scope=scope).get("host", "").rpartition(":")
        if (host[0] or host[2]) not in _HOSTS:
            # A name that a stranger's site made point here must not reach the forms.
            return HTMLResponse("Open this page by its loopback address.", 403, _HEADERS)
        if scope["path"] == "/_emulator/page.css" and scope["method"] == "GET":
            return Response(STYLE, headers=_HEADERS, media_type="text/css")
        if scope["path"] == "/_emulator/" and scope["method"] == "GET":
            return self._page()
        form = _FORMS.get(scope["path"].removeprefix("/_emulator/page/"))
        if form is None or scope["method"] != "POST":
            return self._page(problem="There is no such form.", status=404)
        try:
            fields = dict(parse_qsl(body.decode(errors="replace")))
            self._check(fields.pop("token", ""))
            await self._submit(form, fields)
        except (ApiError, ValueError) as error:
            problem = "A number or JSON is needed there."
            if isinstance(error, ApiError):
                problem = str(error.body.get("message", error.body["error"]))
            return self._page(problem=problem, status=400)
        return RedirectResponse("/_emulator/", status_code=303, headers=_HEADERS)

    def _page(self, *, problem: str | None = None, status: int = 200) -> Response:
        with self._world.lock:
            html = render(self._world, token=self._token, problem=problem)
        return HTMLResponse(html, status_code=status, headers=_HEADERS)

    def _check(self, token: str) -> None:
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            raise forbidden("The form is not of this page.")

    async def _submit(self, form: tuple[str, str], fields: dict[str, str]) -> None:
        method, name = form
        body: JsonObject = {
            key: value if key in _WORDS else loads(value) for key, value in fields.items()
        }
        if method == "DELETE":
            await self._act(method, name, QueryParams(fields), {})
        else:
            await self._act(method, name, QueryParams(), body)
