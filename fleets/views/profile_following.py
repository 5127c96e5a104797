"""What was published in what one follows, and the buttons that follow and stop."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_POST, require_safe

from fleetdash import htmx
from fleets.access import get_profile, role_required, user_of
from fleets.domain.errors import AlreadySo, NotAllowed
from fleets.domain.status import Role
from fleets.models import Catalog
from fleets.selectors.profile_following import following_page
from fleets.services.actor import Actor
from fleets.services.profile_follow import (
    follow_catalog,
    follow_profile,
    mark_seen,
    unfollow_catalog,
    unfollow_profile,
)


@require_safe
@role_required(Role.VIEWER)
def profile_following(request: HttpRequest) -> HttpResponse:
    """Who published what, newest first, with what it means for one's own definitions."""
    page = following_page(user_of(request))
    context: dict[str, Any] = {"page": page, "unseen": page.unseen}
    return htmx.render(request, "profiles/profile_following.html", context)


@require_POST
@role_required(Role.VIEWER)
def profile_following_seen(request: HttpRequest) -> HttpResponse:
    """All that the page showed is no news any more; what came since it was opened still is."""
    try:
        until = parse_datetime(request.POST.get("until", ""))
    except ValueError:
        until = None
    if until is not None and until.tzinfo is not None:
        mark_seen(user=user_of(request), until=min(until, timezone.now()))
    return htmx.redirect(request, reverse("fleets:profile_following"))


@require_POST
@role_required(Role.VIEWER)
def profile_follow(request: HttpRequest, slug: str) -> HttpResponse:
    """Follow a profile, or with `stop` no longer; back to where the button was."""
    profile = get_profile(user_of(request), slug)
    act = unfollow_profile if "stop" in request.POST else follow_profile
    _carry_out(request, lambda actor: act(profile, actor=actor))
    return htmx.redirect(request, _back(request, reverse("fleets:profile_detail", args=[slug])))


@require_POST
@role_required(Role.VIEWER)
def profile_follow_catalog(request: HttpRequest) -> HttpResponse:
    """Follow a catalog, or with `stop` no longer."""
    catalog = Catalog.objects.filter(slug=request.POST.get("catalog", "")).first()
    if catalog is None:
        raise Http404
    act = unfollow_catalog if "stop" in request.POST else follow_catalog
    _carry_out(request, lambda actor: act(catalog, actor=actor))
    here = f"{reverse('fleets:profile_list')}?catalog={catalog.slug}"
    return htmx.redirect(request, _back(request, here))


def _carry_out(request: HttpRequest, act: Callable[[Actor], None]) -> None:
    try:
        act(Actor.of(request))
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except AlreadySo as error:
        messages.info(request, error.message)


def _back(request: HttpRequest, here: str) -> str:
    return reverse("fleets:profile_following") if request.POST.get("back") == "following" else here
