"""Handing over everything that somebody owns: shown first, done in one act, with a reason."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from fleetdash import htmx
from fleets.access import role_required, user_of
from fleets.domain.errors import DomainError, InvalidInput
from fleets.domain.status import Role
from fleets.models import User
from fleets.selectors.hand_over import owned_by, owners, receivers
from fleets.services.actor import Actor
from fleets.services.hand_over import hand_over_everything


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(Role.OPERATOR)
def hand_over(request: HttpRequest) -> HttpResponse:
    """Who gives, who takes, and what; posted, it goes. One's own, or as an admin anybody's."""
    owner = _owner(request)
    if request.method != "POST":
        return _page(request, owner)
    try:
        to = User.objects.filter(username=request.POST.get("to", ""), is_active=True).first()
        if to is None:
            raise InvalidInput.at("to", "Choose who takes it over.")
        count = hand_over_everything(
            owner, to=to, actor=Actor.of(request), reason=request.POST.get("reason", "")
        )
    except InvalidInput as error:
        return _page(request, owner, problem=error.problems[0].message, status=422)
    except DomainError as error:
        return _page(request, owner, problem=error.message, status=409)
    what = "1 thing" if count == 1 else f"{count} things"
    messages.success(
        request, f"{what} of {owner.get_username()} belong to {to.get_username()} now."
    )
    return htmx.redirect(request, reverse("fleets:hand_over"))


def _owner(request: HttpRequest) -> User:
    """The one who gives: oneself unless an admin names another. Raises PermissionDenied."""
    user = user_of(request)
    wanted = request.POST.get("from") or request.GET.get("from") or user.username
    if wanted == user.username:
        return user
    found = User.objects.filter(username=wanted).first() if user.is_admin else None
    if found is None:
        raise PermissionDenied("Only an admin hands over what others own.")
    return found


def _page(
    request: HttpRequest, owner: User, *, problem: str = "", status: int = 200
) -> HttpResponse:
    user = user_of(request)
    owned = owned_by(owner)
    context: dict[str, Any] = {
        "owner": owner,
        "owners": owners() if user.is_admin else [],
        "receivers": receivers(but=owner),
        "to": request.POST.get("to", ""),
        "reason": request.POST.get("reason", ""),
        "owned": owned,
        "kinds": [
            ("Profiles", owned.profiles),
            ("Definitions", owned.definitions),
            ("Catalogs", owned.catalogs),
        ],
        "problem": problem,
    }
    return htmx.render(request, "account/hand_over.html", context, status=status)
