"""Request id, the viewer's time zone, and what a lost login means under HTMX."""

import uuid
import zoneinfo
from collections.abc import Callable
from http import HTTPStatus

import structlog
from django.conf import settings
from django.db import DataError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import resolve_url
from django.utils import timezone

from fleets.views.errors import no_page, not_found, unstorable

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class RequestIdMiddleware:
    """Gives every request an id that logs, audit rows and error pages quote."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request_id = uuid.uuid4().hex[:12]
        request.META["FLEETDASH_REQUEST_ID"] = request_id
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        response = self.get_response(request)
        response.headers["X-Request-Id"] = request_id
        return response


class NulMiddleware:
    """Answers a request that the database cannot be asked about: no text of it can hold a NUL.

    An address with one is not there; what was sent with one is refused, and nothing was changed.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(
        self, request: HttpRequest, exception: Exception
    ) -> HttpResponseBase | None:
        """Only for a NUL: everything else goes on to break."""
        if not isinstance(exception, DataError) or "NUL" not in str(exception):
            return None
        if request.method in ("GET", "HEAD"):
            return not_found(request, exception)
        return unstorable(request)


class NoPageMiddleware:
    """Says in words that an address only takes what a form sends, and where its page is.

    A refused form stands at such an address: whoever opens it again would see nothing at all.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        is_opened = (
            request.method == "GET" and response.status_code == HTTPStatus.METHOD_NOT_ALLOWED
        )
        return no_page(request, response) if is_opened else response


class ViewerTimeZoneMiddleware:
    """Activates the signed-in person's time zone for the request."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        name = getattr(request.user, "time_zone", "") or "UTC"
        try:
            zone = zoneinfo.ZoneInfo(name)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError):
            zone = zoneinfo.ZoneInfo("UTC")
        with timezone.override(zone):
            return self.get_response(request)


class HtmxLoginMiddleware:
    """Turns a redirect to the login into `HX-Redirect`, or the login lands in a table cell."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        location = response.headers.get("Location", "")
        is_login = location.startswith(resolve_url(settings.LOGIN_URL))
        if getattr(request, "htmx", False) and response.status_code == 302 and is_login:
            return HttpResponse(status=204, headers={"HX-Redirect": location})
        return response
