"""The pages for what is not there, not allowed, or broken. Each quotes the request id."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string

from fleets.signed_out import NOT_SENT, Back, page_above, to_login


def _page(
    request: HttpRequest, status: int, *, template: str = "", **context: object
) -> HttpResponse:
    context["request_id"] = request.META.get("FLEETDASH_REQUEST_ID", "")
    return render(request, template or f"{status}.html", context, status=status)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403 with who can help."""
    return _page(request, 403, reason=str(exception))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404, the same for what is missing and for what this person may not know of."""
    return _page(request, 404)


def unstorable(request: HttpRequest) -> HttpResponse:
    """400 for what holds a NUL: nothing was done, and the way back keeps what was typed."""
    return _page(request, 400, template="400_nul.html")


def no_page(request: HttpRequest, refused: HttpResponseBase) -> HttpResponse:
    """405 with the nearest page above; it still says what the address takes."""
    answer = _page(request, 405, there=page_above(request.path))
    answer.headers["Allow"] = refused.headers.get("Allow", "")
    return answer


def server_error(request: HttpRequest) -> HttpResponse:
    """500 with the reference id to quote. Without the frame: its context may be what broke."""
    context = {"request_id": request.META.get("FLEETDASH_REQUEST_ID", "")}
    return HttpResponse(render_to_string("500.html", context), status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form whose seal no longer fits: nothing was done, and the way back keeps what was typed."""
    # The answer brings a fresh seal along: pressed once more, it fits.
    get_token(request)
    view = request.resolver_match.func if request.resolver_match else None
    back: Back | None = getattr(view, "back", None)
    if getattr(view, "guard", "") and not request.user.is_authenticated:
        return to_login(request, back=back)
    if request.headers.get("HX-Request") == "true":
        return HttpResponse(status=403, headers={"Form-Too-Old": "true"})
    if back is not None:
        messages.warning(request, NOT_SENT, extra_tags="unsent")
        return HttpResponseRedirect(back(request), status=303)
    return _page(request, 403, template="403_csrf.html")
