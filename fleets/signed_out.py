"""What becomes of a request whose session has ended: nothing is sent, and nothing typed is lost.

A page that can be opened is opened after the login. What was posted cannot be: the way back leads
to the page it was posted from, which says that it was not sent. A page that asks by itself, or
that would lose what is typed, sends `Page-Stays: true`, is answered 401 and stays.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Final
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import resolve_url
from django.urls import Resolver404, resolve
from django.utils.http import url_has_allowed_host_and_scheme

# The page to go on from, with what was typed in its address.
Back = Callable[[HttpRequest], str]

NOT_SENT: Final = "It was not sent: you were signed out. Look it over and press again."


def to_login(request: HttpRequest, *, back: Back | None = None) -> HttpResponse:
    """To the login and from there to a page that can be opened; 401 for a page that stays."""
    if back is None and request.headers.get("Page-Stays") == "true":
        return HttpResponse(status=401)
    if request.method in {"GET", "HEAD"}:
        return _login(request.get_full_path())
    messages.warning(request, NOT_SENT, extra_tags="unsent")
    return _login(back(request) if back else page_before(request), unsent="1")


def page_before(request: HttpRequest) -> str:
    """Path of the page of ours that a request came from; the start where none is told.

    A refused form stands at the address that it was sent to, which cannot be opened: from there
    it leads to the nearest page above.
    """
    came_from = request.headers.get("HX-Current-URL") or request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(came_from, allowed_hosts={request.get_host()}):
        return "/"
    parts = urlsplit(came_from)._replace(scheme="", netloc="", fragment="")
    if not _can_be_opened(parts.path):
        parts = parts._replace(path=page_above(parts.path), query="")
    return parts.geturl() or "/"


def page_above(path: str) -> str:
    """The nearest page above an address that only takes what is sent, "/" where there is none."""
    while path := path.rstrip("/").rpartition("/")[0]:
        found = next((one for one in (path, f"{path}/") if _can_be_opened(one)), "")
        if found:
            return found
    return "/"


def _can_be_opened(path: str) -> bool:
    """Whether there is a page here. The view is asked as by somebody who is not signed in: that
    one is led to the login by a page, and refused by what only takes what is sent.
    """
    asked = HttpRequest()
    asked.method, asked.path, asked.user = "GET", path, AnonymousUser()
    try:
        view, args, kwargs = resolve(unquote(path))
    except Resolver404:
        return False
    is_ours = bool(getattr(view, "guard", ""))
    return not is_ours or view(asked, *args, **kwargs).status_code != HTTPStatus.METHOD_NOT_ALLOWED


def _login(address: str, **more: str) -> HttpResponse:
    query = QueryDict(mutable=True)
    query.update({"next": address, **more})
    return HttpResponseRedirect(f"{resolve_url(settings.LOGIN_URL)}?{query.urlencode(safe='/')}")
