"""`/metrics` for scrapers: with the token of the environment, or for admins at a browser."""

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from fleets.models import User
from fleets.selectors.metrics import CONTENT_TYPE, metrics_text


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """The figures; 401 without a login or token, as a scraper cannot follow to the login page."""
    if not _has_token(request):
        user = request.user
        if not isinstance(user, User):
            return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
        if not user.is_viewer:
            raise Http404
        if not user.is_admin:
            raise PermissionDenied("Metrics are for admins. Ask an admin for the scraper's token.")
    return HttpResponse(metrics_text(), content_type=CONTENT_TYPE)


def _has_token(request: HttpRequest) -> bool:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    expected = settings.METRICS_TOKEN
    return bool(expected) and scheme == "Bearer" and constant_time_compare(given, expected)


# Guarded above by its own rule; the tests of addresses ask every view which guard it has.
metrics.guard = "token or admin"  # type: ignore[attr-defined]
