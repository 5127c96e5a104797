"""Deleting a profile: refused with the list while it is used, else its id typed and a reason."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from fleetdash import htmx
from fleets.access import get_profile, role_required, user_of
from fleets.domain.errors import Conflict, NotAllowed
from fleets.domain.status import Role
from fleets.forms.typed_id import TypedIdForm
from fleets.models import Profile
from fleets.selectors.profile_page import profile_head
from fleets.selectors.profile_users import users_of
from fleets.services.actor import Actor
from fleets.services.profile_shelf import delete_profile
from fleets.views.delete import form_again
from fleets.views.fresh_login import must_be_fresh


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(Role.OPERATOR, back=form_again)
def profile_delete(request: HttpRequest, slug: str) -> HttpResponse:
    """What would go, and the form; posted with the profile's id it is done."""
    user = user_of(request)
    profile = get_profile(user, slug)
    head = profile_head(profile, user, now=timezone.now())
    if not head.may_delete:
        raise PermissionDenied(
            f"Profiles are deleted by their owner ({head.owner or 'nobody'}) or an admin. "
            "You may archive it."
        )
    must_be_fresh(request)
    if request.method != "POST":
        reason = request.GET.get("reason", "")
        return _page(
            request, profile, TypedIdForm(noun="profile", slug=slug, initial={"reason": reason})
        )
    form = TypedIdForm(request.POST, noun="profile", slug=slug)
    if not form.is_valid():
        return _page(request, profile, form, status=422)
    try:
        delete_profile(profile, actor=Actor.of(request), reason=form.cleaned_data["reason"])
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except Conflict as error:
        form.add_error(None, error.message)
        return _page(request, profile, form, status=409)
    messages.success(request, f"{slug} is deleted.")
    return htmx.redirect(request, reverse("fleets:profile_list"))


def _page(
    request: HttpRequest, profile: Profile, form: TypedIdForm, *, status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {
        "head": profile_head(profile, user_of(request), now=timezone.now()),
        "users": users_of(profile),
        "here": reverse("fleets:profile_detail", args=[profile.slug]),
        "form": form,
    }
    return htmx.render(request, "profiles/profile_delete.html", context, status=status)
