"""The record of a bulk change: what became of each profile, and its one undo."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from fleetdash import htmx
from fleets.access import role_required, user_of
from fleets.domain.errors import AlreadySo, DomainError, NotAllowed
from fleets.domain.status import Role
from fleets.models import ProfileBulkChange
from fleets.selectors.profile_bulk_record import bulk_record, get_bulk_change
from fleets.services.actor import Actor
from fleets.services.profile_bulk import undo_bulk_change


@require_safe
@role_required(Role.VIEWER)
def profile_bulk_change(request: HttpRequest, bulk_id: str) -> HttpResponse:
    """Who changed what, when, and the outcome of each profile."""
    return _page(request, _found(bulk_id))


@require_POST
@role_required(Role.OPERATOR)
def profile_bulk_undo(request: HttpRequest, bulk_id: str) -> HttpResponse:
    """Bring back what every profile said before, where nobody changed it since."""
    bulk = _found(bulk_id)
    try:
        undo_bulk_change(bulk, actor=Actor.of(request))
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except AlreadySo as error:
        messages.info(request, error.message)
    except DomainError as error:
        return _page(request, bulk, problem=error.message, status=409)
    else:
        messages.success(request, "Undone: a new revision of each says what it said before.")
    return htmx.redirect(request, reverse("fleets:profile_bulk_change", args=[bulk_id]))


def _found(bulk_id: str) -> ProfileBulkChange:
    bulk = get_bulk_change(bulk_id)
    if bulk is None:
        raise Http404
    return bulk


def _page(
    request: HttpRequest, bulk: ProfileBulkChange, *, problem: str = "", status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {"record": bulk_record(bulk, user_of(request)), "problem": problem}
    return htmx.render(request, "profiles/profile_bulk_change.html", context, status=status)
