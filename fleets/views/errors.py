"""The pages for what is not there, not allowed, or broken. Each quotes the request id."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string


def _page(request: HttpRequest, status: int, **context: object) -> HttpResponse:
    context["request_id"] = request.META.get("FLEETDASH_REQUEST_ID", "")
    return render(request, f"{status}.html", context, status=status)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403 with who can help."""
    return _page(request, 403, reason=str(exception))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404, the same for what is missing and for what this person may not know of."""
    return _page(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """500 with the reference id to quote. Without the frame: its context may be what broke."""
    context = {"request_id": request.META.get("FLEETDASH_REQUEST_ID", "")}
    return HttpResponse(render_to_string("500.html", context), status=500)
