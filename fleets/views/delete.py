"""Deleting a fleet: what goes, its name typed, a reason, a fresh login."""

from typing import Any, Final

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from fleetdash import htmx
from fleets.access import get_fleet, may_delete, role_required, user_of
from fleets.domain.errors import Conflict, InvalidInput
from fleets.domain.status import OperationKind, Role
from fleets.forms.stop import REASON_LIMIT, DeleteForm
from fleets.models import Fleet
from fleets.selectors.operation_lines import newest_operation
from fleets.selectors.stop_sheet import stop_sheet
from fleets.services.actor import Actor
from fleets.services.delete import delete_fleet
from fleets.views.fresh_login import must_be_fresh
from fleets.views.stop import tell_if_ordered_before

FRAGMENTS: Final = {"dialog": "fleets/_delete_sheet.html"}


def form_again(request: HttpRequest) -> str:
    """Address of the form with the reason that was typed; the name is typed anew."""
    typed = QueryDict(mutable=True)
    typed["reason"] = request.POST.get("reason", "")[:REASON_LIMIT]
    return f"{request.path}?{typed.urlencode()}"


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(Role.OPERATOR, back=form_again)
def fleet_delete(request: HttpRequest, public_id: str) -> HttpResponse:
    """What would go, and the form; posted with the fleet's name it is ordered."""
    user = user_of(request)
    fleet = get_fleet(user, public_id)
    if not may_delete(user, fleet):
        owner = fleet.owner.username if fleet.owner else "its owner"
        raise PermissionDenied(
            f"Operators delete only their own fleets. Ask {owner} or an admin; "
            "you may hold it, cut it off or cancel it."
        )
    must_be_fresh(request)
    if request.method != "POST":
        reason = f"deleted by {user.username} at {timezone.localtime():%H:%M}"
        first = {"reason": request.GET.get("reason", reason)}
        return _page(request, fleet, DeleteForm(initial=first))
    form = DeleteForm(request.POST)
    if not form.is_valid():
        return _page(request, fleet, form, status=422)
    try:
        operation = delete_fleet(fleet, actor=Actor.of(request), **form.cleaned_data)
    except InvalidInput as error:
        for problem in error.problems:
            form.add_error(problem.place if problem.place in form.fields else None, problem.message)
        return _page(request, fleet, form, status=422)
    except Conflict as error:
        standing = newest_operation(fleet, OperationKind.DELETE, now=timezone.now())
        if standing is None:
            form.add_error(None, error.message)
            return _page(request, fleet, form, status=409)
        operation = standing
    tell_if_ordered_before(request, operation)
    return htmx.redirect(request, reverse("fleets:operation_detail", args=[operation.public_id]))


def _page(
    request: HttpRequest, fleet: Fleet, form: DeleteForm, *, status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {
        "fleet": fleet,
        "sheet": stop_sheet(fleet),
        "here": reverse("fleets:fleet_detail", args=[fleet.public_id]),
        "form": form,
    }
    return htmx.render(
        request, "fleets/fleet_delete.html", context, fragments=FRAGMENTS, status=status
    )
