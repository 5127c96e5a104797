"""The platform's own catalog of profiles: read, compared, published to, pulled from."""

from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from fleetdash import htmx
from fleets.access import get_profile, role_required, user_of
from fleets.domain.errors import AlreadySo, Conflict, DomainError, InvalidInput, NotAllowed
from fleets.domain.number_input import parse_whole
from fleets.domain.status import Role
from fleets.models import Catalog, Connection
from fleets.selectors.platform_catalog import (
    compare_with_platform,
    platform_catalog,
    platform_rows,
    publication_of,
)
from fleets.selectors.profile_editor import catalogs_for
from fleets.services.actor import Actor
from fleets.services.catalog_orders import order_publication, order_reading
from fleets.services.profiles import organisation_catalog
from fleets.services.remote_profiles import pull

FRAGMENTS: Final = ("platform-catalog",)
_MOST_DIGITS: Final = 15


@require_safe
@role_required(Role.VIEWER)
def profile_platform(request: HttpRequest) -> HttpResponse:
    """Both catalogs side by side, as last seen; its changing part fetches itself while busy."""
    return _page(request)


@require_POST
@role_required(Role.OPERATOR)
def profile_platform_read(request: HttpRequest) -> HttpResponse:
    """Order a reading; while one is under way it stands for this one."""
    order_reading(_connection(request), actor=Actor.of(request))
    return htmx.redirect(request, _address(request))


@require_POST
@role_required(Role.OPERATOR)
def profile_platform_pull(request: HttpRequest) -> HttpResponse:
    """Take the chosen ones over, into the chosen catalog, as an import that waits to be
    confirmed.
    """
    wanted = request.POST.get("catalog", "")
    catalog = Catalog.objects.filter(slug=wanted).first() if wanted else organisation_catalog()
    if catalog is None:
        raise Http404
    try:
        kept = pull(
            _connection(request),
            request.POST.getlist("slug"),
            catalog=catalog,
            actor=Actor.of(request),
        )
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except InvalidInput as error:
        return _page(request, problem=error.problems[0].message, status=422)
    except DomainError as error:
        return _page(request, problem=error.message, status=422)
    return htmx.redirect(request, reverse("fleets:profile_import_preview", args=[kept.public_id]))


@require_safe
@role_required(Role.VIEWER)
def profile_platform_compare(request: HttpRequest, slug: str) -> HttpResponse:
    """What the platform has against our head, field by field."""
    return _comparison(request, slug)


@require_POST
@role_required(Role.OPERATOR)
def profile_platform_publish(request: HttpRequest, slug: str) -> HttpResponse:
    """Put the head there, on top of the revision that the person saw; refused when it moved."""
    profile = get_profile(user_of(request), slug)
    connection = _connection(request)
    try:
        order_publication(
            profile, connection, base=_base(request.POST.get("base", "")), actor=Actor.of(request)
        )
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except AlreadySo as error:
        messages.info(request, error.message)
    except Conflict as error:
        if compare_with_platform(profile, connection, now=timezone.now()) is None:
            return _page(request, problem=error.message, status=409)
        return _comparison(request, slug, problem=error.message, status=409)
    return htmx.redirect(request, _address(request))


def _page(request: HttpRequest, *, problem: str = "", status: int = 200) -> HttpResponse:
    connections = list(Connection.objects.all())
    connection = _connection(request, of=connections) if connections else None
    context: dict[str, Any] = {
        "problem": problem,
        "connections": connections,
        "shown": platform_catalog(connection, now=timezone.now()) if connection else None,
        "here": _address(request),
        "can_operate": user_of(request).is_operator,
        "catalogs": catalogs_for(user_of(request)),
        "catalog": request.POST.get("catalog", ""),
    }
    return htmx.render(
        request, "profiles/profile_platform.html", context, fragments=FRAGMENTS, status=status
    )


def _comparison(
    request: HttpRequest, slug: str, *, problem: str = "", status: int = 200
) -> HttpResponse:
    profile = get_profile(user_of(request), slug)
    connection = _connection(request)
    now = timezone.now()
    rows = platform_rows(connection, [slug], now=now)
    context: dict[str, Any] = {
        "profile": profile,
        "connection": connection,
        "row": rows[0] if rows else None,
        "shown": compare_with_platform(profile, connection, now=now),
        "order": publication_of(profile, connection),
        "problem": problem,
        "back": _address(request),
        "can_operate": user_of(request).is_operator,
    }
    return htmx.render(request, "profiles/profile_platform_compare.html", context, status=status)


def _connection(request: HttpRequest, *, of: list[Connection] | None = None) -> Connection:
    """The one that is named, else the first. Raises `Http404`."""
    known = list(Connection.objects.all()) if of is None else of
    name = request.POST.get("connection") or request.GET.get("connection", "")
    found = next((one for one in known if name in ("", one.name)), None)
    if found is None:
        raise Http404
    return found


def _address(request: HttpRequest) -> str:
    name = request.POST.get("connection") or request.GET.get("connection", "")
    first = Connection.objects.first()
    address = reverse("fleets:profile_platform")
    is_first = first is None or name in ("", first.name)
    return address if is_first else f"{address}?{urlencode({'connection': name})}"


def _base(text: str) -> int | None:
    return parse_whole(text, most_digits=_MOST_DIGITS)
